"""Whether the staged page that stands is the one that a run would make; then nothing is searched, and nothing written.

``.nightledger/staged/kept.json`` has what the page was made of: stat(2) of every file that staging reads, what was
shown, the log's head, program, day and routines; and the record that the run printed. It is disposable.

Invariant: the log is checked all the same, and what is kept counts under our own seal alone: an HMAC (RFC 2104) with a
key that lies outside the home. A page or an index that is lost, or was edited, is made anew.
"""

import hashlib
import hmac
import json
import os
import stat
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nightledger import __version__
from nightledger.domain.errors import NightledgerError
from nightledger.domain.staging.routine import is_on
from nightledger.domain.staging.rules import StagingRules
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import OPERATOR, home_zone, load_operator
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.opening import KEPT_SETTINGS, SHIPPED, Gate, Ledger, read_ledger
from nightledger.hosts.presets import preset
from nightledger.trust.keys import seal

SETTLED_NS = 2_000_000_000
"""As of files in the search index: what was written within two seconds before may change unseen (FAT)."""
MAX_BYTES = 1 << 20
MAX_EXPOSURES_BYTES = 64 << 20
_STARTED = b'"event":"session_start"'
"""What a session's start shows says nothing of what is of use (``jobs/stage/shown.py``), and each start appends such a line."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
Look = tuple[str, int, int, int]
"""Of a file: path, size, times of writing and of change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a page is made of.

    Attributes:
        sha256: Of all that, in hex.
        newest_ns: When the newest of its files was written.
        hour: The hour that it is; it counts where associations are on the page.
    """

    sha256: str
    newest_ns: int
    hour: str


def basis_of(gate: Gate, rules: StagingRules, now: datetime) -> Basis:
    """Return what a page without events would be made of now; the log's head is looked at apart.

    Raises:
        NightledgerError: What was shown or the operator's file cannot be read, or the home's zone is unknown here.
    """
    home = gate.home
    local = now.astimezone(home_zone(home, gate.settings))
    beside_keys = (
        os.fspath(gate.ring.path(home.identity.id, KEPT_SETTINGS)),
        os.path.join(gate.ring.directory, OPERATOR),
    )
    named = (
        *home.gated_paths(),
        home.handoff,
        *beside_keys,
        *load_operator(os.fspath(gate.ring.directory)).rule_files,
    )
    own = sorted(_looks_in(_folders(home), named, but=(home.exposures, home.runs)))
    code = [folder for folder, _, _ in os.walk(_PACKAGE) if not folder.endswith("__pycache__")]
    program = (__version__, sys.version, sorted(_looks_in([os.fspath(SHIPPED), *code])))
    on = [is_on(one, local) for one in rules.routines]
    return Basis(
        sha256=_hash((program, local.date(), now.date(), on, own, _shown(home))),
        newest_ns=max((written_ns for _, _, written_ns, _ in own), default=0),
        hour=f"{now:%Y-%m-%dT%H}",
    )


def read_kept(gate: Gate, basis: Basis) -> Mapping[str, Any] | None:
    """Return the record of the run that made the page that stands; None where it is to be staged anew."""
    home = gate.home
    with suppress(NightledgerError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raw = read_optional(_path(home), MAX_BYTES, within=home.root) or b""
        sealed, _, body = raw.partition(b"\n")
        if not hmac.compare_digest(sealed, _seal(gate, body)):
            return None
        kept = json.loads(body)
        record: dict[str, Any] = kept["record"]
        stands = (kept["basis"], kept["derived"]) == (basis.sha256, _derived(home))
        if stands and kept["hour"] in ("", basis.hour) and kept["head"] == _head(read_ledger(gate)):
            return record
    return None


def keep(gate: Gate, ledger: Ledger, basis: Basis, record: Mapping[str, Any], *, by_the_hour: bool) -> None:
    """Keep what a page was made of, unless one of its files may have changed unseen; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        basis: As it was before the page was made.
        record: What the run prints.
        by_the_hour: Whether the page depends on the hour, too.
    """
    if basis.newest_ns + SETTLED_NS >= os.stat(gate.home.lock_path()).st_mtime_ns:
        return
    kept = {
        "v": 1,
        "basis": basis.sha256,
        "derived": _derived(gate.home),
        "head": _head(ledger),
        "hour": basis.hour if by_the_hour else "",
        "record": {**record, "changed": False},
    }
    body = json.dumps(kept, sort_keys=True).encode()
    replace_file(_path(gate.home), _seal(gate, body) + b"\n" + body, disposable=True)


def _path(home: Home) -> str:
    return os.path.join(home.staged_dir, "kept.json")


def _seal(gate: Gate, body: bytes) -> bytes:
    return seal(gate.ring, gate.home.identity.id, b"nightledger-kept-page@v1\n" + body)


def _head(ledger: Ledger) -> str:
    return f"{ledger.log.size} {ledger.log.tree.root().hex()}"


def _derived(home: Home) -> str:
    """Return a hash of the page, of what its lines rest on, and of how the search index looks, which others use, too."""
    made = [
        read_optional(path, MAX_BYTES)
        for path in (home.staged_context, os.path.join(home.staged_dir, "lines.json"))
    ]
    return _hash((made, list(_looks_in([home.search_dir]))))


def _hash(said: object) -> str:
    return hashlib.sha256(repr(said).encode("utf-8", "surrogateescape")).hexdigest()


def _shown(home: Home) -> str:
    """Return a hash of what was shown, without what sessions were shown at their start."""
    raw = read_optional(home.exposures, MAX_EXPOSURES_BYTES, within=home.root) or b""
    return hashlib.sha256(b"".join(line for line in raw.splitlines(True) if _STARTED not in line)).hexdigest()


def _folders(home: Home) -> Iterator[str]:
    yield from (home.config_dir, home.system_dir, home.proposals_dir, home.link_index_dir)
    yield from map(home.path, preset(home.identity.host).daily)
    yield from (home.archive_dir, home.archive_daily_dir, home.decisions_dir, home.quarantine_dir)
    yield from (one for one, _, _ in os.walk(home.blobs_dir))


def _looks_in(
    folders: Iterable[str], files: Iterable[str] = (), *, but: Container[str] = ()
) -> Iterator[Look]:
    """Return how the files of some folders look to stat(2), and other files; what is missing has no look."""
    for path in (
        *(entry.path for one in dict.fromkeys(folders) if os.path.isdir(one) for entry in os.scandir(one)),
        *files,
    ):
        with suppress(OSError):
            found = os.stat(path)
            if path not in but and stat.S_ISREG(found.st_mode):
                yield path, found.st_size, found.st_mtime_ns, found.st_ctime_ns

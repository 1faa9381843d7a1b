"""Whether the staged page that stands is the one that a run would make; then nothing is searched, and nothing written.

``.nightledger/staged/kept.json`` names every folder and file that staging reads, the audit log, the keys' folder and the
program among them, with a hash of how they looked to stat(2), of what was shown, and of what was made; and the record that the
run printed. It is disposable, and goes with the page.

Invariant: it counts under our own seal alone, made with a key that lies outside the home, and as long as not even the time
of change of a file (st_ctime, which no program sets) is another. So whatever was edited, the log too, is read and checked
anew; and so is a page, or an index, that is lost or not ours. Standard library only: hooks ask at each start.
"""

import hashlib
import hmac
import json
import os
import stat
import sys

from nightledger.domain.errors import NightledgerError
from nightledger.files.durable import read_optional, read_regular

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from nightledger.files.home import Home

    Look = tuple[str, int, int, int]

SETTLED_NS = 2_000_000_000
"""As of files in the search index: what was written within two seconds before may change unseen (FAT)."""
MAX_BYTES = 1 << 20
MAX_EXPOSURES_BYTES = 64 << 20
_STARTED = b'"event":"session_start"'
"""What a session's start shows says nothing of what is of use (``jobs/stage/__init__.py``), and each start appends such a line."""
_PURPOSE = b"nightledger-kept-page@v1\n"


class Basis:
    """What a page is made of, as it was before it was made.

    Attributes:
        folders: Whose files are read.
        files: Files that are read beside these.
        sha256: Of how all of them look, and of what was shown.
        newest_ns: When the newest of them was changed.
    """

    __slots__ = ("files", "folders", "newest_ns", "sha256")

    def __init__(self, home: "Home", folders: "Sequence[str]", files: "Sequence[str]") -> None:
        """Look at them."""
        self.folders, self.files = folders, files
        looks = sorted(_looks(folders, files, but=(home.exposures, home.runs)))
        self.newest_ns = max(max(look[2:]) for look in looks)
        shown = read_optional(home.exposures, MAX_EXPOSURES_BYTES, within=home.root) or b""
        told = [line for line in shown.splitlines() if _STARTED not in line]
        self.sha256 = _hash((sys.version, looks, told))


def find_kept(
    home: "Home", keys_dir: str, now_s: float, *, calendars: bool = False
) -> "Mapping[str, Any] | None":
    """Return the record of the run that made the page that stands; None where it is to be staged anew.

    Args:
        home: Whose.
        keys_dir: Where keys lie.
        now_s: The time, in seconds since 1970.
        calendars: Whether those that are named were asked, and tell of no event.
    """
    try:
        raw = read_optional(_path(home), MAX_BYTES, within=home.root) or b""
        sealed, _, body = raw.partition(b"\n")
        if not hmac.compare_digest(sealed, _seal(home, keys_dir, body)):
            return None
        kept = json.loads(body)
        record: dict[str, Any] = kept["record"]
        holds = kept["since"] <= now_s < kept["until"] and (calendars or not kept["calendars"])
        same = holds and kept["made"] == _made(home)
        return (
            record if same and kept["basis"] == Basis(home, kept["folders"], kept["files"]).sha256 else None
        )
    except (NightledgerError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def keep(home: "Home", keys_dir: str, basis: Basis, told: "Mapping[str, object]") -> None:
    """Keep what a page was made of, unless a file of it may have changed unseen; the caller holds the home's lock.

    Args:
        home: Whose.
        keys_dir: Where keys lie.
        basis: As it was before the page was made.
        told: ``record``; ``since`` and ``until``, in seconds since 1970, between which time alone makes no other page; and
            ``calendars``, whether some are named.

    Raises:
        MissingFileError: The log's key is missing.
    """
    if basis.newest_ns + SETTLED_NS >= os.stat(home.lock_path()).st_mtime_ns:
        return
    from nightledger.files.atomic import replace_file

    inputs = {"basis": basis.sha256, "folders": basis.folders, "files": basis.files, "made": _made(home)}
    record = json.dumps({"v": 1, **inputs, **told}, sort_keys=True, ensure_ascii=False)
    body = record.encode("utf-8", "surrogatepass")  # as it stands, so that an expunge finds it
    replace_file(_path(home), _seal(home, keys_dir, body) + b"\n" + body, disposable=True)


def _path(home: "Home") -> str:
    return os.path.join(home.staged_dir, "kept.json")


def _seal(home: "Home", keys_dir: str, body: bytes) -> bytes:
    """Return the HMAC-SHA256 (RFC 2104) of a body in hex, keyed with the file of the log's key."""
    key = read_regular(os.path.join(keys_dir, home.identity.id, "log-ed25519"), MAX_BYTES)
    return hmac.digest(key, _PURPOSE + body, "sha256").hex().encode("ascii")


def _made(home: "Home") -> str:
    """Return a hash of the page, of what its lines rest on, and of how the search index looks, which others use, too."""
    paths = (home.staged_context, os.path.join(home.staged_dir, "lines.json"))
    return _hash(([read_optional(path, MAX_BYTES) for path in paths], sorted(_looks([home.search_dir]))))


def _hash(said: object) -> str:
    return hashlib.sha256(repr(said).encode("utf-8", "surrogateescape")).hexdigest()


def _looks(
    folders: "Iterable[str]", files: "Iterable[str]" = (), *, but: "Sequence[str]" = ()
) -> "Iterator[Look]":
    """Yield path, size, time of writing and of change of each regular file; what is missing has no look."""
    inside = (entry.path for one in folders if os.path.isdir(one) for entry in os.scandir(one))
    for path in (*inside, *files):
        try:
            found = os.stat(path)
        except OSError:
            continue
        if path not in but and stat.S_ISREG(found.st_mode):
            yield path, found.st_size, found.st_mtime_ns, found.st_ctime_ns

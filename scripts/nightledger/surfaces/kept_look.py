"""A look that found all well is kept beside the pin: it spares a look at every file that was ever signed.

It is believed for the very files that the look saw, as stat(2) tells them (inode, size and both times), for this program
and for a day; of files that only grow, what stood there then is hashed again. With it is kept what is not asked about.
Whoever can write it can write the pin. Lost or edited, it costs a full look.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from glob import escape as glob_escape
from glob import glob
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nightledger import __version__
from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.decision import DecisionType, Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.folding import fold_entries
from nightledger.domain.states import Book, ChangeState
from nightledger.files.atomic import replace_file
from nightledger.files.durable import read_optional
from nightledger.files.line_log import hash_file, hash_prefixes
from nightledger.gate.gated import append_only
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.surfaces import clock
from nightledger.trust.audit import check_log
from nightledger.trust.event import collector_at_rest
from nightledger.trust.pin import Pin

if TYPE_CHECKING:
    from nightledger.surfaces.verbs.verify import Seen

NAME = "looked.json"
MAX_BYTES = 1 << 20
MOST_S = 26 * 3600
"""Each night verifies in full; the longest local day has 25 hours."""
SETTLED_NS = 1_000_000_000
"""A file changed within a second before the look is looked at again: clocks of file systems are coarse."""
_SIGNED = ("audit", "config/nightledger", "memory/state/proposals", "memory/archive")
_PINNED = ("pin.json", "head.json")
"""What lies beside the keys and says which log is ours."""


def find_kept(gate: Gate, pin: Pin | None) -> tuple[Ledger, list[dict[str, Any]] | None] | None:
    """Return the log and what it adds up to, where a look that found all well saw these very files; else None.

    The signatures of the log's head are those that it checked; what the log says was accepted is what was signed.
    Beside it stands what is not asked about, where the notes that say so are as they were; else None.

    Args:
        gate: Of the home.
        pin: What this machine pinned; without one nothing is believed.
    """
    if pin is None:
        return None
    try:
        kept = json.loads(read_optional(_path(gate), MAX_BYTES) or b"{}")
        passed_s = clock.system_now().timestamp() - kept["at"]
        known = kept["program"] == __version__ and 0 <= passed_s < MOST_S
        if not known or kept["files"] != _stamp(gate)[0]:
            return None
        for path, (size_bytes, sha256) in kept["grown"].items():
            if hash_prefixes(gate.home.path(path), [size_bytes])[size_bytes] != sha256:
                return None
        notes = {path: list(_look(gate.home.path(path))) for path in kept["notes"]}
        unasked = kept["unasked"] if notes == kept["notes"] else None
    except (NightledgerError, OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    log = check_log(gate.home, replace(pin, vkeys=(), former=()))
    if not log.report.ok:
        return None
    with collector_at_rest():
        return Ledger(log=log, book=fold_entries(log.entries())), unasked


def stamp_of(gate: Gate) -> str:
    """Return how the files of a home look to stat(2), for :func:`keep`; empty where one was changed a moment ago."""
    stamp, newest_ns = _stamp(gate)
    return stamp if clock.system_now().timestamp() * 1e9 - newest_ns > SETTLED_NS else ""


def keep(gate: Gate, seen: "Seen", stamp: str, at: Moment, unasked: list[dict[str, Any]]) -> None:
    """Keep that a look found nothing wrong, if it did; what cannot be kept is looked at again.

    Args:
        gate: Of the home.
        seen: What the look found.
        stamp: From :func:`stamp_of`, before it.
        at: The clocks.
        unasked: What is not asked about.
    """
    book = seen.book
    if not stamp or book is None or not seen.holds or seen.report.closed or list(seen.damaged):
        return
    asks = seen.witnesses is None or seen.witnesses.asks
    odd = seen.protected or book.cut_short or book.restored or book.trust.recent_resets(at)
    if asks or odd or any(book.is_disputed(path) for path in book.claimed):
        return
    try:
        grown = {path: one for path in append_only(gate.home) if (one := hash_file(gate.home.path(path)))}
        notes = {path: _look(gate.home.path(path)) for path in _notes(gate, book)}
        said = {"program": __version__, "at": clock.system_now().timestamp(), "files": stamp, "grown": grown}
        content = json.dumps({**said, "notes": notes, "unasked": unasked})
        replace_file(_path(gate), content.encode(), disposable=True)
    except (NightledgerError, OSError):
        return


def _notes(gate: Gate, book: Book) -> set[str]:
    """Return the files under whose headings something was answered, where anything was rejected."""
    if not any(one.type is DecisionType.REJECT for one in book.decisions.values()):
        return set()
    answered = frozenset(ChangeState) - {ChangeState.PENDING, ChangeState.DEFERRED}
    changes = (one for item in read_stored(gate, book, states=answered) for one in item.proposal.changes)
    return {evidence.path for change in changes for evidence in change.evidence[:1]}


def _path(gate: Gate) -> str:
    return os.fspath(gate.ring.path(gate.home.identity.id, NAME))


def _stamp(gate: Gate) -> tuple[str, int]:
    """Give a hash over what stat(2) says of every file that a full look reads, and the newest change among them."""
    home = gate.home
    own = [os.fspath(gate.ring.path(home.identity.id, name)) for name in _PINNED]
    folders = (os.path.join(glob_escape(home.root), name) for name in ("skills", "*/skills"))
    # of whatever host: home.json names it, and an agent can write that
    skills = [one for each in folders for one in glob(f"{each}/*/SKILL.md", include_hidden=True)]
    files = [*map(home.path, (*home.identity.gated, *PROTECTED_FILES)), *skills, *own]
    looks = [(path, _look(path)) for path in files]
    for folder in _SIGNED:
        looks += _looks(home.path(folder))
    looks.sort()
    newest = max((look[-1] for _, look in looks if look), default=0)
    return hashlib.sha256(repr(looks).encode()).hexdigest(), newest


def _looks(folder: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _looks(entry.path)
        else:
            yield entry.path, _look(entry.path)


def _look(path: str) -> tuple[int, ...]:
    """Return what lstat(2) says; nothing where there is no such file, or where it went since its folder was listed."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return ()
    return (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

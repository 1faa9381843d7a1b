"""Finish or take back what a crash cut short, before anything new begins.

Invariant: a gated file keeps the bytes that stand in it; bytes of a rival writer are kept
as blobs before their last name goes; the log then says what is true. What an operator did not
sign is never finished: who has the log's key could begin anything in the log, and let root end it.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from nightledger.domain.errors import UnreadableError
from nightledger.domain.event import EventName
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.moment import Moment
from nightledger.domain.states import Apply, Book
from nightledger.files.atomic import leftovers
from nightledger.files.blobs import BlobStore
from nightledger.files.reading import read_regular
from nightledger.gate.apply.writing import EMPTY_SHA256, PutBackError, Write, drop_empty, go_on
from nightledger.gate.gated import MAX_GATED_BYTES
from nightledger.gate.kept_files import read_target
from nightledger.gate.opening import Gate, Ledger, closing, record
from nightledger.text.changes.diff import changed_runs
from nightledger.text.markdown.document import split_lines


def recover(gate: Gate, ledger: Ledger, moment: Moment) -> bool:
    """Bring log and gated files together again; the caller holds the home's lock.

    Returns:
        Whether something was logged.
    """
    unfinished = ledger.book.unfinished()
    written = (target.path for apply in unfinished for target in apply.targets)
    found = {path: _leftovers(gate, path) for path in dict.fromkeys([*gate.home.identity.gated, *written])}
    for apply in unfinished:
        if ledger.book.cut_short[apply.id]:
            _recover_one(gate, apply, found, moment)
        else:
            record(gate, [(EventName.APPLY_ABORTED, {"apply": apply.id, "reason": "unsigned"})], moment)
    for names in found.values():
        for name in names:
            os.unlink(name)
    drop_empty(gate.home, _emptied(ledger.book))
    return _withdraw_edits(gate, ledger.book, moment) or bool(unfinished)


def is_behind(gate: Gate, book: Book) -> bool:
    """Tell whether an earlier run left something to finish."""
    return bool(book.unfinished()) or any(_is_empty(gate.home.path(path)) for path in _emptied(book))


def _emptied(book: Book) -> list[str]:
    """Give the files that an undo emptied last: those of the archive are to go."""
    return [path for path, sha256 in book.kept.items() if sha256 == EMPTY_SHA256]


def _is_empty(path: str) -> bool:
    return os.path.lexists(path) and os.lstat(path).st_size == 0


def _leftovers(gate: Gate, path: str) -> dict[str, bytes]:
    """Give what runs that died left beside a gated file; kept as blobs when this returns."""
    blobs = BlobStore(gate.home.blobs_dir)
    found: dict[str, bytes] = {}
    try:
        directory, own = os.path.split(gate.home.resolve(path))
    except UnreadableError:
        return found  # a link out of the home: nothing of ours was ever written there
    for name in leftovers(directory):
        if not os.path.basename(name).startswith(f".{own[:100]}."):
            continue
        try:
            found[name] = read_regular(name, MAX_GATED_BYTES)
        except UnreadableError:
            continue  # a link, a FIFO, a giant: no file of ours
        blobs.put(found[name])
    return found


def _recover_one(gate: Gate, apply: Apply, found: Mapping[str, Mapping[str, bytes]], moment: Moment) -> None:
    """Finish an apply of which some file has its new bytes, because files change together; else abort it."""
    blobs = BlobStore(gate.home.blobs_dir)
    writes = [Write(path=t.path, before=blobs.get(t.before), after=blobs.get(t.after)) for t in apply.targets]
    replaced = [_replaced(gate, write, list(found.get(write.path, {}).values())) for write in writes]
    if not any(replaced):
        record(gate, [(EventName.APPLY_ABORTED, {"apply": apply.id, "reason": "crash"})], moment)
        return
    done = {write.path: before for write, before in zip(writes, replaced, strict=True)}
    with suppress(PutBackError):
        go_on(gate, apply.id, writes, done, moment)


def _replaced(gate: Gate, write: Write, found: Sequence[bytes]) -> list[str]:
    """Give the hashes of what the new bytes replaced; none when they were never put in place.

    What was left beside the file is either our own new bytes, perhaps not all of them, or what
    was replaced. Where nothing was left the file itself tells; and where it holds what it held, whatever lies
    beside it: anybody may have put that there.
    """
    present = read_target(gate.home, write.path)
    if present == write.before:
        return []
    replaced = [
        hashlib.sha256(content).hexdigest() for content in found if not _is_part(content, write.after)
    ]
    if replaced:
        return replaced
    return [hashlib.sha256(write.before).hexdigest()] if _comes_from_after(present, write) else []


def _is_part(content: bytes, whole: bytes) -> bool:
    """Tell whether bytes are what power loss leaves of a write: cut short, or zeros where it did not come."""
    return len(content) <= len(whole) and all(
        one in (0, other) for one, other in zip(content, whole, strict=False)
    )


def _comes_from_after(present: bytes, write: Write) -> bool:
    """Tell whether a file's bytes are the new ones, or a later writer's edit of them."""
    return _distance(present, write.after) < _distance(present, write.before)


def _distance(one: bytes, other: bytes) -> int:
    lines = [split_lines(text.decode("utf-8", "surrogateescape")) for text in (one, other)]
    runs = changed_runs(*lines)
    return sum(run.old_stop - run.old_start + run.new_stop - run.new_start for run in runs)


def _withdraw_edits(gate: Gate, book: Book, moment: Moment) -> bool:
    """Close operators' edits that were not signed at once: nobody is asked about them again."""
    unsigned = [s for s in book.live() if s.lane == EDIT_LANE and s.open_changes()]
    for status in unsigned:
        record(gate, [closing(status.id, status.open_changes())], moment)
    return bool(unsigned)

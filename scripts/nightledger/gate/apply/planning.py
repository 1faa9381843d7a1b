"""What approved changes make of their files now: new bytes, what is asked again, what waits for drift.

Invariant: a change is placed in all of its files or in none; changes of text in several gated files
stand or fall together, as they were signed; what is archived, compressed or forgotten stands alone.
"""

import hashlib
from collections.abc import Mapping, Sequence

from msgspec import Struct

from nightledger.domain.decision import Decision
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import LETTING_GO, files_of, parts_of
from nightledger.domain.proposal import Anchor, Change
from nightledger.domain.states import Book
from nightledger.gate.apply.placing import (
    DRIFTED,
    LOST,
    anchors_of,
    bytes_of,
    carry,
    place_around,
    place_edit,
    put_changes,
    read_accepted,
    text_of,
)
from nightledger.gate.apply.writing import Write
from nightledger.gate.kept_files import is_gated, read_target
from nightledger.gate.opening import Gate
from nightledger.gate.stored import Stored
from nightledger.text.changes.sections import is_made_of, keeps

TOGETHER = "another of its files has changed, and its files change together or not at all"
ELSEWHERE = (
    "a heading above its lines was changed outside Nightledger, or something else in their section: answer that first "
    "('nightledger review')"
)


class Plan(Struct, frozen=True, kw_only=True):
    """What an apply would do now.

    Attributes:
        writes: New bytes of each file.
        stale: For each change that is asked again, its number and why.
        waits: For each change whose section drifted, its number and why.
    """

    writes: tuple[Write, ...]
    stale: Mapping[int, str]
    waits: Mapping[int, str]


def plan_apply(gate: Gate, book: Book, stored: Stored, decision: Decision, live: Sequence[int]) -> Plan:
    """Place changes on the bytes of now; what has no place takes no other with it but where all were signed as one.

    Args:
        gate: The home.
        book: What its log adds up to.
        stored: The proposal.
        decision: As signed.
        live: Numbers of the changes that are approved and still to be applied.
    """
    changes = [change for change in stored.proposal.changes if change.n in live]
    before, stale = _read(gate, changes)
    waits: dict[int, str] = {}
    while True:
        left = [change for change in changes if change.n not in stale and change.n not in waits]
        writes, lost, waiting = _writes(gate, book, stored, decision, left, before)
        _join(changes, stale | lost, lost)
        _join(left, waiting, waiting, why=DRIFTED)
        if not lost and not waiting:
            return Plan(writes=tuple(writes), stale=stale, waits=waits)
        stale |= lost
        waits = {n: why for n, why in (waits | waiting).items() if n not in stale}


def _join(
    changes: Sequence[Change], known: Mapping[int, str], into: dict[int, str], *, why: str = TOGETHER
) -> None:
    """Let changes of text in several files share their fate: where one is named, all are."""
    texts = [change for change in changes if change.op not in LETTING_GO]
    if len({change.target for change in texts}) > 1 and any(change.n in known for change in texts):
        into |= {change.n: why for change in texts if change.n not in known}


def _read(gate: Gate, changes: Sequence[Change]) -> tuple[dict[str, bytes], dict[int, str]]:
    """Read every file once; a change whose log or archive cannot be read has no place."""
    before: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    for path in files_of(changes):
        try:
            before[path] = read_target(gate.home, path)
        except NightledgerError as error:
            if is_gated(gate.home, path):
                raise
            unread[path] = str(error)
    stale = {
        change.n: unread[part.target]
        for change in changes
        for part in parts_of(change)
        if part.target in unread
    }
    return before, stale


def _writes(
    gate: Gate,
    book: Book,
    stored: Stored,
    decision: Decision,
    changes: Sequence[Change],
    before: Mapping[str, bytes],
) -> tuple[list[Write], dict[int, str], dict[int, str]]:
    writes: list[Write] = []
    stale: dict[int, str] = {}
    waits: dict[int, str] = {}
    gated = [path for path in files_of(changes) if is_gated(gate.home, path)]
    for path in gated:
        own = [change for change in changes if change.target == path]
        place = _edited if stored.proposal.lane == EDIT_LANE else _gated
        write, lost, waiting = place(gate, book, decision, path, own, before[path])
        writes.append(write)
        stale |= lost
        waits |= waiting
    texts = {path: text_of(content) for path, content in before.items() if path not in gated}
    after, unplaced = put_changes(texts, changes)
    writes += [_kept(path, texts[path], after[path], changes) for path in files_of(changes) if path in texts]
    return writes, stale | dict(unplaced), waits


def _kept(path: str, before: str, after: str, changes: Sequence[Change]) -> Write:
    """Return the new bytes of a daily log or of a file of the archive, with what is new text in it."""
    parts = [part for change in changes for part in parts_of(change) if part.target == path]
    fresh = "".join(part.hunk.added for part in parts if part.hunk.anchor is not Anchor.COPY)
    return Write(path=path, before=bytes_of(before), after=bytes_of(after), fresh=fresh)


_Placed = tuple[Write, dict[int, str], dict[int, str]]
"""New bytes of a file, the changes that are asked again, and those that wait for drift to be settled."""


def _gated(
    gate: Gate, book: Book, decision: Decision, path: str, changes: Sequence[Change], before: bytes
) -> _Placed:
    is_accepted = hashlib.sha256(before).hexdigest() == book.accepted_of(path)
    accepted = before if is_accepted else read_accepted(gate.home, book, path)
    if accepted is None:
        unchanged = Write(path=path, before=before, after=before)
        return unchanged, {}, dict.fromkeys((change.n for change in changes), LOST)
    around = place_around(accepted, before, changes, anchors_of(decision, path))
    write = Write(path=path, before=before, after=around.after)
    if not is_accepted:
        write = Write(
            path=path, before=before, after=around.after, accepted_before=accepted, accepted=around.accepted
        )
    return write, dict(around.stale), dict(around.waiting)


def _edited(
    gate: Gate, book: Book, decision: Decision, path: str, changes: Sequence[Change], before: bytes
) -> _Placed:
    """Place an operator's edit: at once or not at all."""
    edited = place_edit(before, changes, anchors_of(decision, path))
    made = own_write(gate, book, path, before, edited.after)
    if isinstance(made, str):
        unchanged = Write(path=path, before=before, after=before)
        return unchanged, dict.fromkeys((change.n for change in changes), made), {}
    return made, dict(edited.stale), {}


def own_write(
    gate: Gate, book: Book, path: str, before: bytes, after: bytes, undone: tuple[str, str] | None = None
) -> Write | str:
    """Return what an operator's own edit or undo writes to a gated file, around what drifted; or why it may not.

    Args:
        gate: The home.
        book: What its log adds up to.
        path: The file.
        before: Its bytes.
        after: Its new bytes, as the operator saw them.
        undone: Of an undo, the text without what it takes back, and the one with it.
    """
    if hashlib.sha256(before).hexdigest() == book.accepted_of(path):
        return Write(path=path, before=before, after=after)
    accepted = read_accepted(gate.home, book, path)
    if accepted is None:
        return LOST
    carried = carry(accepted, before, after)
    steps = [(text_of(before), text_of(after)), *([(undone[1], undone[0])] if undone else [])]
    made, signed = text_of(carried), text_of(accepted)
    if not (is_made_of(made, [signed], steps) and keeps(made, signed, text_of(after))):
        return ELSEWHERE
    return Write(path=path, before=before, after=after, accepted_before=accepted, accepted=carried)

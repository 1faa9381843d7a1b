"""What approved changes make of their files now: new bytes, what lost its place, what waits for drift.

Invariant: a change is placed in all of its files or in none; changes of text in several gated files
stand or fall together, as they were signed; what is archived, compressed or forgotten stands alone.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nightledger.domain.decision import Decision
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import LETTING_GO, files_of, parts_of
from nightledger.domain.proposal import Anchor, Change, Hunk
from nightledger.domain.states import Book
from nightledger.gate.apply.around import (
    ELSEWHERE,
    LOST,
    TOUCHES,
    carry,
    lands_elsewhere,
    place_around,
    read_accepted,
)
from nightledger.gate.apply.parts import put_changes
from nightledger.gate.apply.shown import Shown, read_shown
from nightledger.gate.apply.writing import Write
from nightledger.gate.kept_files import is_gated, read_target
from nightledger.gate.opening import Gate
from nightledger.gate.proposing.hunks import why_not
from nightledger.gate.stored import Stored
from nightledger.text.changes.place import Applied, apply_hunks
from nightledger.text.changes.standing import effect, has_moved, is_alone, standing

TOGETHER = "another of its files has changed, and its files change together or not at all"


MOVED = "its lines stand under another heading than when it was proposed"
UNKEPT = "the bytes that it was shown against are kept nowhere, so nobody can tell under which labels"
"""Why a change stays out whose file is not as it was signed, and nobody knows how it was shown."""
NONE_AWAY: Mapping[int, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an apply would do now.

    Attributes:
        writes: New bytes of each file.
        stale: For each change that has no place any more, its number and why.
        waits: For each change that touches what drifted, its number and why.
    """

    writes: tuple[Write, ...]
    stale: Mapping[int, str]
    waits: Mapping[int, str]


def plan_apply(
    gate: Gate, book: Book, stored: Stored, live: Sequence[int], *, away: Mapping[int, str] = NONE_AWAY
) -> Plan:
    """Place changes on the bytes of now; what has no place takes no other with it but where all were signed as one.

    Args:
        gate: The home.
        book: What its log adds up to.
        stored: The proposal.
        live: Numbers of the changes that are approved and still to be applied.
        away: Those that have no place for another reason, and why.
    """
    changes = [change for change in stored.proposal.changes if change.n in live]
    before, stale = _read(gate, changes)
    stale |= away
    waits: dict[int, str] = {}
    while True:
        left = [change for change in changes if change.n not in stale and change.n not in waits]
        writes, lost, waiting = _writes(gate, book, stored, left, before)
        _join(changes, stale | lost, lost)
        _join(left, waiting, waiting, why=TOUCHES)
        if not lost and not waiting:
            return Plan(writes=tuple(writes), stale=stale, waits=waits)
        stale |= lost
        waits = {n: why for n, why in (waits | waiting).items() if n not in stale}


def moved_since(
    gate: Gate, book: Book, stored: Stored, plan: Plan, decision: Decision, live: Sequence[int]
) -> dict[int, str]:
    """Give the changes whose lines went under another heading since they were signed, and why they stay out.

    Where a file goes from the very bytes that were signed to those that were signed, it was shown so. In the
    bytes accepted before, which nobody was shown, the lines have to stand under the same headings then.

    Args:
        gate: The home.
        book: What its log adds up to.
        stored: The proposal.
        plan: What an apply would do now.
        decision: As signed.
        live: Numbers of the changes that the plan was made for.
    """
    exact = {(target.path, target.base, target.result) for target in decision.targets}
    placed = {n for n in live if n not in plan.stale and n not in plan.waits}
    moved: dict[int, str] = {}
    for write in plan.writes:
        if not is_gated(gate.home, write.path):
            continue
        done = (write.path, *(hashlib.sha256(content).hexdigest() for content in (write.before, write.after)))
        shown = (
            Shown(text=_text(write.before), accepted=False)
            if done in exact
            else read_shown(gate, book, write, decision)
        )
        changes = [c for c in stored.proposal.changes if c.target == write.path and c.n in placed]
        why = UNKEPT if shown.text is None else MOVED
        moved |= dict.fromkeys(_gone_elsewhere(write, changes, shown, exact=done in exact), why)
    return moved


def _gone_elsewhere(write: Write, changes: Sequence[Change], shown: Shown, *, exact: bool) -> Iterator[int]:
    """Give the changes that stand elsewhere than they were shown, each on what those before it leave."""
    texts = [_text(write.before), _text(write.accepted_before or write.before)]
    for change in changes:
        if _is_elsewhere(texts, change.hunk, shown, exact=exact):
            yield change.n
        puts = [apply_hunks(text, [change.hunk]) for text in texts]
        texts = [
            put.text if isinstance(put, Applied) else text for put, text in zip(puts, texts, strict=True)
        ]


def _is_elsewhere(texts: Sequence[str], hunk: Hunk, shown: Shown, *, exact: bool) -> bool:
    """Tell whether lines stand elsewhere than they were shown, or may do so where those bytes are not kept.

    Under labels that nobody can compare any more nothing is put; nor anywhere, where the labels that
    were shown may have drifted in.
    """
    if shown.text is None and not shown.accepted:
        return True
    there = [standing(text, hunk) for text in texts]
    then = None if shown.text is None else standing(shown.text, hunk)
    if not exact and any(has_moved(text, hunk) for text in texts):
        return True
    if shown.text is not None and then is None and not exact:
        return True
    if shown.text is None or then is None:
        return not all(is_alone(effect(text, hunk), hunk) for text in texts)
    seen = effect(shown.text, hunk)
    if any(effect(text, hunk) - seen for text in dict.fromkeys(texts)):
        return True
    return any(one != then for one in there if exact or one is not None)


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
    gate: Gate, book: Book, stored: Stored, changes: Sequence[Change], before: Mapping[str, bytes]
) -> tuple[list[Write], dict[int, str], dict[int, str]]:
    writes: list[Write] = []
    stale: dict[int, str] = {}
    waits: dict[int, str] = {}
    gated = [path for path in files_of(changes) if is_gated(gate.home, path)]
    for path in gated:
        own = [change for change in changes if change.target == path]
        write, lost, waiting = _gated(gate, book, stored, path, own, before[path])
        writes.append(write)
        stale |= dict(lost)
        waits |= dict(waiting)
    texts = {path: _text(content) for path, content in before.items() if path not in gated}
    after, lost = put_changes(texts, changes)
    writes += [_kept(path, texts[path], after[path], changes) for path in files_of(changes) if path in texts]
    return writes, stale | dict(lost), waits


def _kept(path: str, before: str, after: str, changes: Sequence[Change]) -> Write:
    """Give the new bytes of a daily log or of a file of the archive, with what is new text in it."""
    parts = [part for change in changes for part in parts_of(change) if part.target == path]
    fresh = "".join(part.hunk.added for part in parts if part.hunk.anchor is not Anchor.COPY)
    return Write(path=path, before=_bytes(before), after=_bytes(after), fresh=fresh)


def _gated(
    gate: Gate, book: Book, stored: Stored, path: str, changes: Sequence[Change], before: bytes
) -> tuple[Write, Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
    """Give new bytes of a file, the changes without a place, and those that wait for drift to be settled."""
    if hashlib.sha256(before).hexdigest() == book.accepted_of(path):
        after, lost = place_changes(before, changes)
        return Write(path=path, before=before, after=after), lost, ()
    if stored.proposal.lane == EDIT_LANE:  # made at once or not at all
        after, lost = place_changes(before, changes)
        made = own_write(gate, book, path, before, after)
        if isinstance(made, str):
            return Write(path=path, before=before, after=before), [(change.n, made) for change in changes], ()
        return made, lost, ()
    signed = read_accepted(gate.home, book, path)
    if signed is None:
        return Write(path=path, before=before, after=before), (), [(change.n, LOST) for change in changes]
    around = place_around(signed, before, changes)
    write = Write(
        path=path, before=before, after=around.after, accepted_before=signed, accepted=around.accepted
    )
    return write, around.stale, around.waiting


def own_write(gate: Gate, book: Book, path: str, before: bytes, after: bytes) -> Write | str:
    """Give what an operator's own edit or undo writes to a gated file, around what drifted; or why it may not.

    Args:
        gate: The home.
        book: What its log adds up to.
        path: The file.
        before: Its bytes.
        after: Its new bytes, as the operator saw them.
    """
    if hashlib.sha256(before).hexdigest() == book.accepted_of(path):
        return Write(path=path, before=before, after=after)
    signed = read_accepted(gate.home, book, path)
    if signed is None:
        return LOST
    carried = carry(signed, before, after)
    if lands_elsewhere(before, after, signed, carried):
        return ELSEWHERE
    return Write(path=path, before=before, after=after, accepted_before=signed, accepted=carried)


def place_changes(before: bytes, changes: Sequence[Change]) -> tuple[bytes, list[tuple[int, str]]]:
    """Place each change that still has exactly one place; name the others.

    Returns:
        The new bytes, and for each change without a place its number and why.
    """
    text = _text(before)
    placed: list[Change] = []
    stale: list[tuple[int, str]] = []
    result = text
    for change in changes:
        attempt = apply_hunks(text, [*(other.hunk for other in placed), change.hunk])
        if isinstance(attempt, Applied):
            placed.append(change)
            result = attempt.text
        else:
            stale.append((change.n, why_not(attempt)))
    return _bytes(result), stale


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")

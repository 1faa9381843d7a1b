"""What a file would hold had some applied changes never been made, and all others had.

Invariant: changes are placed in the order in which they were applied, on bytes that stood there
before all of them; where one of them has no place, nothing is guessed.
"""

import sys
from collections.abc import Collection, Container, Iterable, Iterator, Sequence

from msgspec.structs import replace

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.kept import parts_of
from nightledger.domain.proposal import Anchor, Change
from nightledger.domain.states import AppliedTarget, Apply, Book, ChangeState
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.placing import put_changes
from nightledger.gate.opening import Gate
from nightledger.gate.stored import read_proposal
from nightledger.text.changes.course import UNJOINED, trace
from nightledger.text.changes.merge import merge3
from nightledger.text.markdown.document import decode


def replay_without(
    gate: Gate, book: Book, path: str, apply: Apply, wanted: Container[int]
) -> tuple[str, str] | None:
    """Give a file without some changes, and with them, all others that stand today apart.

    Two removals from one place come back in their old order whichever is taken back first: both
    texts begin before the older of the two. What others wrote in between is in neither text.

    Args:
        gate: The home.
        book: Its log, folded.
        path: The file.
        apply: The one that made the changes.
        wanted: Numbers of the changes to leave out.

    Returns:
        Both texts (``surrogateescape``); None where bytes that it takes are gone, or one of the
        other changes rests on what is left out, or it is no approval that made them.
    """
    if book.decisions[apply.decision].type is not DecisionType.APPROVE:
        return None
    steps = [one for one in book.applies.values() if one.outcome != "aborted" and _before(one, path)]
    first = _first(book, steps, apply)
    try:
        made = list(_standing(gate, book, path, steps[first:]))
        document = decode(BlobStore(gate.home.blobs_dir).get(_before(steps[first], path)))
        left = [
            (
                step,
                [change for change in changes if step.proposal != apply.proposal or change.n not in wanted],
            )
            for step, changes in made
        ]
        without, with_all = _replay(gate, path, document, left), _replay(gate, path, document, made)
    except NightledgerError:
        return None
    return None if without is None or with_all is None else (without, with_all)


def _before(apply: Apply, path: str) -> str:
    """Give the hash of what an apply found in a file; empty where it did not write it."""
    return next((target.before for target in apply.targets if target.path == path), "")


def _first(book: Book, steps: Sequence[Apply], apply: Apply) -> int:
    """Give the place of the oldest apply that was taken back, in part or whole, after ``apply`` or after such a one."""
    first = at = next(n for n, one in enumerate(steps) if one.id == apply.id)
    while True:
        undone = [
            (one.proposal, set(one.changes))
            for one in steps[at + 1 :]
            if book.decisions[one.decision].type is DecisionType.UNDO
        ]
        at = next(
            (
                n
                for n, one in enumerate(steps[:first])
                if book.decisions[one.decision].type is DecisionType.APPROVE
                and any(one.proposal == name and numbers & set(one.changes) for name, numbers in undone)
            ),
            first,
        )
        if at == first:
            return first
        first = at


def _standing(
    gate: Gate, book: Book, path: str, steps: Iterable[Apply]
) -> Iterator[tuple[Apply, list[Change]]]:
    """Yield what each apply did to a file that is applied today, in order.

    Raises:
        NightledgerError: The text of a proposal is gone.
    """
    for one in steps:
        status = book.proposals[one.proposal]
        numbers = [n for n in one.changes if status.state_of(n) is ChangeState.APPLIED]
        if numbers and book.decisions[one.decision].type is DecisionType.APPROVE:
            changes = read_proposal(gate, status).proposal.changes
            yield one, [c for c in changes if c.n in numbers and any(p.target == path for p in parts_of(c))]


def _replay(
    gate: Gate, path: str, document: str, steps: Iterable[tuple[Apply, Sequence[Change]]]
) -> str | None:
    """Return a file with changes placed in it again; None where one of them has no place."""
    for step, changes in steps:
        if any(change.hunk.anchor is Anchor.FILE_LINES for change in changes):
            target = next(target for target in step.targets if target.path == path)
            before, after = bytes_of_edit(gate, target, {change.n for change in changes})
            merged = merge3(before, document, after)
            if merged is None:
                return None
            document = merged
            continue
        placed, lost = put_changes({path: document}, [_by_text(change) for change in changes])
        if lost:
            return None
        document = placed[path]
    return document


def _by_text(change: Change) -> Change:
    """Return a change that finds its lines by what they say alone: the line that it names was counted in another text."""
    is_lines = change.hunk.anchor is Anchor.LINES
    return replace(change, hunk=replace(change.hunk, line=sys.maxsize)) if is_lines else change


def bytes_of_edit(gate: Gate, target: AppliedTarget, numbers: Collection[int]) -> tuple[str, str]:
    """Return the text that an operator's edit began with, and what those of its changes made of it."""
    blobs = BlobStore(gate.home.blobs_dir)
    course = trace(*(decode(blobs.get(sha256)) for sha256 in (target.before, target.after)), most=UNJOINED)
    return course.rebuild(()), course.rebuild(numbers)

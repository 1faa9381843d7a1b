"""What a file would hold had some applied changes never been made, and all others had.

Invariant: changes are placed in the order in which they were applied, on bytes that stood there
before all of them; where one of them has no place, nothing is guessed.
"""

from collections.abc import Container, Iterable, Iterator, Sequence

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.kept import parts_of
from nightledger.domain.proposal import Change
from nightledger.domain.states import Apply, Book, ChangeState
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.placing import put_changes
from nightledger.gate.opening import Gate
from nightledger.gate.stored import read_proposal


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
        changes = list(_standing(gate, book, path, steps[first:]))
        before = BlobStore(gate.home.blobs_dir).get(_before(steps[first], path))
    except NightledgerError:
        return None
    document = before.decode("utf-8", "surrogateescape")
    kept = [change for of, change in changes if of != apply.proposal or change.n not in wanted]
    without, with_all = _put(path, document, kept), _put(path, document, [change for _, change in changes])
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


def _standing(gate: Gate, book: Book, path: str, steps: Iterable[Apply]) -> Iterator[tuple[str, Change]]:
    """Give each change of a file that is applied today, with the id of its proposal, in order.

    Raises:
        NightledgerError: The text of a proposal is gone.
    """
    for one in steps:
        status = book.proposals[one.proposal]
        numbers = [n for n in one.changes if status.state_of(n) is ChangeState.APPLIED]
        if numbers and book.decisions[one.decision].type is DecisionType.APPROVE:
            for change in read_proposal(gate, status).proposal.changes:
                if change.n in numbers and any(part.target == path for part in parts_of(change)):
                    yield one.proposal, change


def _put(path: str, document: str, changes: Iterable[Change]) -> str | None:
    placed, lost = put_changes({path: document}, changes)
    return None if lost else placed[path]

"""What the operator had forgotten, as a fold of proposals: nobody proposes it again.

Invariant: from when a forgetting is signed until it is undone, or its operator puts the very
words back, no job's and no agent's draft says it again, with new evidence or in other words.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book, ChangeState
from nightledger.gate.stored import Stored
from nightledger.text.forgetting.forgotten import Forgotten
from nightledger.text.similar import fold

_SIGNED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED})


def read_forgotten(stored: Iterable[Stored], book: Book) -> Forgotten:
    """Give what is forgotten now.

    Args:
        stored: All proposals.
        book: What became of them.
    """
    known = list(stored)
    taken_out = list(_taken_out(known, book))
    put_back = _put_back(known, book) if taken_out else {}
    return Forgotten(text for text, since in taken_out if put_back.get(fold(text), since) <= since)


def _taken_out(stored: Iterable[Stored], book: Book) -> Iterator[tuple[str, datetime]]:
    """Give what signed forgettings took out, and since when."""
    for item in stored:
        if item.proposal.kind is Kind.FORGET:
            statuses = book.proposals[item.proposal.id].changes
            for change in item.proposal.changes:
                status = statuses[change.n]
                if status.state in _SIGNED and status.since is not None:
                    yield change.hunk.removed, status.since


def _put_back(stored: Iterable[Stored], book: Book) -> dict[str, datetime]:
    """Give what an operator's own edits and reversals put in, by its wording, and when."""
    put_back: dict[str, datetime] = {}
    for item in stored:
        if item.proposal.lane == EDIT_LANE or item.proposal.kind is Kind.REVERSAL:
            statuses = book.proposals[item.proposal.id].changes
            for change in item.proposal.changes:
                status = statuses[change.n]
                if status.state is ChangeState.APPLIED and status.since is not None and change.hunk.added:
                    wording = fold(change.hunk.added)
                    put_back[wording] = max(status.since, put_back.get(wording, status.since))
    return put_back

"""What waits for an answer, as a review shows it, and the answers.

Invariant: what is shown, hashed and signed are the same bytes, read once.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import AlteredError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.proposal import Change
from nightledger.domain.states import ProposalStatus
from nightledger.gate.gated import read_gated
from nightledger.gate.hunks import readable_diff, why_not
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored, read_proposal
from nightledger.gate.told import NOTHING, told_by
from nightledger.text.place import Applied, apply_hunks
from nightledger.text.scan import told_values


class Verb(StrEnum):
    """An operator's answer to one change."""

    APPROVE = "approve"
    REJECT = "reject"
    LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the operator said about one change.

    Attributes:
        proposal: Id.
        n: Number of the change.
        verb: The answer.
        reason: The operator's words for a rejection.
    """

    proposal: str
    n: int
    verb: Verb
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One change as the review shows it, against the bytes of now.

    Attributes:
        stored: Its proposal, checked.
        status: The proposal's state.
        change: The change.
        diff: Unified diff against the file as it is now; empty when it has no place.
        unplaced: Why it has no place now; empty when it has.
        told: What the gated files and the proposals shown with it tell as secrets.
    """

    stored: Stored
    status: ProposalStatus
    change: Change
    diff: str
    unplaced: str
    told: frozenset[str] = NOTHING


def read_documents(gate: Gate) -> dict[str, str]:
    """Read every gated file once, as text (``surrogateescape``)."""
    return {
        path: read_gated(gate.home, path).decode("utf-8", "surrogateescape")
        for path in gate.home.identity.gated
    }


def list_items(gate: Gate, ledger: Ledger, documents: Mapping[str, str]) -> list[Item]:
    """Give every change that waits for an answer, oldest proposal first; altered proposals are set aside."""
    waiting: list[tuple[Stored, ProposalStatus]] = []
    for status in ledger.book.live():
        if status.lane != EDIT_LANE and status.answerable(DecisionType.APPROVE):
            with suppress(AlteredError):
                waiting.append((read_proposal(gate, status), status))
    return items_in(waiting, DecisionType.APPROVE, documents)


def items_of(
    gate: Gate, status: ProposalStatus, kind: DecisionType, documents: Mapping[str, str]
) -> list[Item]:
    """Give the changes of one proposal that a decision of this kind may be about.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    if not status.answerable(kind):
        return []
    return items_in([(read_proposal(gate, status), status)], kind, documents)


def items_in(
    waiting: Sequence[tuple[Stored, ProposalStatus]], kind: DecisionType, documents: Mapping[str, str]
) -> list[Item]:
    """Give the changes of some proposals that such a decision may be about; ``documents`` hold their targets."""
    told = told_by(documents, [stored.proposal for stored, _ in waiting])
    return [
        _item(stored, status, change, documents[change.target], told)
        for stored, status in waiting
        for change in stored.proposal.changes
        if change.n in status.answerable(kind)
    ]


def _item(
    stored: Stored, status: ProposalStatus, change: Change, document: str, told: frozenset[str]
) -> Item:
    placed = apply_hunks(document, [change.hunk])
    diff, why = "", ""
    if isinstance(placed, Applied):
        values = told | told_values(placed.text)
        diff = readable_diff(document, placed.text, path=change.target, told=values)
    else:
        why = why_not(placed)
    return Item(stored=stored, status=status, change=change, diff=diff, unplaced=why, told=told)

"""What waits for an answer, as a review shows it, and the answers.

Invariant: what is shown, hashed and signed are the same bytes, read once.
"""

from collections.abc import Mapping
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
from nightledger.text.place import Applied, apply_hunks


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
    """

    stored: Stored
    status: ProposalStatus
    change: Change
    diff: str
    unplaced: str


def read_documents(gate: Gate) -> dict[str, str]:
    """Read every gated file once, as text (``surrogateescape``)."""
    return {
        path: read_gated(gate.home, path).decode("utf-8", "surrogateescape")
        for path in gate.home.identity.gated
    }


def list_items(gate: Gate, ledger: Ledger, documents: Mapping[str, str]) -> list[Item]:
    """Give every change that waits for an answer, oldest proposal first; altered proposals are set aside."""
    items = []
    for status in ledger.book.proposals.values():
        if status.lane != EDIT_LANE:
            with suppress(AlteredError):
                items += items_of(gate, status, DecisionType.APPROVE, documents)
    return items


def items_of(
    gate: Gate, status: ProposalStatus, kind: DecisionType, documents: Mapping[str, str]
) -> list[Item]:
    """Give the changes of one proposal that a decision of this kind may be about.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    numbers = status.answerable(kind)
    if not numbers:
        return []
    stored = read_proposal(gate, status)
    changes = [change for change in stored.proposal.changes if change.n in numbers]
    return [item_of(stored, status, change, documents) for change in changes]


def item_of(stored: Stored, status: ProposalStatus, change: Change, documents: Mapping[str, str]) -> Item:
    """Give one change against the files as they are given; they must hold its target."""
    document = documents[change.target]
    placed = apply_hunks(document, [change.hunk])
    if isinstance(placed, Applied):
        diff = readable_diff(document, placed.text, path=change.target)
        return Item(stored=stored, status=status, change=change, diff=diff, unplaced="")
    return Item(stored=stored, status=status, change=change, diff="", unplaced=why_not(placed))

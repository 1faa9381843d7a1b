"""What waits for an answer, as a review shows it, and the answers.

Invariant: what is shown, hashed and signed are the same bytes, read once.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.lanes import DRIFT
from nightledger.domain.proposal import Change, Kind
from nightledger.domain.states import ProposalStatus
from nightledger.gate.gated import read_gated
from nightledger.gate.hunks import readable_diff, why_not
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.protected import read_watched
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
    """Give every change that waits for an answer: what drifted first, then the oldest proposal first.

    Altered proposals are set aside.
    """
    items: list[Item] = []
    for status in ledger.book.proposals.values():
        if status.lane != EDIT_LANE:
            with suppress(AlteredError):
                items += items_of(gate, status, DecisionType.APPROVE, documents)
    return sorted(items, key=lambda item: item.status.lane != DRIFT)


def items_of(
    gate: Gate, status: ProposalStatus, kind: DecisionType, documents: Mapping[str, str]
) -> list[Item]:
    """Give the changes of one proposal that a decision of this kind may be about.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    is_drift = status.kind is Kind.DRIFT and kind is not DecisionType.UNDO
    numbers = status.answerable(DecisionType.DRIFT if is_drift else kind)
    if not numbers:
        return []
    stored = read_proposal(gate, status)
    changes = [change for change in stored.proposal.changes if change.n in numbers]
    if is_drift:
        return _drift_items(gate, stored, status, changes)
    return [item_of(stored, status, change, documents) for change in changes]


def _drift_items(gate: Gate, stored: Stored, status: ProposalStatus, changes: Sequence[Change]) -> list[Item]:
    """Give what drifted as it was found: it stands in the file, so its diff is against what was accepted."""
    target = stored.proposal.targets[0]
    try:
        present = hashlib.sha256(read_watched(gate.home, target.path)).hexdigest()
    except NightledgerError as error:
        present, why = "", str(error)
    else:
        why = (
            ""
            if present == target.base_sha256
            else "the file has changed again: 'nightledger guard' looks anew"
        )
    return [
        Item(stored=stored, status=status, change=change, diff=change.diff, unplaced=why)
        for change in changes
    ]


def item_of(stored: Stored, status: ProposalStatus, change: Change, documents: Mapping[str, str]) -> Item:
    """Give one change against the files as they are given; they must hold its target."""
    document = documents[change.target]
    placed = apply_hunks(document, [change.hunk])
    if isinstance(placed, Applied):
        diff = readable_diff(document, placed.text, path=change.target)
        return Item(stored=stored, status=status, change=change, diff=diff, unplaced="")
    return Item(stored=stored, status=status, change=change, diff="", unplaced=why_not(placed))

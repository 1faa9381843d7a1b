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
from nightledger.domain.proposal import Change, Kind
from nightledger.domain.states import ProposalStatus
from nightledger.gate.gated import read_gated
from nightledger.gate.hunks import readable_diff, why_not
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.protected import read_watched
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
    """Give every change that waits for an answer: what drifted first, then the oldest proposal first.

    Altered proposals are set aside.
    """
    drifted: list[Item] = []
    waiting: list[tuple[Stored, ProposalStatus]] = []
    for status in ledger.book.live():
        if status.lane != EDIT_LANE and status.open_changes():
            with suppress(AlteredError):
                if status.kind is Kind.DRIFT:
                    drifted += items_of(gate, status, DecisionType.DRIFT, documents)
                else:
                    waiting.append((read_proposal(gate, status), status))
    return [*drifted, *items_in(waiting, DecisionType.APPROVE, documents)]


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
    if is_drift:
        changes = [change for change in stored.proposal.changes if change.n in numbers]
        return _drift_items(gate, stored, status, changes)
    return items_in([(stored, status)], kind, documents)


def _drift_items(gate: Gate, stored: Stored, status: ProposalStatus, changes: Sequence[Change]) -> list[Item]:
    """Give what drifted as it was found: it stands in the file, so its diff is against what was accepted."""
    target = stored.proposal.targets[0]
    told = told_by({}, [stored.proposal])
    try:
        present = hashlib.sha256(read_watched(gate.home, target.path)).hexdigest()
    except NightledgerError as error:
        present, why = "", str(error)
    else:
        changed = "the file has changed again: 'nightledger guard' looks anew"
        why = "" if present == target.base_sha256 else changed
    return [
        Item(stored=stored, status=status, change=change, diff=change.diff, unplaced=why, told=told)
        for change in changes
    ]


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

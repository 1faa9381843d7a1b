"""What became of a proposal's changes: decided how, when, and in whose words; withdrawn why."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import Event, EventName
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.proposal import Kind
from nightledger.domain.states import ChangeState, ProposalStatus
from nightledger.domain.words import dump_moment
from nightledger.gate.deciding import read_claim
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.room import BETTER, TWIN
from nightledger.text.scanners.scan import mask_secrets

Causes = Mapping[tuple[str, int], str]
"""The cause that the log gives for each change that was withdrawn before its days were over."""
_CAUSES = {BETTER: "made room for better ones", TWIN: "what was applied says the same", "": "nobody answered"}


def read_causes(events: Iterable[Event]) -> Causes:
    """Return why changes were withdrawn, as the log says."""
    return {
        (event.fields["proposal"], n): event.fields.get("cause", "")
        for event in events
        if event.event == EventName.CLOSED
        for n in event.fields["changes"]
    }


def answers_given(gate: Gate, ledger: Ledger, status: ProposalStatus, causes: Causes) -> list[dict[str, Any]]:
    """Return each answer to a proposal with the changes that it is about; none for those that nothing happened to."""
    found: dict[tuple[str, str, str, str], list[int]] = {}
    for n, change in sorted(status.changes.items()):
        if change.since is not None:
            why = _why(gate, ledger, status, n, causes)
            place = (change.state.value, dump_moment(change.since), change.decision or "", why)
            found.setdefault(place, []).append(n)
    return [
        {"changes": numbers, "state": state, "at": at, "decision": decision or None, "reason": why}
        for (state, at, decision, why), numbers in found.items()
    ]


def _why(gate: Gate, ledger: Ledger, status: ProposalStatus, n: int, causes: Causes) -> str:
    change = status.changes[n]
    if change.state is ChangeState.WITHDRAWN:
        if status.lane == EDIT_LANE or status.kind is Kind.DRIFT:
            return "nobody signed it" if status.lane == EDIT_LANE else "the file holds other bytes since"
        return _CAUSES.get(causes.get((status.id, n), ""), "nobody answered")
    if change.state is ChangeState.REJECTED and change.decision in ledger.book.decisions:
        try:
            decision = read_claim(gate.home, ledger, ledger.book.decisions[change.decision or ""]).decision
        except NightledgerError:
            return ""
        return mask_secrets(decision.reason)
    return ""


def answer_texts(answers: Iterable[Mapping[str, Any]], count: int) -> Iterator[str]:
    """Give a line for each answer, not yet fit to print; numbers only where not all changes have it."""
    for one in answers:
        numbers = ", ".join(map(str, one["changes"]))
        which = f" ({numbers} of {count})" if len(one["changes"]) < count else ""
        why = f": {one['reason']}" if one["reason"] else ""
        yield f"{one['state']} {one['at'][:10]}{which}{why}"

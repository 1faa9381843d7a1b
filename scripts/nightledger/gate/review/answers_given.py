"""What became of a proposal's changes: decided how, when, and in whose words; withdrawn why."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nightledger.domain.event import Event, EventName
from nightledger.domain.states import Book, ChangeState, ProposalStatus
from nightledger.domain.words import dump_moment
from nightledger.files.home import Home
from nightledger.gate.proposing.room import BETTER, TWIN
from nightledger.gate.signed import reason_of
from nightledger.text.scanners.scan import mask_secrets

Causes = Mapping[tuple[str, int], str]
"""The cause that the log gives for each change that was withdrawn before its days were over."""
_CAUSES = {BETTER: "made room for better ones", TWIN: "what was applied says the same"}


def read_causes(events: Iterable[Event]) -> Causes:
    """Return why changes were withdrawn, as the log says."""
    closed = [event.fields for event in events if event.event == EventName.CLOSED and "cause" in event.fields]
    return {(fields["proposal"], n): fields["cause"] for fields in closed for n in fields["changes"]}


def answers_given(home: Home, book: Book, status: ProposalStatus, causes: Causes) -> list[dict[str, Any]]:
    """Return each answer to a proposal with the changes that it is about; none for those that nothing happened to."""
    found: dict[tuple[str, str, str | None, str], list[int]] = {}
    for n, change in sorted(status.changes.items()):
        if change.since is not None:
            why = _why(home, book, status, n, causes)
            place = (change.state.value, dump_moment(change.since), change.decision, why)
            found.setdefault(place, []).append(n)
    names = ("state", "at", "decision", "reason")
    return [dict(zip(names, place, strict=True), changes=numbers) for place, numbers in found.items()]


def _why(home: Home, book: Book, status: ProposalStatus, n: int, causes: Causes) -> str:
    change = status.changes[n]
    if change.state is ChangeState.WITHDRAWN:
        return _CAUSES.get(causes.get((status.id, n), ""), "nobody answered")
    decided = book.decisions.get(change.decision or "")
    return mask_secrets(reason_of(home, decided)) if decided and change.state is ChangeState.REJECTED else ""


def answer_texts(answers: Iterable[Mapping[str, Any]], count: int) -> Iterator[str]:
    """Give a line for each answer, not yet fit to print; numbers only where not all changes have it."""
    for one in answers:
        which = f" ({', '.join(map(str, one['changes']))} of {count})" if len(one["changes"]) < count else ""
        why = f": {one['reason']}" if one["reason"] else ""
        yield f"{one['state']} {one['at'][:10]}{which}{why}"

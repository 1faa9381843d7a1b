"""Where changes of jobs wait: the best of them, at most so many at a time.

Invariant: only what nobody has answered yet makes room, and only for what is surer; it is withdrawn
and logged, and competes again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nightledger.domain.event import EventName
from nightledger.domain.lanes import JOB
from nightledger.domain.proposal import Kind
from nightledger.domain.states import OPEN_STATES, Book, ChangeState
from nightledger.gate.stored import Stored

BETTER, TWIN = "better", "twin"
"""Causes of a withdrawal as the log has them: something surer took its room; what was applied says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much of a proposal may wait beside what waits already.

    Attributes:
        free: How many changes fit; negative where more wait than may.
        weakest: Confidence, proposal and number of each change that may make room, the weakest first.
    """

    free: int
    weakest: tuple[tuple[float, str, int], ...]

    def made_for(self, count: int) -> list[tuple[EventName, dict[str, object]]]:
        """Return the entries that withdraw what has to make room for so many changes."""
        return [withdrawal(name, [n], BETTER) for _, name, n in self.weakest[: max(0, count - self.free)]]


def find_room(book: Book, stored: Iterable[Stored], most: int) -> Room:
    """Return the room in the queue of all jobs but the pruner, whose proposals have their own.

    What the operator put off, or signed once, was looked at: it stays.
    """
    lane = [status for status in book.live() if status.lane == JOB and status.kind is not Kind.PRUNE]
    unread = {
        (status.id, n)
        for status in lane
        for n, change in status.changes.items()
        if change.state is ChangeState.PENDING
    }
    return Room(
        free=most - sum(change.state in OPEN_STATES for status in lane for change in status.changes.values()),
        weakest=tuple(
            sorted(
                (change.confidence, item.proposal.id, change.n)
                for item in stored
                for change in item.proposal.changes
                if (item.proposal.id, change.n) in unread
            )
        ),
    )


def withdrawal(proposal: str, changes: Sequence[int], cause: str) -> tuple[EventName, dict[str, object]]:
    """Return the entry that withdraws changes which nobody answered."""
    reason = ChangeState.WITHDRAWN.value
    return EventName.CLOSED, {
        "proposal": proposal,
        "changes": list(changes),
        "reason": reason,
        "cause": cause,
    }

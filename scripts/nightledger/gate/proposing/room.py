"""Where changes of jobs wait: the best of them, at most so many at a time.

Invariant: only what nobody has answered yet makes room, and only for what is surer; it is withdrawn
and logged, and competes again. So is what says the same as what was just applied.
"""

from collections.abc import Collection, Iterable

from msgspec import Struct

from nightledger.domain.decision import DecisionType
from nightledger.domain.event import EventName
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.lanes import JOB
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change, Kind, Op
from nightledger.domain.states import OPEN_STATES, Book, ChangeState
from nightledger.gate.opening import Gate, closing, record
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.similar import fold, same_claim

BETTER, TWIN = "better", "twin"
"""Causes of a withdrawal as the log has them: something surer took its room; what was applied says the same."""


class Room(Struct, frozen=True, kw_only=True):
    """How much of a proposal may wait beside what waits already.

    Attributes:
        free: How many changes fit; negative where more wait than may.
        weakest: Confidence, proposal and number of each change that may make room, the weakest first.
    """

    free: int
    weakest: tuple[tuple[float, str, int], ...]

    def made_for(self, count: int) -> list[tuple[EventName, dict[str, object]]]:
        """Return the entries that withdraw what has to make room for so many changes."""
        return [closing(name, [n], cause=BETTER) for _, name, n in self.weakest[: max(0, count - self.free)]]


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


def withdraw_twins(gate: Gate, book: Book, applied: Stored, numbers: Collection[int], moment: Moment) -> None:
    """Withdraw and log the additions that wait and say what some changes of a proposal have just put in.

    What is signed, or takes something out, stays the operator's to answer.
    """
    said = [change for change in applied.proposal.changes if change.n in numbers and change.after.strip()]
    events = []
    for item in read_stored(gate, book, states=OPEN_STATES) if said else ():
        status = book.proposals[item.proposal.id]
        twins = [c.n for c in item.proposal.changes if any(_is_twin(c, one) for one in said)]
        waits = [
            n for n in status.answerable(DecisionType.APPROVE) if n in twins
        ]  # drift stands there already
        events += [closing(status.id, waits, cause=TWIN)] if waits and status.lane != EDIT_LANE else []
    if events:
        record(gate, events, moment)


def _is_twin(waiting: Change, applied: Change) -> bool:
    alike = fold(waiting.after) == fold(applied.after) or same_claim(waiting.after, applied.after)
    return waiting.op is Op.ADD and waiting.target == applied.target and alike

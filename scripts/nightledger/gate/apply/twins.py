"""Withdraw what waits and says the same as what was just applied: its answer has been given.

Invariant: only additions that wait go; what is signed, or takes something out, stays the operator's.
"""

from collections.abc import Collection

from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change, Kind, Op
from nightledger.domain.states import OPEN_STATES, Book
from nightledger.gate.opening import Gate, record
from nightledger.gate.proposing.room import TWIN, withdrawal
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.similar import fold, same_claim


def withdraw_twins(gate: Gate, book: Book, applied: Stored, numbers: Collection[int], moment: Moment) -> None:
    """Withdraw and log the additions that wait and say what some changes of a proposal have just put in."""
    said = [change for change in applied.proposal.changes if change.n in numbers and change.after.strip()]
    events = []
    for item in read_stored(gate, book, states=OPEN_STATES) if said else ():
        proposal = item.proposal
        waits = book.proposals[proposal.id].open_changes()
        if proposal.kind is Kind.DRIFT or proposal.lane == EDIT_LANE:
            continue
        twins = [c.n for c in proposal.changes if c.n in waits and any(_is_twin(c, one) for one in said)]
        events += [withdrawal(proposal.id, twins, TWIN)] if twins else []
    if events:
        record(gate, events, moment)


def _is_twin(waiting: Change, applied: Change) -> bool:
    return (
        waiting.op is Op.ADD
        and waiting.target == applied.target
        and (fold(waiting.after) == fold(applied.after) or same_claim(waiting.after, applied.after))
    )

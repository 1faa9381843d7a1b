"""What the gate does once a day: withdraw what nobody answered, and sign that the day passed.

Invariant: a proposal is withdrawn only after days on which someone could have reviewed it;
a machine that was off counts for nothing.
"""

from nightledger.domain.event import EventName
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.states import ProposalStatus
from nightledger.gate.integrity.inputs import read_inputs
from nightledger.gate.opening import Gate, Ledger, closing, record

UNTIRING = (OPERATOR, EDIT_LANE)
"""Lanes of what the operator asked for: it waits until it is answered."""


def close_day(gate: Gate, ledger: Ledger, day: str, moment: Moment) -> dict[str, int]:
    """Withdraw what waited too long, and log the day's heartbeat; a rerun for the same day does nothing.

    The heartbeat holds size and hash of what nights read (``gate/integrity/inputs.py``).

    Args:
        gate: The home; the caller holds its lock.
        ledger: Its log, as checked.
        day: The log day, ``2026-02-28``.
        moment: The clocks.

    Returns:
        Counts: ``withdrawn`` and ``waiting`` changes.

    Raises:
        UnreadableError: An append-only file is a link, a directory or a FIFO.
    """
    if day in heartbeats(ledger):
        return {}
    tired = [status for status in ledger.book.live() if is_tired(gate, ledger, status)]
    closed = sum(len(status.open_changes()) for status in tired)
    waiting = sum(len(status.open_changes()) for status in ledger.book.live()) - closed
    events = [closing(status.id, status.open_changes()) for status in tired]
    heartbeat = {"day": day, "waiting": waiting, "inputs": read_inputs(gate.home)}
    record(gate, [*events, (EventName.HEARTBEAT, heartbeat)], moment)
    return {"withdrawn": closed, "waiting": waiting}


def heartbeats(ledger: Ledger) -> list[str]:
    """Give the days that were signed, in order of the log."""
    return [event.fields["day"] for event in ledger.log.events if event.event == EventName.HEARTBEAT]


def is_tired(gate: Gate, ledger: Ledger, status: ProposalStatus) -> bool:
    """Tell whether a proposal has waited through all the days that it may.

    What drifted stands in a file, whoever has looked: it waits until it is settled.
    """
    if status.lane in UNTIRING or status.kind is Kind.DRIFT or not status.open_changes():
        return False
    days = {  # on which the machine ran: a run that catches up signs several days and is one of these
        event.at.date()
        for event in ledger.log.events
        if event.event == EventName.HEARTBEAT and event.at > status.created.at
    }
    return len(days) >= gate.settings.reviewable_days

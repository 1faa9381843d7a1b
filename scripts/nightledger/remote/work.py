"""A message that was taken in and is to be carried out, what became of it, and what the log has of messages."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from nightledger.domain.event import EventName
from nightledger.domain.message import PEER, Message, Peer, Status
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Proposal
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored


class Work(Struct, frozen=True, kw_only=True):
    """A message that was taken in and is to be carried out.

    Attributes:
        gate: The home; for an action that writes, the caller holds its lock.
        ledger: Its log, as checked.
        message: What is asked.
        peer: By whom.
        moment: The clocks.
        resumed: Whether it was begun before, and a crash may have come after anything.
    """

    gate: Gate
    ledger: Ledger
    message: Message
    peer: Peer
    moment: Moment
    resumed: bool = False


class Done(Struct, frozen=True, kw_only=True):
    """What became of a message.

    Attributes:
        status: In a word.
        reason: Why it was rejected; empty otherwise.
        body: What the answer carries.
        proposal: The proposal that it made; empty where it made none.
        decision: The decision that it brought; empty where it brought none.
    """

    status: Status
    reason: str = ""
    body: Mapping[str, object] | None = None
    proposal: str = ""
    decision: str = ""

    def names(self) -> dict[str, str]:
        """Return what it made, by the names that the log and an answer have for it."""
        made = {"proposal": self.proposal, "decision": self.decision}
        return {name: value for name, value in made.items() if value}


def logged_messages(ledger: Ledger) -> Iterator[Mapping[str, Any]]:
    """Yield what the log says of each message that writes."""
    return (fields for name, fields, _ in ledger.log.entries() if name == EventName.MESSAGE)


def find_made(work: Work) -> Proposal | None:
    """Return the proposal that a message made before a crash; None where it made none."""
    if not work.resumed:
        return None
    home = work.gate.home
    path = home.relative(home.received(work.message.id))
    for item in read_stored(work.gate, work.ledger.book):
        own = item.proposal.lane == PEER  # an agent may name that path in a proposal of its own
        if own and any(e.path == path for change in item.proposal.changes for e in change.evidence):
            return item.proposal
    return None

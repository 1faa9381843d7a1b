"""Messages that were taken in, for tests of what the gate makes of them."""

from typing import Any

from tests.gate.homes import Desk

from nightledger.codec.records import make_message
from nightledger.domain.consent import SELF_MODIFICATION
from nightledger.domain.decision import Actor
from nightledger.domain.message import Message, Peer
from nightledger.gate.opening import open_gate
from nightledger.remote.handlers import Work
from nightledger.remote.receiving import RULES

OPS_ID = "fedcba9876543210fedcba9876543210"
OPS = Peer(name="ops", home=OPS_ID, keys=(), actions=tuple(sorted(RULES)))


def message_of(iss: str, aud: str, now: int, action: str, /, **claims: Any) -> Message:
    """Give a message of one home to another, good unless claims say otherwise."""
    said = {"iat": now, "exp": now + 3600, "seq": 1, "domain": SELF_MODIFICATION, "body": {}, **claims}
    return make_message(**{"iss": iss, "aud": aud, "action": action, **said})


def make_work(desk: Desk, action: str, body: dict[str, Any] | None = None, **claims: Any) -> Work:
    """Give a message of another machine to a desk's home, as it is handed to the gate."""
    now = int(desk.moment.at.timestamp())
    return Work(
        gate=open_gate(desk.home.root, str(desk.ring.directory), actor=Actor.UNKNOWN),
        ledger=desk.ledger(),
        message=message_of(OPS_ID, desk.home.identity.id, now, action, body=body or {}, **claims),
        peer=OPS,
        moment=desk.moment,
    )

"""Messages that were taken in, for tests of what the gate makes of them."""

from typing import Any

from tests.gate.homes import Desk

from nightledger.codec.records import make_message
from nightledger.domain.consent import SELF_MODIFICATION
from nightledger.domain.decision import Actor
from nightledger.domain.message import Peer
from nightledger.gate.opening import open_gate
from nightledger.remote.handlers import Work
from nightledger.remote.receiving import RULES

OPS_ID = "fedcba9876543210fedcba9876543210"
OPS = Peer(name="ops", home=OPS_ID, keys=(), actions=tuple(sorted(RULES)))


def make_work(desk: Desk, action: str, body: dict[str, Any] | None = None, **fields: Any) -> Work:
    """Give a message of another machine to a desk's home, as it is handed to the gate."""
    now = int(desk.moment.at.timestamp())
    peer = fields.pop("peer", OPS)
    claims: dict[str, Any] = {
        "iss": OPS_ID,
        "aud": desk.home.identity.id,
        "iat": now,
        "exp": now + 60,
        "seq": fields.pop("seq", 1),
        "action": action,
        "domain": SELF_MODIFICATION,
        "body": body or {},
    }
    return Work(
        gate=open_gate(desk.home.root, str(desk.ring.directory), actor=Actor.UNKNOWN),
        ledger=desk.ledger(),
        message=make_message(**{**claims, **fields}),
        peer=peer,
        moment=desk.moment,
    )

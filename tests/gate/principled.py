"""Give a home its constitution, as ``consent constitution amend`` does with one made without."""

from tests.gate.homes import Desk

from nightledger.codec.constitution import dump_constitution
from nightledger.domain.constitution import Constitution
from nightledger.domain.decision import Decision, DecisionType
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.recalling import NAME, shipped_principles
from nightledger.gate.trust_changes import keep_contents, trust_targets
from nightledger.gate.trusting import Trust


def seed(desk: Desk, constitution: Constitution | None = None) -> Decision:
    """Sign a constitution into force; the one that ships by default."""
    return desk.accept(amendment(desk, dump_constitution(constitution or shipped_principles())))


def amendment(desk: Desk, content: bytes) -> Decision:
    """Give the unsigned decision that would put these bytes in force."""
    keep_contents(desk.home, {NAME: content})
    before = Trust(desk.home, desk.ledger()).files(desk.moment)
    targets = trust_targets(before, {NAME: content})
    return make_unproposed(desk.gate, DecisionType.TRUST, targets, desk.signing())

"""Who has the log's key and no operator's key: what they append, and what they change, is found.

Each forgery is written as ``apply`` writes, and signed for by the log's own key.
"""

from tests.gate.forging import forge, intent_of, keep, said
from tests.gate.homes import MEMORY, Desk, addition
from tests.gate.signers import text

from nightledger.domain.decision import Decision
from nightledger.domain.proposal import Proposal
from nightledger.gate.apply.undoing import undo_choice
from nightledger.gate.integrity.trust_changes import reset_signers
from nightledger.gate.review.composing import make_decision

# ---------------------------------------------------------------- what the gate itself does


# ---------------------------------------------------------------- forged entries


def to_undo(desk: Desk, proposal: Proposal) -> Decision:
    """Sign an undo that is recorded and not carried out, as a crash leaves it."""
    planned = desk.plan_undo(proposal)
    decision = desk.accept(make_decision(desk.gate, planned.status, undo_choice(planned), desk.signing()))
    keep(desk, MEMORY)
    return decision


def test_a_reset_voids_what_was_signed_before_it_and_nothing_that_was_applied(desk: Desk) -> None:
    decision = to_undo(desk, desk.applied(addition("One.")))
    allowed = text(desk, "allowed_signers").encode()
    contents = {"allowed_signers": allowed, "revoked_keys": text(desk, "revoked_keys").encode()}
    reset_signers(desk.gate, desk.ledger(), contents, desk.moment)
    desk.wait(hours=25)
    forge(desk, intent_of(decision))
    assert said(desk) == "the keys had been reset since it was signed"

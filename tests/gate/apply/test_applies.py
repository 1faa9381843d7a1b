"""Who has the log's key and no operator's key: what they append, and what they change, is found.

Each forgery is written as ``apply`` writes, and signed for by the log's own key.
"""

from tests.gate.forging import counts, forge, intent_of, keep, said
from tests.gate.homes import MEMORY, Desk, addition
from tests.gate.signers import text

from nightledger.domain.decision import Decision
from nightledger.domain.proposal import Proposal
from nightledger.gate.apply.undoing import undo_choice
from nightledger.gate.integrity.trust_changes import reset_signers
from nightledger.gate.review.composing import make_decision


def approved(desk: Desk, lesson: str = "A lesson.") -> tuple[Proposal, Decision]:
    proposal = desk.proposal(addition(lesson))
    (decision,) = desk.approve(proposal)
    return proposal, decision


# ---------------------------------------------------------------- what the gate itself does


def test_drift_with_a_masked_secret_and_bytes_that_are_no_text_is_what_was_signed(desk: Desk) -> None:
    secret = "AKIA" + "Q7ZP4M2XW8RT5NV3"
    desk.memory.write_bytes(MEMORY.encode() + b"- caf\xe9\n\n## Keys\n\n- key " + secret.encode() + b"\n")
    desk.guard()
    desk.settle((1,))
    assert counts(desk) == (1, 0)


def test_an_apply_that_was_taken_back_and_done_again_is_checked_once(desk: Desk) -> None:
    _, decision = approved(desk)
    forge(desk, intent_of(decision), end="")
    desk.record("apply.aborted", apply=f"a-{1:026d}", reason="crash")
    assert counts(desk) == (0, 0)
    forge(desk, intent_of(decision), end="apply.raced")
    assert counts(desk) == (1, 0)


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

from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, addition, make_desk
from tests.gate.witnessed import cosign, make_witnessed_desk, two_of_three

from nightledger.domain.proposal import Proposal
from nightledger.gate.stored import with_id

LESSON = "Set the zone in every timer."


def ready(desk: Desk) -> Proposal:
    """Propose an addition, approve it, and let it cool."""
    proposal = desk.proposal(addition(LESSON))
    desk.approve(proposal)
    desk.wait(hours=3)
    return proposal


def test_a_memory_file_that_is_missing_is_begun_by_the_first_signed_change(tmp_path: Path) -> None:
    desk = make_desk(tmp_path, memory=None)
    proposal = ready(desk)
    assert not desk.memory.exists()
    assert desk.apply()[0].changes == (1,)
    assert desk.text().endswith(f"- {LESSON}\n")
    desk.undo(proposal)
    assert desk.memory.read_bytes() == b""


def test_a_decision_over_other_hunks_than_those_of_its_proposal_puts_nothing_in(desk: Desk) -> None:
    (decision,), _ = desk.compose_all(desk.proposal(addition(LESSON)))
    other = tuple(replace(target, hunks_sha256="0" * 64) for target in decision.targets)
    desk.accept(with_id(replace(decision, targets=other)))
    desk.wait(hours=3)
    assert desk.apply()[0].reasons == ("the changes to MEMORY.md are not those that were signed",)
    assert desk.text() == MEMORY


def test_an_approval_expires_by_the_witnesses_clocks_too_and_an_operators_own_edit_waits_for_nobody(
    tmp_path: Path,
) -> None:
    desk = make_witnessed_desk(tmp_path, two_of_three())
    proposal = desk.proposal(addition(LESSON))
    cosign(desk, 0)
    desk.wait(hours=1)
    desk.approve(proposal)
    cosign(desk, 1)
    cosign(desk, 24 * 9)
    desk.edit(desk.text().replace("30 days", "40 days").encode())
    assert "40 days" in desk.text()
    (attempt,) = desk.apply()
    assert attempt.stale
    assert "expired" in attempt.stale[0][1]
    assert desk.states(proposal) == ["stale"]

"""The gate as a whole: what an operator does over a few hours."""

from tests.gate.homes import MEMORY, Desk, addition, removal

from nightledger.domain.states import ChangeState
from nightledger.gate.gated import read_gated


def test_nothing_changes_until_it_is_signed_and_has_cooled(desk: Desk) -> None:
    proposal = desk.proposal(addition("Set the zone in every timer."))
    assert desk.apply() == []
    desk.approve(proposal)
    early = desk.apply()
    assert early[0].wait_s == 2 * 3600
    assert desk.memory.read_text() == MEMORY
    desk.wait(hours=2)
    assert desk.apply()[0].changes == (1,)
    assert (
        "- Restart the relay after an upgrade.\n- Set the zone in every timer.\n" in desk.memory.read_text()
    )
    assert desk.ledger().book.proposals[proposal.id].state_of(1) is ChangeState.APPLIED


def test_five_are_approved_in_one_review_the_second_is_undone_and_all_others_apply(desk: Desk) -> None:
    proposals = [desk.proposal(addition(f"Lesson number {n} of the week.")) for n in range(1, 6)]
    desk.approve(*proposals)
    desk.wait(hours=3)
    for proposal in proposals[:3]:
        assert desk.apply(proposal)[0].changes == (1,)
    desk.undo(proposals[1])
    for proposal in proposals[3:]:
        assert desk.apply(proposal)[0].changes == (1,)
    text = desk.memory.read_text()
    assert [f"Lesson number {n} of the week." in text for n in range(1, 6)] == [True, False, True, True, True]
    assert text.startswith(MEMORY[: MEMORY.index("## Lessons")])
    assert desk.ledger().book.proposals[proposals[1].id].state_of(1) is ChangeState.UNDONE


def test_undo_gives_every_byte_back(desk: Desk) -> None:
    proposal = desk.applied(addition("Set the zone in every timer."), removal("- Keep backups for 30 days."))
    assert "30 days" not in desk.memory.read_text()
    desk.undo(proposal)
    assert read_gated(desk.home, "MEMORY.md") == MEMORY.encode()


def test_later_edits_survive_an_undo(desk: Desk) -> None:
    proposal = desk.applied(addition("Set the zone in every timer."))
    desk.memory.write_text(desk.memory.read_text() + "- Boat: paint the hull\n")
    desk.undo(proposal)
    assert desk.memory.read_text() == f"{MEMORY}- Boat: paint the hull\n"

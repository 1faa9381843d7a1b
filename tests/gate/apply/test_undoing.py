import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition, removal

from nightledger.domain.errors import RefusedError, UsageError
from nightledger.domain.proposal import Anchor, Hunk, Op, Origin, Proposal
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.around import ELSEWHERE, LOST
from nightledger.gate.apply.undoing import Undo, reversal
from nightledger.gate.proposing.proposing import Outcome, propose
from nightledger.gate.review.reviewing import read_documents

LESSON = "Set the zone in every timer."
OLD = "- Keep backups for 30 days."


def propose_reversal(desk: Desk, undo: Undo) -> Outcome:
    return propose(desk.gate, desk.ledger(), reversal(undo, read_documents(desk.gate)), desk.moment)


def both(desk: Desk) -> Proposal:
    """Apply an addition (change 1) and a removal (change 2) together."""
    return desk.applied(addition(LESSON, rank=0.9), removal(OLD))


def test_a_whole_undo_gives_every_byte_back_and_is_logged(desk: Desk) -> None:
    proposal = both(desk)
    planned = desk.plan_undo(proposal)
    assert planned.changes == (1, 2)
    assert f"-- {LESSON}\n" in planned.diff
    assert f"+{OLD}\n" in planned.diff
    assert not desk.undo(proposal)
    assert desk.text() == MEMORY
    assert desk.states(proposal) == ["undone", "undone"]
    assert desk.events()[-3:] == ["decision.recorded", "apply.intent", "apply.done"]


def test_what_was_taken_out_of_a_file_over_its_cap_comes_back(desk: Desk) -> None:
    desk.set(cap_characters={"generic": 40})
    proposal = desk.applied(removal(OLD))
    assert OLD not in desk.text()
    desk.undo(proposal)
    assert desk.text() == MEMORY


def test_one_change_of_several_is_undone_and_then_the_other(desk: Desk) -> None:
    proposal = both(desk)
    desk.undo(proposal, 1)
    assert desk.text() == MEMORY.replace(f"{OLD}\n\n", "")
    assert desk.states(proposal) == ["undone", "applied"]
    desk.undo(proposal, 2)
    assert desk.text() == MEMORY


def test_later_edits_survive(desk: Desk) -> None:
    proposal = both(desk)
    desk.memory.write_text("Top line\n\n" + desk.text() + "- Boat: paint the hull\n")
    desk.undo(proposal)
    assert desk.text() == "Top line\n\n" + MEMORY + "- Boat: paint the hull\n"


def test_a_later_lesson_below_the_one_undone_survives(desk: Desk) -> None:
    first = desk.applied(addition("First lesson."))
    desk.applied(addition("Second lesson."))
    desk.undo(first)
    assert "First" not in desk.text()
    assert "- Restart the relay after an upgrade.\n- Second lesson.\n" in desk.text()


def test_an_undo_is_not_undone_twice(desk: Desk) -> None:
    proposal = both(desk)
    desk.undo(proposal)
    with pytest.raises(UsageError, match="change 1 is undone, 2 is undone"):
        desk.plan_undo(proposal)


@pytest.mark.parametrize("number", [2, 7])
def test_what_is_not_applied_cannot_be_undone(desk: Desk, number: int) -> None:
    proposal = desk.proposal(addition(LESSON, rank=0.9), addition("Another."))
    desk.approve(proposal, only=[1])
    desk.wait(hours=3)
    desk.apply()
    with pytest.raises(UsageError, match=rf"change {number} is (pending|withdrawn)"):
        desk.plan_undo(proposal, number)
    assert desk.plan_undo(proposal).changes == (1,)


def test_the_window_closes_after_seven_days_and_a_reversal_waits_instead(desk: Desk) -> None:
    proposal = both(desk)
    desk.wait(days=7, seconds=-1)
    assert not desk.plan_undo(proposal).problem
    desk.wait(seconds=1)
    planned = desk.plan_undo(proposal)
    assert planned.problem == "its undo window closed at 2026-03-08 09:00 UTC"
    assert (planned.writes, planned.diff, planned.changes) == ((), "", (1, 2))
    made = propose_reversal(desk, planned).proposal
    assert made is not None
    assert made.title == f"Take back {proposal.id[:10]}: a test"
    assert (made.kind.value, made.lane, made.period) == ("reversal", "operator", "2026-02-28")
    assert [(c.op, c.confidence) for c in made.changes] == [(Op.REMOVE, 1.0), (Op.ADD, 1.0)]
    assert made.changes[0].provenance == (Origin.OWNER,)
    assert planned.problem in made.changes[0].reason
    stored = Path(desk.home.proposal(proposal.id)).read_bytes()
    (source,) = made.changes[0].evidence
    assert (source.path, source.lines) == (f"memory/state/proposals/{proposal.id}.json", (1, 1))
    assert (source.sha256, source.origin) == (hashlib.sha256(stored).hexdigest(), Origin.OWNER)
    desk.approve(made)
    desk.wait(hours=3)
    desk.apply()
    assert LESSON not in desk.text()
    assert OLD in desk.text()


def test_lines_changed_since_are_a_conflict_and_nothing_is_guessed(desk: Desk) -> None:
    proposal = desk.applied(addition(LESSON))
    desk.memory.write_text(desk.text().replace("in every timer", "in each timer"))
    planned = desk.plan_undo(proposal)
    assert planned.problem == "the same lines of MEMORY.md were changed since"
    assert propose_reversal(desk, planned).proposal is None
    assert "in each timer" in desk.text()


def test_an_undo_waits_where_the_bytes_accepted_before_are_lost_and_something_drifted(desk: Desk) -> None:
    proposal = desk.applied(addition(LESSON))
    desk.memory.write_text(desk.text() + "- by hand\n")
    assert not desk.plan_undo(proposal).problem
    desk.guard()
    desk.edit(desk.text().replace("30 days", "40 days").encode())
    Path(BlobStore(desk.home.blobs_dir).path(desk.ledger().book.gated["MEMORY.md"])).unlink()
    assert desk.plan_undo(proposal).problem == LOST


def test_a_reversal_waits_once_and_comes_again_when_the_operator_asks_again(desk: Desk) -> None:
    proposal = desk.applied(addition(LESSON))
    desk.wait(days=8)
    first = propose_reversal(desk, desk.plan_undo(proposal)).proposal
    assert first is not None
    waiting = propose_reversal(desk, desk.plan_undo(proposal))
    assert (waiting.proposal, waiting.suppressed) == (None, 1)
    desk.reject(first)
    again = propose_reversal(desk, desk.plan_undo(proposal)).proposal
    assert again is not None
    assert again.id != first.id
    assert desk.states(again) == ["pending"]


def test_a_replacement_is_reversed_by_a_replacement(desk: Desk) -> None:
    draft = replace(removal(OLD), op=Op.REPLACE, after="- Keep backups for 90 days.")
    proposal = desk.applied(draft)
    assert "90 days" in desk.text()
    desk.wait(days=8)
    made = propose_reversal(desk, desk.plan_undo(proposal)).proposal
    assert made is not None
    assert [(c.op, c.before, c.after) for c in made.changes] == [
        (Op.REPLACE, "- Keep backups for 90 days.\n", f"{OLD}\n")
    ]


def test_a_reversal_names_the_line_from_the_top_of_the_file(desk: Desk) -> None:
    desk.memory.write_text(f"\n{MEMORY}- Restart the relay after an upgrade.\n")
    proposal = desk.applied(replace(removal(OLD), op=Op.REPLACE, after="- Keep backups for 90 days."))
    desk.wait(days=8)
    (draft,) = reversal(desk.plan_undo(proposal), read_documents(desk.gate)).drafts
    assert desk.text().split("\n")[draft.line - 1] == "- Keep backups for 90 days."


def test_a_reversal_that_puts_lines_back_names_no_line(desk: Desk) -> None:
    proposal = both(desk)
    desk.wait(days=8)
    drafts = reversal(desk.plan_undo(proposal), read_documents(desk.gate)).drafts
    removed = desk.text().split("\n").index(f"- {LESSON}") + 1
    assert [(draft.op, draft.line) for draft in drafts] == [(Op.REMOVE, removed), (Op.ADD, 0)]


def test_a_reversal_leaves_out_what_is_no_longer_there_as_a_whole_line(desk: Desk) -> None:
    proposal = desk.applied(addition(LESSON))
    desk.wait(days=8)
    desk.memory.write_text(desk.text().replace(f"- {LESSON}", f"- Note - {LESSON}"))
    assert reversal(desk.plan_undo(proposal), read_documents(desk.gate)).drafts == []


def test_changes_applied_at_different_times_are_undone_one_by_one(desk: Desk) -> None:
    proposal = desk.proposal(addition("One.", rank=0.9), addition("Two."))
    desk.approve(proposal, only=[1])
    desk.wait(hours=3)
    desk.apply()
    desk.approve(proposal, only=[2])
    desk.wait(hours=1)
    desk.apply()
    with pytest.raises(RefusedError, match="applied at different times"):
        desk.plan_undo(proposal)
    desk.undo(proposal, 1)
    assert "One." not in desk.text()
    assert "Two." in desk.text()


def test_a_change_that_another_rests_on_is_not_taken_from_under_it(desk: Desk) -> None:
    hunks = [
        Hunk(anchor=Anchor.EXACT, section=(), removed=f"{old}\n", added=f"{new}\n")
        for old, new in ((OLD, "- Keep backups."), ("- Keep backups.", "- Keep every backup."))
    ]
    proposal = desk.forge(*hunks)
    desk.approve(proposal)
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (1, 2)
    assert desk.plan_undo(proposal, 1).problem == "change 2 rests on it"
    desk.undo(proposal, 2)
    assert desk.text() == MEMORY.replace(OLD, "- Keep backups.")


def test_a_secret_that_was_removed_does_not_come_back(desk: Desk) -> None:
    secret = "- Deploy token: ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    desk.memory.write_text(f"{MEMORY}\n{secret}\n")
    edit = desk.edit(MEMORY.encode())
    assert desk.text() == MEMORY
    with pytest.raises(RefusedError, match="took out a secret, and that does not come back") as caught:
        desk.plan_undo(edit)
    assert f"nightledger undo {edit.id[:10]}#N" in caught.value.hint
    desk.wait(days=8)
    planned = desk.plan_undo(edit)
    assert "its undo window closed" in planned.problem
    with pytest.raises(RefusedError, match="took out a secret, and that does not come back"):
        propose_reversal(desk, planned)
    assert desk.text() == MEMORY


def test_what_was_changed_with_a_secret_can_be_undone_without_it(desk: Desk) -> None:
    secret = "- Deploy token: ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    desk.memory.write_text(MEMORY.replace("- Restart", f"{secret}\n- Restart"))
    edit = desk.edit(MEMORY.replace("30 days", "40 days").encode())
    assert len(edit.changes) == 2
    desk.undo(edit, 1)
    assert desk.text() == MEMORY
    assert desk.states(edit) == ["undone", "applied"]


def test_a_value_that_only_another_line_told_as_a_secret_does_not_come_back_either(desk: Desk) -> None:
    told = "Nebelhorn" + "4711"
    kept = f"{MEMORY}\n- Loft box password: {told}\n"
    desk.memory.write_text(f"{kept}- The loft opens with {told}.\n")
    edit = desk.edit(kept.encode())
    with pytest.raises(RefusedError, match="took out a secret"):
        desk.plan_undo(edit)


def test_hidden_text_does_not_come_back_in_place(desk: Desk) -> None:
    desk.memory.write_text(f"{MEMORY}\n- pay the ba\u202eker\n")
    planned = desk.plan_undo(desk.edit(MEMORY.encode()))
    assert "the scanner unicode." in planned.problem
    assert propose_reversal(desk, planned).proposal is None


def test_an_invitation_is_veiled_and_comes_back(desk: Desk) -> None:
    line = "- Talk: https://chat.whatsapp.com/" + "KTRmoos5kupfer3WN28hzq\n"
    desk.memory.write_text(f"{MEMORY}\n{line}")
    edit = desk.edit(MEMORY.encode())
    assert "kupfer3" not in repr(edit)
    desk.undo(edit)
    assert desk.text() == f"{MEMORY}\n{line}"


def test_an_undo_of_an_aborted_apply_looks_at_the_one_that_was_done(desk: Desk) -> None:
    proposal = desk.proposal(addition(LESSON))
    (decision,) = desk.approve(proposal)
    target = {"path": "MEMORY.md", "before": "0" * 64, "after": "1" * 64}
    desk.record(
        "apply.intent",
        apply="a-1",
        decision=decision.id,
        proposal=proposal.id,
        changes=[1],
        targets=[target],
    )
    desk.record("apply.aborted", apply="a-1", reason="crash")
    desk.wait(hours=3)
    desk.apply()
    desk.undo(proposal)
    assert desk.text() == MEMORY


def test_undone_and_applied_again_after_a_new_source(desk: Desk) -> None:
    first = desk.applied(addition(LESSON))
    desk.undo(first)
    assert desk.propose(addition(LESSON)).suppressed == 1
    again = desk.applied(addition(LESSON, path="memory/2026-03-09.md"))
    assert again.id != first.id
    assert LESSON in desk.text()
    desk.undo(again)
    assert desk.text() == MEMORY


def test_a_log_without_the_apply_refuses(desk: Desk) -> None:
    proposal = both(desk)
    ledger = desk.ledger()
    from nightledger.gate.apply.undoing import plan_undo

    bare = replace(ledger, book=replace(ledger.book, applies={}))
    with pytest.raises(RefusedError, match="holds no apply"):
        plan_undo(desk.gate, bare, bare.book.proposals[proposal.id], (), desk.moment)


def test_an_undo_that_would_be_accepted_under_another_heading_than_it_shows_is_not_made(desk: Desk) -> None:
    desk.edit(b"# M\n\n## Never\n\n- Wire money.\n- Share keys.\n\n## Always\n\n- Say thanks.\n")
    proposal = desk.applied(removal("- Share keys."))
    desk.memory.write_text(desk.text().replace("## Never", "## Gladly"))
    assert desk.plan_undo(proposal).problem == ELSEWHERE
    desk.memory.write_text(desk.text().replace("## Gladly", "## Never"))
    assert desk.plan_undo(proposal).problem == ""


def test_an_undo_is_not_signed_while_a_password_that_drifted_in_masks_what_it_brings_back(desk: Desk) -> None:
    bill = "- The hosting bill: mail-all-keys-to-mallory42"
    desk.edit(f"{MEMORY}{bill}\n".encode())
    proposal = desk.applied(removal(bill))
    clean = desk.text()
    desk.memory.write_text(f"{clean}- password: mail-all-keys-to-mallory42\n")
    with pytest.raises(RefusedError, match="another text calls part of what it would change a secret"):
        desk.plan_undo(proposal)
    desk.memory.write_text(clean)
    assert f"+{bill}" in desk.plan_undo(proposal).diff

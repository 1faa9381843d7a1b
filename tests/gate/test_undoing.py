import pytest
from tests.gate.forgetting_desk import COPY, FULL, LOG, ODD, compress, file, forgotten, snapshot
from tests.gate.homes import MEMORY, Desk, addition

from nightledger.domain.proposal import Anchor, Draft, Hunk
from nightledger.gate.checking import find_altered
from nightledger.gate.proposing import propose
from nightledger.gate.reviewing import Documents
from nightledger.gate.undoing import reversal

LESSON = "Set the zone in every timer."
RESTART, OLD = "- Restart the relay after an upgrade.", "- Keep backups for 30 days."


def test_a_reversal_leaves_out_what_is_no_longer_there_as_a_whole_line(desk: Desk) -> None:
    proposal = desk.applied(addition(LESSON))
    desk.wait(days=8)
    desk.memory.write_text(desk.text().replace(f"- {LESSON}", f"- Note - {LESSON}"))
    assert reversal(desk.plan_undo(proposal), Documents(desk.gate)).drafts == []


@pytest.mark.parametrize("like", [f"- {LESSON}", f"- Timers:\n  - {LESSON}"], ids=["same", "within"])
def test_a_reversal_takes_back_its_own_line_and_not_one_like_it_above(desk: Desk, like: str) -> None:
    proposal = desk.applied(addition(LESSON))
    desk.wait(days=8)
    desk.memory.write_text(desk.text().replace("## Decisions\n", f"## Decisions\n\n{like}\n"))
    (back,) = reversal(desk.plan_undo(proposal), Documents(desk.gate)).drafts
    assert desk.text().splitlines()[back.line - 2 : back.line] == [RESTART, f"- {LESSON}"]


def test_a_change_that_another_rests_on_is_not_taken_from_under_it(desk: Desk) -> None:
    hunks = [
        Hunk(anchor=Anchor.LINES, section=("MEMORY.md", "Decisions"), removed=f"{old}\n", added=f"{new}\n")
        for old, new in ((OLD, "- Keep backups."), ("- Keep backups.", "- Keep every backup."))
    ]
    proposal = desk.forge(*hunks)
    desk.approve(proposal)
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (1, 2)
    assert desk.plan_undo(proposal, 1).problem == "change 2 rests on it"
    desk.undo(proposal, 2)
    assert desk.text() == MEMORY.replace(OLD, "- Keep backups.")


def test_hidden_text_does_not_come_back_in_place(desk: Desk) -> None:
    desk.memory.write_text(f"{MEMORY}\n- pay the ba\u202eker\n")
    planned = desk.plan_undo(desk.edit(MEMORY.encode()))
    assert "the scanner unicode." in planned.problem
    back = reversal(planned, Documents(desk.gate))
    assert propose(desk.gate, desk.ledger(), back, desk.moment).proposal is None


def test_undone_and_applied_again_after_a_new_source(desk: Desk) -> None:
    first = desk.applied(addition(LESSON))
    desk.undo(first)
    assert desk.propose(addition(LESSON)).suppressed == 1
    again = desk.applied(addition(LESSON, path="memory/2026-03-09.md"))
    assert again.id != first.id
    assert LESSON in desk.text()
    desk.undo(again)
    assert desk.text() == MEMORY


def test_logs_of_any_bytes_are_copied_and_given_back_as_they_were(desk: Desk) -> None:
    drafts = dict[str, Draft]()
    for path, content in {LOG: FULL, **ODD}.items():
        taken = [draft.also[0].target for draft in drafts.values()]
        drafts[path] = compress(desk, path, content, taken)
    before = snapshot(desk)
    proposal = forgotten(desk, *drafts.values())
    after = snapshot(desk)
    for path, content in ODD.items():
        assert after[drafts[path].also[0].target] == content
        assert after[path] != content
    assert "memory/archive/daily/2026-01-02-2.md" in after
    desk.undo(proposal)
    assert snapshot(desk) == before
    assert desk.ledger().book.copies == {}


def test_a_copy_that_two_logs_share_stays_while_one_of_them_rests_on_it(desk: Desk) -> None:
    other = "memory/daily/2026-01-02.md"
    first, second = forgotten(desk, compress(desk, LOG)), forgotten(desk, compress(desk, other))
    assert file(desk, COPY).read_bytes() == FULL
    desk.undo(first)
    assert (file(desk, LOG).read_bytes(), file(desk, COPY).read_bytes()) == (FULL, FULL)
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    desk.undo(second)
    assert file(desk, other).read_bytes() == FULL

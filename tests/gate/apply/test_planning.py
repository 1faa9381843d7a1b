"""One proposal over two files: together or not at all; and what of each file's new bytes is new text."""

from pathlib import Path

import pytest
from tests.gate.forgetting_desk import COPY, FULL, LOG, compress, pruned, summary_of
from tests.gate.homes import MEMORY, Desk, addition, make_desk

from nightledger.domain.proposal import Anchor, Hunk, Proposal
from nightledger.gate.apply.planning import plan_apply
from nightledger.gate.review.rechecking import recheck_shown
from nightledger.gate.review.reviewing import Answer, Verb, read_documents
from nightledger.gate.stored import read_stored

USER = "# USER.md\n\n- Prefers tea.\n"
OLD = "- Keep backups for 30 days."


@pytest.fixture
def pair(tmp_path: Path) -> Desk:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "USER.md").write_text(USER)
    return make_desk(tmp_path, gated=("MEMORY.md", "USER.md"))


def user(desk: Desk) -> Path:
    return Path(desk.home.path("USER.md"))


def signed(desk: Desk) -> Proposal:
    hunks = [
        Hunk(anchor=Anchor.EXACT, section=(), removed=f"{OLD}\n", added="- Keep backups.\n"),
        Hunk(anchor=Anchor.EXACT, section=(), removed="- Prefers tea.\n", added="- Prefers coffee.\n"),
    ]
    proposal = desk.forge(*hunks, targets=["MEMORY.md", "USER.md"])
    desk.approve(proposal)
    desk.wait(hours=3)
    return proposal


def test_both_files_change_and_one_of_them_can_be_taken_back(pair: Desk) -> None:
    proposal = signed(pair)
    assert pair.apply()[0].changes == (1, 2)
    assert "- Keep backups.\n" in pair.text()
    assert "coffee" in user(pair).read_text()
    pair.undo(proposal, 2)
    assert user(pair).read_text() == USER
    assert "- Keep backups.\n" in pair.text()
    pair.undo(proposal, 1)
    assert pair.text() == MEMORY


def test_when_a_change_touches_drift_of_one_file_both_wait(pair: Desk) -> None:
    user(pair).write_text(USER + "\n- Prefers night trains.\n")
    pair.guard()
    hunks = [
        Hunk(anchor=Anchor.EXACT, section=(), removed=f"{OLD}\n", added="- Keep backups.\n"),
        Hunk(anchor=Anchor.EXACT, section=(), removed="- Prefers night trains.\n", added=""),
    ]
    pair.approve(pair.forge(*hunks, targets=["MEMORY.md", "USER.md"]))
    pair.wait(hours=3)
    (attempt,) = pair.apply()
    assert (attempt.changes, attempt.stale) == ((), ())
    assert sorted(n for n, _ in attempt.waits) == [1, 2]
    assert pair.text() == MEMORY


def test_each_file_has_an_item_of_its_own(pair: Desk) -> None:
    user(pair).write_text(USER + "- Prefers night trains.\n")
    pair.memory.write_text(MEMORY + "- Boat.\n")
    sightings = pair.guard()
    assert [sighting.path for sighting in sightings] == ["MEMORY.md", "USER.md"]
    assert len({sighting.proposal for sighting in sightings}) == 2


def test_when_one_file_has_changed_neither_is_written_and_both_are_asked_again(pair: Desk) -> None:
    proposal = signed(pair)
    user(pair).write_text("# USER.md\n\n- Prefers water.\n")
    attempt = pair.apply()[0]
    assert attempt.changes == ()
    assert attempt.stale == (
        (2, "its lines are no longer in the file as they were"),
        (1, "another of its files has changed, and its files change together or not at all"),
    )
    assert pair.states(proposal) == ["stale", "stale"]
    assert pair.text() == MEMORY
    assert "water" in user(pair).read_text()
    assert "apply.intent" not in pair.events()


def test_a_file_that_cannot_be_read_stops_no_review_of_another(pair: Desk) -> None:
    both, alone = signed(pair), pair.proposal(addition("One."))
    other = pair.forge(
        Hunk(anchor=Anchor.EXACT, section=(), removed="- Prefers tea.\n", added=""), targets=["USER.md"]
    )
    user(pair).unlink()
    user(pair).mkdir()
    assert {item.status.id: bool(item.unplaced) for item in pair.items()} == {alone.id: False, other.id: True}
    items, documents = pair.items(), read_documents(pair.gate)
    answers = [Answer(proposal=alone.id, n=1, verb=Verb.APPROVE)]
    assert recheck_shown(pair.gate, pair.ledger().book, items, answers, documents) == (answers, [])
    assert pair.approve(alone)
    assert pair.states(both) == ["approved", "approved"]


def test_only_a_summary_is_new_text_the_copy_of_its_log_is_not(tmp_path: Path) -> None:
    desk = make_desk(tmp_path)
    proposal = pruned(desk, compress(desk, LOG))
    (stored,) = [one for one in read_stored(desk.gate, desk.ledger().book) if one.proposal.id == proposal.id]
    plan = plan_apply(desk.gate, desk.ledger().book, stored, [1])
    assert {write.path: write.fresh for write in plan.writes} == {LOG: summary_of(LOG, FULL, COPY), COPY: ""}

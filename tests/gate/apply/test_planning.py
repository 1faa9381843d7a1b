"""One proposal over two files: together or not at all; and what of each file's new bytes is new text."""

from pathlib import Path

import pytest
from tests.gate.forgetting_desk import COPY, FULL, LOG, compress, pruned, summary_of
from tests.gate.homes import MEMORY, Desk, make_desk

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.gate.apply.applying import plan_apply
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


def test_when_a_change_touches_drift_of_one_file_both_wait(pair: Desk) -> None:
    user(pair).write_text(USER + "\n- Prefers night trains.\n")
    pair.guard()
    hunks = [
        Hunk(anchor=Anchor.LINES, section=("MEMORY.md", "Decisions"), removed=f"{OLD}\n", added="- Keep.\n"),
        Hunk(anchor=Anchor.LINES, section=("USER.md",), removed="- Prefers night trains.\n"),
    ]
    pair.approve(pair.forge(*hunks, targets=["MEMORY.md", "USER.md"]))
    pair.wait(hours=3)
    (attempt,) = pair.apply()
    assert (attempt.changes, attempt.stale) == ((), ())
    assert sorted(n for n, _ in attempt.waits) == [1, 2]
    assert pair.text() == MEMORY


def test_only_a_summary_is_new_text_the_copy_of_its_log_is_not(tmp_path: Path) -> None:
    desk = make_desk(tmp_path)
    proposal = pruned(desk, compress(desk, LOG))
    (stored,) = [one for one in read_stored(desk.gate, desk.ledger().book) if one.proposal.id == proposal.id]
    (decision,) = desk.compose_all(proposal)[0]
    plan = plan_apply(desk.gate, desk.ledger().book, stored, decision, [1])
    assert {write.path: write.fresh for write in plan.writes} == {LOG: summary_of(LOG, FULL, COPY), COPY: ""}

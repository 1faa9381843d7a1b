"""What was archived, compressed or forgotten, and taken back, is what was signed; so it is once its text went."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.gate.forgetting_desk import (
    ARCHIVE,
    COPY,
    FULL,
    LOG,
    ODD,
    archive,
    compress,
    file,
    forget,
    forgotten,
    prune,
    pruned,
    put,
    snapshot,
)
from tests.gate.forging import counts, said
from tests.gate.homes import Desk, addition

from nightledger.domain.decision import Decision
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Op, Proposal
from nightledger.domain.states import Gone
from nightledger.gate.daily import close_day
from nightledger.gate.forgetting.keeping import find_damaged, remove_expired
from nightledger.gate.integrity.checking import find_altered


def approved(desk: Desk, *drafts: Any, only: tuple[int, ...] = ()) -> tuple[Proposal, Decision]:
    """Propose what a pruner would and sign it; nothing is carried out."""
    proposal = pruned(desk, *drafts)
    (decision,) = desk.approve(proposal, only=only)
    return proposal, decision


def mixed(desk: Desk, *entries: str) -> Proposal:
    """Propose what the operator asked for: entries to archive, a log to compress and a link to delete in one."""
    drafts = [*archive(desk, *entries), compress(desk, LOG), forget()]
    made = prune(desk, *drafts, lane=OPERATOR).proposal
    assert made is not None
    assert {change.op for change in made.changes} == {Op.ARCHIVE, Op.COMPRESS, Op.DELETE_LINK}
    return made


def live(desk: Desk, days: int) -> None:
    """Let days pass, with what each night does at its end."""
    for _ in range(days):
        desk.wait(days=1)
        close_day(desk.gate, desk.ledger(), desk.moment.at.date().isoformat(), desk.moment)
        remove_expired(desk.gate, desk.ledger(), desk.moment)


# ---------------------------------------------------------------- what the gate itself does


def test_what_was_archived_compressed_forgotten_and_taken_back_is_what_was_signed(desk: Desk) -> None:
    before = snapshot(desk)
    first = forgotten(desk, *archive(desk, "backups", "relay"))
    second = forgotten(desk, compress(desk, LOG))
    third = forgotten(desk, forget())
    assert counts(desk) == (3, 0)
    for one in (third, second, first):
        desk.undo(one)
    assert {path: content for path, content in snapshot(desk).items() if path != LOG} == before
    assert counts(desk) == (6, 0)


def test_all_of_a_proposal_with_an_archival_a_compression_and_a_link_is_taken_back_one_by_one(
    desk: Desk,
) -> None:
    proposal = mixed(desk, "backups")
    desk.approve(proposal)
    desk.wait(hours=3)
    desk.apply()
    assert counts(desk) == (1, 0)
    for change in proposal.changes:
        desk.undo(proposal, change.n)
        assert desk.states(proposal)[change.n - 1] == "undone"
    assert counts(desk) == (4, 0)


@pytest.mark.parametrize("chosen", [{Op.ARCHIVE}, {Op.COMPRESS}, {Op.DELETE_LINK}, {Op.COMPRESS, Op.ARCHIVE}])
def test_part_of_a_month_that_was_approved_is_what_was_signed(desk: Desk, chosen: set[Op]) -> None:
    proposal = mixed(desk, "backups", "relay")
    numbers = [change.n for change in proposal.changes if change.op in chosen]
    desk.approve(proposal, only=numbers)
    desk.wait(hours=3)
    desk.apply()
    assert [n for n, state in enumerate(desk.states(proposal), 1) if state == "applied"] == numbers
    assert counts(desk) == (1, 0)


@pytest.mark.parametrize("rejected", [Op.ARCHIVE, Op.COMPRESS, Op.DELETE_LINK])
def test_what_is_taken_back_while_it_cools_leaves_the_others_as_they_were_signed(
    desk: Desk, rejected: Op
) -> None:
    """The decision names more files, or more lines of them, than the apply writes."""
    proposal = mixed(desk, "backups", "relay")
    desk.approve(proposal)
    desk.reject_some(proposal, next(change.n for change in proposal.changes if change.op is rejected))
    desk.wait(hours=3)
    desk.apply()
    assert sorted(desk.states(proposal)) == ["applied"] * 3 + ["rejected"]
    assert counts(desk) == (1, 0)


def test_only_a_link_is_left_of_what_was_approved(desk: Desk) -> None:
    proposal = mixed(desk, "backups")
    desk.approve(proposal)
    desk.reject_some(proposal, *(c.n for c in proposal.changes if c.op is not Op.DELETE_LINK))
    desk.wait(hours=3)
    desk.apply()
    assert sorted(desk.states(proposal)) == ["applied", "rejected", "rejected"]
    assert counts(desk) == (1, 0)


def test_an_archive_to_which_another_wrote_between_signature_and_apply_is_replayed(desk: Desk) -> None:
    approved(desk, *archive(desk, "backups", "relay"))
    put(desk, ARCHIVE, b"# Mine \xff\r\n\r\nno end")
    desk.wait(hours=3)
    (attempt,) = desk.apply()
    assert attempt.changes == (1, 2)
    assert file(desk, ARCHIVE).read_bytes().startswith(b"# Mine \xff\r\n\r\nno end\n\n##")
    assert counts(desk) == (1, 0)
    desk.undo(desk.proposal_of(attempt.proposal))
    assert counts(desk) == (2, 0)


def test_logs_of_any_bytes_and_a_log_that_changed_meanwhile_are_what_was_signed(desk: Desk) -> None:
    taken: list[str] = []
    drafts = []
    for path, content in {LOG: FULL, **ODD}.items():
        drafts.append(compress(desk, path, content, taken))
        taken.append(drafts[-1].also[0].target)
    proposal, _ = approved(desk, *drafts)
    put(desk, LOG, FULL + b"- Late \xff.\n")
    desk.wait(hours=3)
    desk.apply()
    assert sorted(desk.states(proposal)) == ["applied"] * 3 + ["stale"]
    assert counts(desk) == (1, 0)
    desk.undo(proposal)
    assert counts(desk) == (2, 0)


def test_a_copy_that_lies_there_already_is_what_was_signed(desk: Desk) -> None:
    approved(desk, compress(desk, LOG))
    put(desk, COPY, FULL)
    desk.wait(hours=3)
    (attempt,) = desk.apply()
    assert counts(desk) == (1, 0)
    desk.undo(desk.proposal_of(attempt.proposal))
    assert file(desk, COPY).exists()
    assert counts(desk) == (2, 0)


def test_what_came_into_a_summary_or_a_copy_since_is_part_of_a_signed_undo(desk: Desk) -> None:
    first = forgotten(desk, compress(desk, LOG))
    put(desk, LOG, file(desk, LOG).read_bytes() + b"- One more thing.\n")
    put(desk, COPY, b"mine now\n")
    desk.undo(first)
    assert file(desk, LOG).read_bytes() == FULL + b"- One more thing.\n"
    assert counts(desk) == (2, 0)


def test_an_archival_around_drift_is_replayed_on_both_texts(desk: Desk) -> None:
    proposal, _ = approved(desk, *archive(desk, "backups"))
    desk.memory.write_text(desk.text() + "\n- Boat: paint the hull\n")
    desk.guard()
    desk.wait(hours=3)
    desk.apply()
    assert desk.states(proposal) == ["applied"]
    assert counts(desk) == (1, 0)
    desk.undo(proposal)
    assert counts(desk) == (2, 0)


# ---------------------------------------------------------------- closed proposals whose text went


def partly_forgotten(desk: Desk) -> Proposal:
    """Apply part of what was signed: what it did can be told only from its proposal and its bytes."""
    proposal = pruned(desk, *archive(desk, "backups", "relay"), compress(desk, LOG))
    desk.approve(proposal)
    desk.reject_some(proposal, 1)
    desk.wait(hours=3)
    desk.apply()
    assert sorted(desk.states(proposal)) == ["applied", "applied", "rejected"]
    return proposal


def require_sound(desk: Desk) -> None:
    ledger = desk.ledger()
    assert not find_altered(desk.home, ledger, desk.moment)
    assert not find_damaged(desk.home, ledger, desk.moment, desk.gate.undo_days)


def test_a_closed_proposal_whose_text_expired_is_counted_and_no_alarm(desk: Desk) -> None:
    proposal = partly_forgotten(desk)
    desk.applied(addition("Later."))
    for _ in range(4):
        live(desk, 3)
        require_sound(desk)
        assert sum(counts(desk)) == 2
    assert not os.path.lexists(desk.home.proposal(proposal.id))
    assert desk.ledger().book.gone[desk.ledger().book.proposals[proposal.id].sha256] is Gone.EXPIRED
    assert counts(desk) == (1, 1)


def test_whatever_was_done_in_the_last_week_is_checked_when_texts_go(desk: Desk) -> None:
    """An undo, long after its apply, holds the text for another week; then both rest on their hashes."""
    old = partly_forgotten(desk)
    live(desk, 6)
    desk.undo(old, 2)
    assert counts(desk) == (2, 0)
    live(desk, 6)
    assert os.path.lexists(desk.home.proposal(old.id))
    assert counts(desk) == (1, 1)
    live(desk, 6)
    assert not os.path.lexists(desk.home.proposal(old.id))
    assert counts(desk) == (1, 1)
    require_sound(desk)


def test_a_closed_proposal_that_was_applied_whole_needs_no_text(desk: Desk) -> None:
    proposal = forgotten(desk, *archive(desk, "backups"), compress(desk, LOG))
    live(desk, 12)
    assert not os.path.lexists(desk.home.proposal(proposal.id))
    assert counts(desk) == (1, 0)


@pytest.mark.parametrize(("days", "ahead"), [(3, 0), (6, 1), (13, 10)])
def test_a_text_that_is_said_to_have_gone_before_its_time_excuses_nothing(
    desk: Desk, days: int, ahead: int
) -> None:
    """Too early by the log, or by an entry that is dated ahead of the clock."""
    proposal = partly_forgotten(desk)
    now = desk.moment
    Path(desk.home.proposal(proposal.id)).unlink()
    desk.wait(days=days)
    sha256 = desk.ledger().book.proposals[proposal.id].sha256
    desk.record("blobs.removed", sha256s=[sha256])
    desk.moment = Moment(at=now.at + timedelta(days=days - ahead))
    assert said(desk, alone=True) == "its proposal is not what was logged"


def test_a_text_that_went_and_of_which_the_log_says_nothing_is_found(desk: Desk) -> None:
    proposal = partly_forgotten(desk)
    Path(desk.home.proposal(proposal.id)).unlink()
    assert said(desk) == "its proposal is not what was logged"

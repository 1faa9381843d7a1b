"""What was archived, compressed or forgotten, and taken back, is what was signed."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import (
    LOG,
    archive,
    compress,
    forget,
    forgotten,
    prune,
    pruned,
    snapshot,
)
from tests.gate.forging import counts, said
from tests.gate.homes import Desk

from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Op, Proposal


def mixed(desk: Desk, *entries: str) -> Proposal:
    """Propose what the operator asked for: entries to archive, a log to compress and a link to delete in one."""
    drafts = [*archive(desk, *entries), compress(desk, LOG), forget()]
    made = prune(desk, *drafts, lane=OPERATOR).proposal
    assert made is not None
    assert {change.op for change in made.changes} == {Op.ARCHIVE, Op.COMPRESS, Op.DELETE_LINK}
    return made


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


def partly_forgotten(desk: Desk) -> Proposal:
    """Apply part of what was signed: what it did can be told only from its proposal and its bytes."""
    proposal = pruned(desk, *archive(desk, "backups", "relay"), compress(desk, LOG))
    desk.approve(proposal)
    desk.reject_some(proposal, 1)
    desk.wait(hours=3)
    desk.apply()
    assert sorted(desk.states(proposal)) == ["applied", "applied", "rejected"]
    return proposal


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

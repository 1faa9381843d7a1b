"""Bytes and decisions that went: as they may, they are counted; else they are found, with what was forged to hide it."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.forging import counts, expunge, look, record_unasked, sha
from tests.gate.homes import MEMORY, Desk, addition

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Proposal
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.blobs import BlobStore
from nightledger.gate.integrity.checking import NOT_REMOVED, find_altered
from nightledger.gate.review.composing import make_unproposed


def approved(desk: Desk, lesson: str = "A lesson.") -> tuple[Proposal, Decision]:
    proposal = desk.proposal(addition(lesson))
    (decision,) = desk.approve(proposal)
    return proposal, decision


# ---------------------------------------------------------------- bytes that are gone


def partly_applied(desk: Desk) -> Proposal:
    """Apply one of two approved changes: what it did can be told only from its bytes."""
    proposal = desk.proposal(addition("One thing.", rank=0.9), addition("Another thing."))
    desk.approve(proposal)
    desk.reject_some(proposal, 1)
    desk.wait(hours=3)
    desk.apply()
    return proposal


@pytest.mark.parametrize(("days", "ahead"), [(3, 0), (6, 1), (13, 10)])
def test_bytes_that_are_said_to_have_gone_before_their_time_excuse_nothing(
    desk: Desk, days: int, ahead: int
) -> None:
    """Too early by the log, or by an entry that is dated ahead of the clock."""
    partly_applied(desk)
    desk.record("blobs.removed", sha256s=["0" * 64])
    now = desk.moment
    Path(BlobStore(desk.home.blobs_dir).path(sha(MEMORY))).unlink()
    desk.wait(days=days)
    desk.record("blobs.removed", sha256s=[sha(MEMORY)])
    (found,) = look(desk, Moment(at=now.at + timedelta(days=days - ahead))).findings
    assert "that it names are not there" in found.message


def test_a_decision_that_the_operator_expunged_is_counted(desk: Desk) -> None:
    _, decision = approved(desk)
    desk.wait(hours=3)
    desk.apply()
    expunge(desk, desk.home.relative(desk.home.decision(decision.id)))
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    assert counts(desk) == (0, 1)


# ---------------------------------------------------------------- forged decisions and expunges


def test_an_expunge_removes_what_was_signed_and_nothing_else(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    decision = make_unproposed(
        desk.gate,
        DecisionType.EXPUNGE,
        [
            DecisionTarget(
                path=desk.home.relative(desk.home.proposal(proposal.id)),
                base=desk.ledger().book.proposals[proposal.id].sha256,
                result=EMPTY_SHA256,
                hunks_sha256=EMPTY_SHA256,
            )
        ],
        desk.signing(),
    )
    record_unasked(desk, decision)
    desk.record("text.expunged", decision=decision.id, sha256s=["1" * 64], places=[])
    desk.record("text.expunged", decision=decision.id, sha256s=["2" * 64], places=[])
    assert list(desk.ledger().book.gone) == ["1" * 64]  # the second entry adds nothing
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert found.message == NOT_REMOVED

"""Approvals whose waits witnesses measure: the clock of this machine can do nothing about them."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, make_desk, open_desk
from tests.gate.witnessed import TRUE, cosign, make_witnessed_desk, two_of_three

from nightledger.domain.errors import UsageError
from nightledger.domain.proposal import Proposal
from nightledger.gate.integrity.witnessing import (
    find_leaves,
    has_waits_between,
    look_at_witnesses,
    read_cosignatures,
    read_policy,
    witnessed,
)
from nightledger.trust.report import Damage


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("witnessed")
    make_witnessed_desk(root, two_of_three())
    return root


@pytest.fixture
def desk(template: Path, tmp_path: Path) -> Desk:
    """A home that asks for two of three witnesses."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return open_desk(tmp_path)


def approved(desk: Desk) -> Proposal:
    """Propose at 0 h, cosigned at once; sign at 1 h, cosigned at once."""
    proposal = desk.proposal(addition("Check the fuse first."))
    cosign(desk, 0)
    desk.wait(hours=1)
    desk.approve(proposal)
    cosign(desk, 1)
    return proposal


def waits(desk: Desk) -> int:
    (attempt,) = desk.apply()
    assert not attempt.reasons
    return 0 if attempt.changes else attempt.wait_s


def test_the_policy_in_force_is_the_one_that_the_log_names(desk: Desk) -> None:
    policy = read_policy(desk.home, desk.ledger(), desk.moment)
    assert (policy.quorum, len(policy.witnesses)) == ("all", 3)
    Path(desk.home.policy).write_text("quorum none\n")
    assert read_policy(desk.home, desk.ledger(), desk.moment) == policy
    approved(desk)
    assert waits(desk) == 3600


def test_an_approval_waits_until_witnesses_have_seen_two_hours_pass(desk: Desk) -> None:
    approved(desk)
    assert waits(desk) == 2 * 3600 - 3600
    cosign(desk, 1.5)
    assert waits(desk) == 1800
    cosign(desk, 2)
    assert waits(desk) == 0
    assert "Check the fuse first." in desk.text()


def test_setting_the_clock_forward_here_shortens_nothing(desk: Desk) -> None:
    approved(desk)
    desk.wait(days=5)
    assert waits(desk) == 3600
    assert "fuse" not in desk.text()


def test_setting_it_back_here_lengthens_nothing_once_the_signed_time_is_reached(desk: Desk) -> None:
    approved(desk)
    cosign(desk, 3)
    desk.wait(minutes=-30)
    assert waits(desk) == 0


def test_without_its_witnesses_nothing_is_applied_and_nothing_is_lost(desk: Desk) -> None:
    proposal = desk.proposal(addition("Check the fuse first."))
    desk.approve(proposal)
    desk.wait(hours=9)
    assert waits(desk) == 2 * 3600
    cosign(desk, 9)
    assert waits(desk) == 2 * 3600
    cosign(desk, 11)
    assert waits(desk) == 0


def test_one_witness_of_two_does_not_start_the_wait(desk: Desk) -> None:
    proposal = desk.proposal(addition("Check the fuse first."))
    desk.approve(proposal)
    cosign(desk, 0, 1)
    cosign(desk, 9, 1)
    desk.wait(hours=9)
    assert waits(desk) == 2 * 3600


def test_one_lying_witness_of_two_needs_the_other_to_agree(desk: Desk) -> None:
    approved(desk)
    cosign(desk, 30, 3)  # its clock is a day ahead
    assert waits(desk) == 3600
    cosign(desk, 1.25, 1)
    assert waits(desk) == 3600 - 900


def test_first_times_that_were_removed_only_lengthen_the_wait(desk: Desk) -> None:
    approved(desk)
    cosign(desk, 3)
    for kept in Path(desk.home.checkpoints_dir).iterdir():
        kept.unlink()
    assert waits(desk) == 2 * 3600


def test_an_approval_expires_by_the_witnesses_clocks_too(desk: Desk) -> None:
    proposal = approved(desk)
    cosign(desk, 24 * 9)
    (attempt,) = desk.apply()
    assert attempt.stale
    assert "expired" in attempt.stale[0][1]
    assert desk.states(proposal) == ["stale"]


def test_an_operators_own_edit_waits_for_nobody(desk: Desk) -> None:
    desk.edit(desk.text().replace("30 days", "40 days").encode())
    assert "40 days" in desk.text()


def test_what_witnesses_know_is_told_for_both_waits(desk: Desk) -> None:
    approved(desk)
    ledger = desk.ledger()
    (status,) = ledger.book.decisions.values()
    found = witnessed(desk.gate, ledger, status, desk.moment)
    assert found is not None
    assert (found.proposed.first, found.signed.first) == (TRUE, TRUE + timedelta(hours=1))
    assert found.proposed.last == found.signed.last == TRUE + timedelta(hours=1)


def test_a_cosigned_head_that_the_log_does_not_continue_is_an_alarm(desk: Desk, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "home", tmp_path / "old-home")
    shutil.copytree(tmp_path / "keys", tmp_path / "old-keys")
    desk.proposal(addition("Check the fuse first."))
    cosign(desk, 0)
    newer = Path(desk.home.cosigned).read_bytes()
    for name in ("home", "keys"):
        shutil.rmtree(tmp_path / name)
        (tmp_path / f"old-{name}").rename(tmp_path / name)
    Path(desk.home.cosigned).write_bytes(newer)
    found = look_at_witnesses(desk.home, read_cosignatures(desk.home, desk.ledger(), desk.moment), TRUE)
    assert [finding.damage for finding in found.findings] == [Damage.ROLLBACK, Damage.STALE_WITNESS]
    assert "a head of 2 entries that this log does not continue" in found.findings[0].message


def test_a_day_without_a_quorum_is_stale(desk: Desk) -> None:
    cosign(desk, 0)
    heads = read_cosignatures(desk.home, desk.ledger(), desk.moment)
    assert look_at_witnesses(desk.home, heads, TRUE + timedelta(hours=24)).findings == ()
    look = look_at_witnesses(desk.home, heads, TRUE + timedelta(hours=24, seconds=1))
    assert [finding.damage for finding in look.findings] == [Damage.STALE_WITNESS]
    assert (look.size, look.at) == (1, TRUE)


def test_entries_are_found_by_what_they_are_about(desk: Desk) -> None:
    proposal = approved(desk)
    cosign(desk, 3)
    desk.apply()
    log = desk.ledger().log
    events = [event.event for event in log.events]
    (decision,) = desk.ledger().book.decisions
    (apply,) = desk.ledger().book.applies
    assert [events[place] for place in find_leaves(log, proposal.id)] == ["proposal.created"]
    assert [events[place] for place in find_leaves(log, decision)] == ["decision.recorded"]
    assert [events[place] for place in find_leaves(log, apply)] == ["apply.intent", "apply.done"]
    with pytest.raises(UsageError, match="no entry of 'p-none'"):
        find_leaves(log, "p-none")


def test_waits_begin_with_proposals_and_decisions_only(desk: Desk) -> None:
    size = desk.ledger().log.size
    desk.record("heartbeat", day="2026-03-01")
    assert not has_waits_between(desk.ledger().log, size, size + 1)
    desk.proposal(addition("Check the fuse first."))
    log = desk.ledger().log
    assert has_waits_between(log, size, log.size)
    assert not has_waits_between(log, size, size + 1)
    assert not has_waits_between(log, log.size, log.size)


def test_a_home_that_asks_for_nobody_cools_by_its_own_clocks(tmp_path: Path) -> None:
    desk = make_desk(tmp_path)
    desk.approve(desk.proposal(addition("Check the fuse first.")))
    (status,) = desk.ledger().book.decisions.values()
    assert witnessed(desk.gate, desk.ledger(), status, desk.moment) is None
    desk.wait(hours=2)
    assert waits(desk) == 0

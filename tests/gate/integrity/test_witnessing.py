"""Approvals whose waits witnesses measure: the clock of this machine can do nothing about them."""

import shutil
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, open_desk
from tests.gate.witnessed import TRUE, cosign, make_witnessed_desk, two_of_three

from nightledger.domain.proposal import Proposal
from nightledger.gate.integrity.witnessing import (
    look_at_witnesses,
    read_cosignatures,
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


def test_an_operators_own_edit_waits_for_nobody(desk: Desk) -> None:
    desk.edit(desk.text().replace("30 days", "40 days").encode())
    assert "40 days" in desk.text()


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

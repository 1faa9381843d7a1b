"""Approvals whose waits witnesses measure: the clock of this machine can do nothing about them."""

import shutil
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, open_desk
from tests.gate.witnessed import cosign, make_witnessed_desk, two_of_three

from nightledger.domain.proposal import Proposal


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

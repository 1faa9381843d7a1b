"""``verify`` with ``--prove``, ``--continues``, ``--proof``: out of a home, and checked without one."""

import shutil
from pathlib import Path

import pytest
from tests.gate.homes import addition, open_desk
from tests.gate.witnessed import cosign, make_witnessed_desk, two_of_three
from tests.rows import from_corpus
from tests.surfaces.console import Console


@pytest.fixture(scope="session")
def proven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an applied change, all of it cosigned by two of three witnesses."""
    root = tmp_path_factory.mktemp("proven")
    desk = make_witnessed_desk(root, two_of_three())
    desk.proposal(addition("Check the fuse first."))
    cosign(desk, 0)
    desk.wait(hours=1)
    desk.approve(*(desk.items()[0].stored.proposal,))
    cosign(desk, 1)
    cosign(desk, 3)
    desk.wait(hours=3)
    desk.apply()
    cosign(desk, 4)
    return root


@pytest.fixture
def console(proven: Path, tmp_path: Path) -> Console:
    shutil.copytree(proven, tmp_path, dirs_exist_ok=True)
    return Console(desk=open_desk(tmp_path))


def test_an_entry_is_named_by_the_beginning_of_an_id(console: Console) -> None:
    (decision,) = console.desk.ledger().book.decisions
    (proposal,) = console.desk.ledger().book.proposals
    for name in (decision, proposal):
        assert console.run("verify", "--prove", name[:6]).out == console.run("verify", "--prove", name).out
    assert "fits 3 ids" in console.run("verify", "--prove", "").err


@from_corpus("surfaces-verbs-proofs", tuples=True)
def test_what_cannot_be_proved_is_said(console: Console, words: tuple[str, ...], message: str) -> None:
    ran = console.run(*words)
    assert ran.status in (1, 2)
    assert message in ran.err

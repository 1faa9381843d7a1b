"""``prove``, ``check-proof``, ``consistency``: out of a home, and checked without one."""

import shutil
from pathlib import Path

import pytest
from tests.gate.homes import addition, open_desk
from tests.gate.witnessed import cosign, make_witnessed_desk, two_of_three
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
        assert console.run("prove", name[:6]).out == console.run("prove", name).out
    assert "fits 3 ids" in console.run("prove", "").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("prove", "99"), "the log has no entry 99"),
        (("prove", "9" * 5000), "the log has no entry 99"),
        (("consistency", "9" * 5000), "the log has 5 entries, not 99"),
        (("prove", "d-none"), "the log has no entry of 'd-none'"),
        (("consistency", "0"), "the log has 5 entries, not 0"),
        (("consistency", "6"), "the log has 5 entries, not 6"),
        (("consistency", "1", "4"), "no signed head of 4 entries is kept"),
        (("consistency", "1", "2", "--proof", "x"), "between two checkpoints' files"),
        (("consistency", "x", "--proof", "x"), "between two checkpoints' files"),
    ],
)
def test_what_cannot_be_proved_is_said(console: Console, words: tuple[str, ...], message: str) -> None:
    ran = console.run(*words)
    assert ran.status in (1, 2)
    assert message in ran.err

"""``approve`` and ``reject``: one proposal answered from the command line."""

from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, make_desk
from tests.surfaces.console import Console

from nightledger.domain.proposal import Proposal


def three(desk: Desk) -> Proposal:
    return desk.proposal(*(addition(f"Lesson {n}.", rank=1 - n / 10) for n in range(3)))


@pytest.mark.parametrize("only", ["", "0", "1;2", "-1", "\u00b2", "1,", "a", "9" * 5000])
def test_what_is_no_list_of_numbers_is_refused(console: Console, only: str) -> None:
    ran = console.run("approve", three(console.desk).id, f"--only={only}")
    assert ran.status == 2
    assert "is not a list of change numbers" in ran.err


def test_a_change_that_does_not_wait_is_named(console: Console) -> None:
    proposal = three(console.desk)
    console.out("approve", proposal.id, "--only", "1")
    ran = console.run("approve", proposal.id, "--only", "1,2,9")
    assert ran.status == 2
    assert "change 1, 9 of" in ran.err
    console.out("approve", proposal.id)
    ran = console.run("approve", proposal.id)
    assert ran.status == 2
    assert f"nothing of {proposal.id[:6]} waits for an answer" in ran.err


def test_a_named_diff_is_signed_and_no_other(console: Console) -> None:
    proposal = three(console.desk)
    sha256 = console.record("show", proposal.id)["diff_sha256"]
    ran = console.run("approve", proposal.id, "--diff-sha256", "0" * 64)
    assert ran.status == 1
    assert f"the diff has SHA-256 {sha256}" in ran.err
    console.out("approve", proposal.id, "--diff-sha256", sha256.upper())
    assert console.desk.states(proposal) == ["approved"] * 3


def test_in_scripts_only_a_key_without_passphrase_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    desk = make_desk(tmp_path, passphrase=b"x")
    proposal = three(desk)
    ran = Console(desk=desk).run("approve", proposal.id)
    assert ran.status == 1
    assert "has a passphrase, and there is no terminal to ask on" in ran.err
    assert desk.states(proposal) == ["pending"] * 3


def test_a_reason_that_no_record_can_hold_is_an_error_and_no_bug(console: Console) -> None:
    proposal = three(console.desk)
    ran = console.run("reject", proposal.id, "--reason", "caf\udce9")
    assert ran.status in (1, 2)
    assert "bug" not in ran.err

"""``prove``, ``check-proof``, ``consistency``: out of a home, and checked without one."""

import json
import shutil
from pathlib import Path

import pytest
from tests.gate.homes import addition, open_desk
from tests.gate.witnessed import cosign, make_witnessed_desk, two_of_three
from tests.surfaces.console import Console

from nightledger.demo.shell import Shell
from nightledger.trust.pin import read_pin
from nightledger.trust.policy import Policy, dump_policy


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


def policy(console: Console) -> str:
    return console.desk.home.policy


def elsewhere(console: Console, *words: str) -> tuple[int, str]:
    """Run a verb where there is no home and no key."""
    away = console.desk.root / "away"
    ran = Shell(home=away, keys=away).run(*words, now=console.desk.moment.at)
    return ran.status, ran.out + ran.err


def prove(console: Console, *words: str) -> str:
    path = str(console.desk.root / "proof.tlog-proof")
    console.out("prove", *words, "--out", path)
    return path


def test_a_decision_is_proved_to_somebody_without_the_home(console: Console) -> None:
    (decision,) = console.desk.ledger().book.decisions
    status, said = elsewhere(
        console, "check-proof", prove(console, decision, "--with-line"), "--policy", policy(console)
    )
    assert status == 0, said
    assert f"It holds: this is entry 2 of {console.desk.home.identity.origin}, under" in " ".join(
        said.split()
    )
    assert decision in said
    assert "cosigned by w1 at 2026-03-01 10:00:00 UTC" in said


def test_the_line_may_come_from_elsewhere(console: Console) -> None:
    path = prove(console, "0")
    line = console.desk.ledger().log.line(0)
    file = console.desk.root / "line"
    file.write_bytes(line + b"\n")
    given: tuple[tuple[str, str], ...] = (("--leaf", str(file)), ("--line", line.decode()))
    for option in given:
        status, said = elsewhere(console, "check-proof", path, *option, "--policy", policy(console))
        assert status == 0, said
    status, said = elsewhere(console, "check-proof", path, "--policy", policy(console))
    assert (status, "does not hold the line that it is of" in said) == (2, True)


def test_the_logs_own_key_will_do_for_who_asks_for_no_witness(console: Console) -> None:
    path = prove(console, "0", "--with-line")
    keys = read_pin(console.desk.ring, console.desk.home.identity.id).vkeys
    status, said = elsewhere(console, "check-proof", path, *(word for key in keys for word in ("--log", key)))
    assert (status, "the log's own word is all there is" in " ".join(said.split())) == (0, True)
    file = console.desk.root / "none"
    file.write_bytes(dump_policy(Policy()))
    status, said = elsewhere(console, "check-proof", path, "--policy", str(file))
    assert (status, "which is no log of the policy" in said) == (4, True)


def test_a_proof_is_printed_and_told_in_json(console: Console) -> None:
    (apply,) = console.desk.ledger().book.applies
    printed = console.out("prove", apply)
    assert printed.startswith("c2sp.org/tlog-proof@v1\nindex 4\n")
    record = console.record("prove", apply)
    assert record["proof"] == printed
    assert (record["entry"], record["cosigned"], record["path"]) == (4, True, None)
    assert json.loads(record["line"])["event"] == "apply.done"
    checked = elsewhere(
        console, "check-proof", prove(console, apply, "--with-line"), "--policy", policy(console), "--json"
    )[1]
    assert json.loads(checked)["cosigned"] == {"w1": "2026-03-01T10:00:00Z", "w2": "2026-03-01T10:00:00Z"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("prove",), "name an entry to prove"),
        (("prove", "1", "--tiles", "out"), "name an entry to prove"),
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

"""A home and its witness through days and attacks, by the commands that an operator and cron run."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition, make_desk
from tests.remote.witnesses import NAME, Machines
from tests.surfaces.console import Console

from nightledger.domain.decision import DecisionType, LogHead
from nightledger.files.atomic import Lock
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.restoring import Loss, loss_target
from nightledger.remote import witness_asking
from nightledger.trust.report import Damage

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ASKED = witness_asking.Remembered(asked_at=int(NOW.timestamp()), size=9)


def text(ran: str) -> str:
    return " ".join(ran.split())


def approve(console: Console) -> str:
    """Propose, and sign it at once."""
    proposal = console.desk.proposal(addition("Check the fuse first."))
    assert console.run("approve", proposal.id).status == 0
    return proposal.id


def test_cron_asks_again_when_the_waits_may_be_over_and_before_once_an_hour_at_most(
    machines: Machines, console: Console
) -> None:
    with machines.serving():
        console.run("witness", "ask")
        approve(console)
        console.run("apply")
        asked = [witness_asking.read_memory(machines.desk.home)[NAME].asked_at]
        for _ in range(13):
            machines.later(minutes=10)
            console.run("apply")
            asked.append(witness_asking.read_memory(machines.desk.home)[NAME].asked_at)
    assert [at - asked[0] for at in sorted(set(asked))] == [0, 3600, 7200]  # at once, and with each full look
    assert witness_asking.read_memory(machines.desk.home)[NAME].size == machines.desk.ledger().log.size
    assert "Check the fuse first." in machines.desk.text()


def test_answers_are_cosigned_behind_the_person_who_gave_them(machines: Machines, console: Console) -> None:
    with machines.serving():
        console.run("witness", "ask")
        proposal = machines.desk.proposal(addition("Check the fuse first."))
        machines.later(hours=3)
        console.out("approve", proposal.id)
        size = machines.desk.ledger().log.size
        assert witness_asking.read_memory(machines.desk.home)[NAME].size == size
        assert (Path(machines.desk.home.checkpoints_dir) / str(size)).exists()
    machines.desk.proposal(addition("Name the cable."))
    machines.later(hours=1)
    ran = console.run("approve", machines.desk.items()[-1].stored.proposal.id)
    assert (ran.status, ran.err) == (0, "")  # nobody answers, and the answers stand


def test_what_is_remembered_of_a_witness_rules_no_terminal(
    machines: Machines, console: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    """An agent can write that file."""
    with machines.serving():
        witness_asking.ask_round(machines.context)
    known = witness_asking.read_memory(machines.desk.home)[NAME]
    odd = "\x1b[2Jall is well"
    bent = replace(known, damage=Damage.FORK, problem=odd, size=machines.desk.ledger().log.size)
    witness_asking.write_memory(machines.desk.home, {NAME: bent})
    capsys.readouterr()
    witness_asking.ask_behind(machines.context)
    told = capsys.readouterr().err
    assert "all is well" in told
    assert "\x1b" not in told
    for verb in ("verify", "doctor", "status"):
        ran = console.run(verb)
        assert "\x1b" not in ran.out + ran.err


def test_a_witness_without_an_address_is_not_asked_and_doctor_names_it(
    machines: Machines, console: Console
) -> None:
    with machines.serving() as url:
        other = json.dumps({"witnesses": {"other.example/w": {"url": url}}})
        (machines.desk.ring.directory / "operator.yaml").write_text(other)
        ran = console.run("witness", "ask")
    assert (ran.status, "has not cosigned the newest head" in text(ran.out)) == (1, True)
    assert f"no address of {NAME}" in text(console.run("doctor", "--all").out)


def test_a_home_that_asks_for_nobody_is_told_what_a_witness_would_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    console = Console(desk=make_desk(tmp_path))
    assert "nobody else has seen this log's heads" in text(console.run("doctor", "--all").out)
    assert "cooling and undo go by its wall clock alone" in text(console.run("doctor", "--all").out)
    told: dict[str, object] = {"asked_for": False, "size": 0, "at": None, "findings": []}
    assert console.record("verify")["witnesses"] == told


# ------------------------------------------------------------------ attacks


def test_what_a_witness_said_is_over_when_it_cosigns_again(machines: Machines, console: Console) -> None:
    home = machines.desk.home
    witness_asking.write_memory(
        home, {NAME: witness_asking.Remembered(asked_at=1, problem="it says no", refused=True)}
    )
    assert f"{NAME} gave no line: it says no" in text(console.run("verify").out)
    with machines.serving():
        assert console.run("witness", "ask").status == 0
    assert not witness_asking.read_memory(home)[NAME].refused
    assert console.record("verify")["witnesses"]["findings"] == []


def sign_for_loss(desk: Desk) -> None:
    signing = desk.signing()
    seen = LogHead(size=signing.head.size + 1, root="ab" * 32)
    target = loss_target(Loss(stands=signing.head, seen=seen, pinned=True))
    desk.accept(make_unproposed(desk.gate, DecisionType.RESTORE, [target], signing))


def test_a_backup_that_was_taken_over_stays_an_alarm_until_another_witness_is_signed_for(
    machines: Machines, console: Console, tmp_path: Path
) -> None:
    old, operator = tmp_path / "old", machines.desk.ring.directory / "operator.yaml"
    for name in ("home", "keys"):
        shutil.copytree(machines.root / name, old / name)
    with machines.serving():
        machines.desk.proposal(addition("Check the fuse first."))
        console.run("witness", "ask")
        address = operator.read_bytes()
        for name in ("home", "keys"):
            shutil.rmtree(machines.root / name)
            shutil.copytree(old / name, machines.root / name)
        operator.write_bytes(address)
        sign_for_loss(machines.desk)
        assert console.run("night").status == 4
        assert console.run("verify").out.startswith("FORK ")
        assert console.run("apply").status == 4
        lines = tmp_path / "lines"
        lines.write_text("quorum none\n")
        assert console.run("witness", "trust", str(lines)).status == 0  # the gate is open for that
        assert console.run("night").status == 0
    assert console.run("verify").status == 0


def test_one_round_at_a_time(machines: Machines) -> None:
    with machines.serving(), Lock(machines.desk.home.lock_path("witness")):
        assert witness_asking.ask_round(machines.context) is None


# ------------------------------------------------------------------ when it is asked again


def due(known: witness_asking.Remembered, *, size: int = 9, refresh: bool = False, **by: float) -> bool:
    return known.is_due(NOW + timedelta(**by), size, refresh=refresh)


def test_a_head_is_asked_for_when_it_grew_when_it_ages_and_after_a_failure_in_ten_minutes() -> None:
    assert not due(ASKED, hours=5, minutes=59)
    assert due(ASKED, hours=6)
    assert due(ASKED, size=10)
    assert due(ASKED, refresh=True)
    failed = replace(ASKED, problem="nobody answers")
    assert not due(failed, size=10, refresh=True, seconds=witness_asking.RETRY_S - 1)
    assert due(failed, seconds=witness_asking.RETRY_S)

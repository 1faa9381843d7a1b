"""A home that is lived in for months, pruned each week, is sound at each look: what went, went as it may."""

import dataclasses
from datetime import UTC, datetime, time, timedelta
from itertools import count
from pathlib import Path

import pytest
from bench.bench_growth import FIRST, live, single_days
from bench.living import approve_all, live_night, make_home
from tests.faults.sweep_report import report, whole
from tests.gate.homes import Desk
from tests.second_verifier import second_look

from nightledger.demo.shell import Shell
from nightledger.domain.decision import Moment
from nightledger.domain.proposal import Kind
from nightledger.gate.applies import look_at_applies
from nightledger.gate.checking import verify_decisions
from nightledger.gate.opening import Gate

DAYS, FOUNDED = (120, 0) if whole() else (50, 26)
"""Days that the agent lives, and the day on which the home is founded. Logs are summed up after thirty
days."""
NOTES = "".join(f"- Step {n} of the relay upgrade went as planned.\n" for n in range(40)).encode()
"""A second log a day, to which no outcome points: each week the pruner asks about several."""
SWEEP = "months lived in, pruned each week"
EARLY = time(1)


def desk_of(gate: Gate, at: datetime) -> Desk:
    return Desk(gate=gate, ring=gate.ring, moment=Moment(at=at), nonces=count(1 << 40))


def reject_one(desk: Desk) -> bool:
    """Sign all that the pruner asks, and take one change back while it cools: its apply is told by its bytes alone."""
    asked = [
        status.id
        for status in desk.ledger().book.live()
        if status.kind is Kind.PRUNE and len(status.open_changes()) > 1
    ]
    approve_all(desk.gate, desk.moment)
    for name in asked:
        desk.reject(desk.proposal_of(name), 1)
    return bool(asked)


def problems(desk: Desk, shell: Shell) -> list[str]:
    """Run verify, and compare how many applies it could check with how many happened within the undo window."""
    ran = shell.run("verify", now=desk.moment.at)
    found = [f"{desk.moment.at}: {ran.status} {ran.out}{ran.err}"] if ran.status else []
    status, said = second_look(desk.home.root, desk.ring.directory)
    found += [f"{desk.moment.at}: the independent verifier: {status} {said}"] if status != ran.status else []
    ledger = desk.ledger()
    look = look_at_applies(desk.home, ledger, verify_decisions(desk.home, ledger), desk.moment)
    since = desk.moment.at - timedelta(days=7)
    late = sum(one.began.at > since for one in ledger.book.begun)
    old = len(ledger.book.begun) - late
    return found + ([f"{look.expired} of {old} old applies expired"] if look.expired > old else [])


@pytest.mark.slow
def test_a_home_of_months_of_which_bytes_went_is_sound_every_week(tmp_path: Path) -> None:
    root = tmp_path / "home"
    gate = make_home(root, tmp_path / "keys", FIRST + timedelta(days=FOUNDED))
    shell = Shell(home=root, keys=tmp_path / "keys")
    found: list[str] = []
    looks = parts = 0
    for agent_day in single_days(DAYS, seed=0):
        notes = (f"memory/{agent_day.day}-notes.md", NOTES)
        live(gate, root, dataclasses.replace(agent_day, logs=(*agent_day.logs, notes)))
        if (agent_day.day - FIRST).days < FOUNDED:
            continue
        desk = desk_of(gate, datetime.combine(agent_day.day + timedelta(days=1), EARLY, UTC))
        parts += reject_one(desk)
        live_night(gate, agent_day.day)
        if agent_day.day.weekday() == 2 or (agent_day.day - FIRST).days == DAYS - 1:
            looks += 1
            found += problems(desk_of(gate, desk.moment.at + timedelta(hours=22)), shell)
    report(SWEEP, points=looks, failed=len(found))
    assert not found, "\n".join(found[:3])
    assert parts

"""Clocks that jump, sleep and start again: no wait is shortened, no window closed early, no day lost."""

import argparse
import importlib
import json
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.domain.gate_values import START
from tests.faults.clock_machine import DAY_S, Machine, Turn, Turns, turns
from tests.faults.sweep_report import report, whole
from tests.gate.homes import Desk, addition, make_desk, make_founding, open_desk

from nightledger.demo.shell import Shell
from nightledger.domain.agenda import Calendar, duties
from nightledger.domain.cooling import Cooling, Vouched, Witnessed, elapsed_s, remaining_s
from nightledger.domain.event import Entry
from nightledger.domain.moment import Moment
from nightledger.domain.periods import Daily, Schedule, Weekly, log_day
from nightledger.domain.presence import since_review_s
from nightledger.domain.runs import AHEAD, Run, RunOutcome
from nightledger.domain.states import ChangeState
from nightledger.gate.forgetting.keeping import remove_expired
from nightledger.gate.founding import found
from nightledger.surfaces import clock
from nightledger.surfaces.context import Context

SWEEP = "clocks that jump, sleep and start again"
EXAMPLES, ALL_EXAMPLES = 100, 2_000
examples = settings(max_examples=ALL_EXAMPLES if whole() else EXAMPLES)
TWO_HOURS_S, TEN_MINUTES_S = 7_200, 600
ANY_TURN = turns(*Turn)
ONE_BOOT = turns(Turn.PASS, Turn.STEP)


def live(machine: Machine, befalls: Turns) -> None:
    for kind, seconds in befalls:
        machine.turn(kind, seconds)


# ---------------------------------------------------------------- cooling and undo, the rules
@examples
@given(between=ONE_BOOT, after=ONE_BOOT)
def test_within_one_boot_nothing_that_befalls_a_clock_shortens_cooling(between: Turns, after: Turns) -> None:
    machine = Machine()
    proposed = machine.moment()
    live(machine, between)
    signed, signed_s = machine.moment(), machine.true_s
    live(machine, after)
    if remaining_s(proposed, signed, machine.moment(), Cooling()) == 0:
        assert machine.true_s >= TWO_HOURS_S
        assert machine.true_s - signed_s >= TEN_MINUTES_S


@examples
@given(after=turns(*Turn, forward=False))
def test_across_reboots_only_a_clock_set_forward_can_shorten_cooling(after: Turns) -> None:
    """The level that 'doctor' states: without a witness one wall time is all that a reboot leaves."""
    machine = Machine()
    proposed = machine.moment()
    live(machine, after)
    if remaining_s(proposed, proposed, machine.moment(), Cooling()) == 0:
        assert machine.true_s >= TWO_HOURS_S


@examples
@given(before=ANY_TURN, between=ANY_TURN, after=ANY_TURN)
def test_with_a_witness_nothing_at_all_shortens_cooling(before: Turns, between: Turns, after: Turns) -> None:
    """The witness is another machine: whatever befalls this one, its times are true ones."""
    machine = Machine()
    proposed = machine.moment()
    live(machine, before)
    first = START + timedelta(seconds=machine.true_s)
    live(machine, between)
    last = START + timedelta(seconds=machine.true_s)
    live(machine, after)
    vouched = Vouched(first=first, last=last)
    witnessed = Witnessed(proposed=vouched, signed=vouched)
    if remaining_s(proposed, proposed, machine.moment(), Cooling(), witnessed) == 0:
        assert machine.true_s >= TWO_HOURS_S


@examples
@given(befalls=ONE_BOOT)
def test_within_one_boot_no_undo_window_closes_early(befalls: Turns) -> None:
    machine = Machine()
    applied = machine.moment()
    live(machine, befalls)
    assert elapsed_s(applied, machine.moment()) <= machine.true_s


def test_a_wait_that_passed_in_truth_is_over_on_a_clock_that_tells_it() -> None:
    """The rules above would hold of a gate that never opens: it opens."""
    machine = Machine()
    proposed = machine.moment()
    machine.turn(Turn.PASS, TWO_HOURS_S)
    assert remaining_s(proposed, proposed, machine.moment(), Cooling()) == 0
    machine.turn(Turn.PASS, 7 * DAY_S)
    assert elapsed_s(proposed, machine.moment()) >= 7 * DAY_S


# ---------------------------------------------------------------- decay, the rule
@examples
@given(befalls=ANY_TURN)
def test_no_clock_postpones_the_decay_of_consent(befalls: Turns) -> None:
    """What ran between two entries of one boot counts in full, whatever the wall clock says then or later."""
    machine, entries, ran_s = Machine(), [], 0
    entries.append(entry(machine, decision="d-1"))
    for kind, seconds in befalls:
        before_s = machine.true_s
        machine.turn(kind, seconds)
        entries.append(entry(machine))
        ran_s += machine.true_s - before_s if kind is not Turn.BOOT else 0
    assert since_review_s(entries, "d-1", machine.moment()) >= ran_s


@examples
@given(befalls=turns(Turn.PASS, Turn.BOOT))
def test_a_clock_that_is_right_counts_reboots_too(befalls: Turns) -> None:
    machine, entries = Machine(), []
    entries.append(entry(machine, decision="d-1"))
    for kind, seconds in befalls:
        machine.turn(kind, seconds)
        entries.append(entry(machine))
    assert since_review_s(entries, "d-1", machine.moment()) == machine.true_s


def entry(machine: Machine, decision: str = "") -> Entry:
    moment = machine.moment()
    fields: dict[str, Any] = {"boot": moment.boot, "boot_s": moment.boot_s}
    name = "decision.recorded" if decision else "heartbeat"
    return (name, {**fields, "decision": decision} if decision else fields, moment.at)


# ---------------------------------------------------------------- periods, the rule
BERLIN = ZoneInfo("Europe/Berlin")
SCHEDULES: dict[str, Schedule] = {
    "consolidate": Daily(at=time(3, 5)),
    "weekly": Weekly(weekday=6, at=time(3)),
}


class Nights:
    """A home's run ledger under a clock that jumps: each call does what is due and writes it down."""

    def __init__(self, since: date, zone: ZoneInfo = BERLIN) -> None:
        self.calendar = Calendar(schedules=SCHEDULES, zone=zone, since=since, limit=7)
        self.runs: list[Run] = []

    def call(self, now: datetime) -> None:
        for duty in duties(self.calendar, self.runs, now):
            made = {
                "job": duty.job,
                "period": duty.period.key,
                "attempt": duty.attempt,
                "started_at": now,
                "finished_at": now,
            }
            self.runs.append(Run(v=1, id="r-1", outcome=RunOutcome.DONE, counts={}, **made))  # type: ignore[arg-type]

    def settle(self, now: datetime) -> None:
        """Call until nothing is due: catching up takes seven periods a call."""
        before = -1
        while before != len(self.runs):
            before = len(self.runs)
            self.call(now)

    def wanted(self, now: datetime) -> set[str]:
        """Give the days that a nightly job must have done by now."""
        last = log_day(now - timedelta(hours=4), self.calendar.zone)
        days = (last - self.calendar.since).days
        return {(self.calendar.since + timedelta(days=n)).isoformat() for n in range(days)}


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"])
@pytest.mark.parametrize("month", [3, 4, 10, 11])
def test_over_every_change_of_daylight_saving_each_night_runs_once(zone: str, month: int) -> None:
    """Called every half hour through the month, by machines that are off for some of the hours."""
    since = date(2026, month, 1)
    for off in (None, range(5), range(1, 4)):
        nights = Nights(since, ZoneInfo(zone))
        now = datetime(2026, month, 1, 12, tzinfo=UTC)
        while now < datetime(2026, month, 28, 12, tzinfo=UTC):
            now += timedelta(minutes=30)
            if off is None or now.hour not in off:
                nights.call(now)
        done = Counter((run.job, run.period) for run in nights.runs)
        assert set(done.values()) == {1}
        assert {day for job, day in done if job == "consolidate"} >= nights.wanted(now)


HALF_AN_HOUR_S = 1_799


@examples
@given(
    befalls=st.lists(
        st.tuples(st.integers(0, 3 * DAY_S), st.integers(-HALF_AN_HOUR_S, HALF_AN_HOUR_S)), max_size=20
    )
)
def test_a_clock_that_is_wrong_by_less_than_half_an_hour_runs_no_period_twice_and_skips_none(
    befalls: list[tuple[int, int]],
) -> None:
    """Between any two of its readings lies less than the hour by which the ledger tells a wrong clock."""
    machine = Machine()
    nights = Nights(log_day(START, BERLIN))
    for waits_s, ahead_s in befalls:
        machine.turn(Turn.PASS, waits_s)
        machine.ahead_s = ahead_s
        nights.call(machine.wall())
    machine.ahead_s = 0
    nights.settle(machine.wall())
    done = Counter((run.job, run.period) for run in nights.runs)
    assert set(done.values()) <= {1}
    assert {day for job, day in done if job == "consolidate"} >= nights.wanted(machine.wall())


@examples
@given(befalls=turns(Turn.PASS, Turn.STEP, most_s=20 * DAY_S))
def test_a_clock_set_forward_and_back_loses_no_period(befalls: Turns) -> None:
    """What a clock ran that was far ahead of the present one counts for nothing: such a period, and no other, comes again.

    Nobody can tell which of the two clocks was wrong; a period again changes nothing (see the real night
    below), a period lost is lost.
    """
    machine = Machine()
    nights = Nights(log_day(START, BERLIN))
    for kind, seconds in befalls:
        machine.turn(kind, seconds)
        nights.call(machine.wall())
    machine.turn(Turn.STEP, -machine.ahead_s)
    nights.settle(machine.wall())
    now = machine.wall()
    honest = [run for run in nights.runs if run.started_at <= now + AHEAD]
    assert {run.period for run in honest if run.job == "consolidate"} >= nights.wanted(now)
    for (job, period), count in Counter((run.job, run.period) for run in nights.runs).items():
        ran = [run.started_at for run in nights.runs if (run.job, run.period) == (job, period)]
        # Each time it came again, the clock stood more than an hour behind the run before.
        assert all(later < before - AHEAD for before, later in pairwise(ran)), (job, count)


def test_the_rules_of_clocks_are_counted() -> None:
    sequences = 8 * (ALL_EXAMPLES if whole() else EXAMPLES)
    report(SWEEP, "sequences tried on the rules", points=sequences)


# ---------------------------------------------------------------- the real command line
class Clocks:
    """A home of the ordinary kind on a machine whose clocks the test sets."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.machine = Machine()
        patch.setenv("NIGHTLEDGER_KEYS", str(root / "keys"))
        patch.setattr(clock, "system_now", self.machine.wall)
        patch.setattr(clock, "boot_clock", lambda: (self.moment.boot, self.moment.boot_s))
        (root / "home").mkdir(parents=True)
        (root / "home" / "MEMORY.md").write_text("# MEMORY.md\n\n## Lessons\n\n- Keep backups.\n")
        found(make_founding(root, simulated=False), None, self.moment)
        self.desk: Desk = open_desk(root)

    @property
    def moment(self) -> Moment:
        return self.machine.moment()

    def proposal(self, text: str) -> str:
        """Propose and approve."""
        self.desk.moment = self.moment
        proposal = self.desk.proposal(addition(text))
        self.desk.approve(proposal)
        return proposal.id

    def run(self, verb: str, *words: str) -> int:
        module = importlib.import_module(f"nightledger.surfaces.verbs.{verb}")
        parser = argparse.ArgumentParser(prog=verb)
        module.configure(parser)
        context = Context(verb=verb, home=self.desk.home.root, now_text=None, json=False)
        status: int = module.run(parser.parse_args(words), context)
        return status

    def state(self, proposal: str) -> ChangeState:
        return self.desk.ledger().book.proposals[proposal].state_of(1)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(tmp_path, monkeypatch)


@pytest.mark.parametrize("step_s", [3 * 3_600, -3 * 3_600, 6 * DAY_S, 0])
def test_apply_waits_two_true_hours_whatever_the_wall_clock_says(here: Clocks, step_s: int) -> None:
    proposal = here.proposal("Set the zone in every timer.")
    here.machine.turn(Turn.PASS, 60)
    here.machine.turn(Turn.STEP, step_s)
    here.run("apply")
    assert here.state(proposal) is ChangeState.APPROVED
    here.machine.turn(Turn.PASS, TWO_HOURS_S - 61)
    here.run("apply")
    assert here.state(proposal) is ChangeState.APPROVED
    here.machine.turn(Turn.PASS, 1)
    here.machine.turn(
        Turn.STEP, max(0, -step_s)
    )  # a clock set back lengthens the wait until it is right again
    here.run("apply")
    assert here.state(proposal) is ChangeState.APPLIED


def test_a_clock_beyond_the_approvals_end_asks_again_and_applies_nothing(here: Clocks) -> None:
    proposal = here.proposal("Set the zone in every timer.")
    here.machine.turn(Turn.PASS, 60)
    here.machine.turn(Turn.STEP, 400 * DAY_S)
    here.run("apply")
    assert here.state(proposal) is ChangeState.STALE


def test_an_undo_is_possible_for_seven_true_days_whatever_the_wall_clock_says(here: Clocks) -> None:
    proposal = here.proposal("Set the zone in every timer.")
    here.machine.turn(Turn.PASS, TWO_HOURS_S)
    here.run("apply")
    assert here.state(proposal) is ChangeState.APPLIED
    here.machine.turn(Turn.STEP, 40 * DAY_S)
    remove_expired(here.desk.gate, here.desk.ledger(), here.moment)
    here.machine.turn(Turn.PASS, 7 * DAY_S - 60)
    remove_expired(here.desk.gate, here.desk.ledger(), here.moment)
    here.run("undo", proposal)
    assert here.state(proposal) is ChangeState.UNDONE
    assert "zone" not in here.desk.text()


def test_after_seven_true_days_it_is_a_reversal_that_waits(here: Clocks) -> None:
    proposal = here.proposal("Set the zone in every timer.")
    here.machine.turn(Turn.PASS, TWO_HOURS_S)
    here.run("apply")
    here.machine.turn(Turn.PASS, 7 * DAY_S)
    here.run("undo", proposal)
    assert here.state(proposal) is ChangeState.APPLIED
    kinds = [status.kind.value for status in here.desk.ledger().book.proposals.values()]
    assert kinds[-1] == "reversal"


def test_a_jump_across_a_reboot_takes_no_blob_that_a_true_week_still_needs(here: Clocks) -> None:
    """Across a reboot a jump may close the window (only the wall clock is left); the bytes stay for a way back."""
    proposal = here.proposal("Set the zone in every timer.")
    here.machine.turn(Turn.PASS, TWO_HOURS_S)
    here.run("apply")
    (apply,) = here.desk.ledger().book.applies.values()
    here.machine.turn(Turn.BOOT, 60)
    here.machine.turn(Turn.STEP, 40 * DAY_S)
    assert remove_expired(here.desk.gate, here.desk.ledger(), here.moment) == 0
    here.machine.turn(Turn.STEP, -40 * DAY_S)
    here.run("undo", proposal)
    assert here.state(proposal) is ChangeState.UNDONE
    assert apply.targets


@pytest.mark.parametrize("step_s", [0, -40 * DAY_S, -400 * DAY_S, 5 * DAY_S])
def test_consent_decays_after_thirty_true_days_whatever_the_wall_clock_says(
    here: Clocks, step_s: int, capsys: pytest.CaptureFixture[str]
) -> None:
    here.proposal("Set the zone in every timer.")
    here.machine.turn(Turn.PASS, 3_600)
    here.machine.turn(Turn.STEP, step_s)
    if step_s <= 0:
        assert here.run("consent", "check", "email", "read") == 0
    here.machine.turn(Turn.PASS, 30 * DAY_S)
    assert here.run("consent", "check", "email", "read") == 1
    assert "requires_approval" in capsys.readouterr().out


@pytest.mark.parametrize("change_on", [date(2026, 3, 29), date(2026, 10, 25)])
def test_real_nights_over_a_change_of_daylight_saving_run_once_each(change_on: date, tmp_path: Path) -> None:
    start = datetime.combine(change_on - timedelta(days=2), time(12), tzinfo=UTC)
    workspace = tmp_path / "home"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# MEMORY.md\n\n## Lessons\n\n- Keep backups.\n")
    found(make_founding(tmp_path, zone="Europe/Berlin"), None, Moment(at=start))
    shell = Shell(home=workspace, keys=tmp_path / "keys")
    calls = 0
    for half_hours in range(1, 4 * 48):
        now = start + timedelta(minutes=30 * half_hours)
        if now.hour in (0, 1, 2, 3, 14):
            assert shell.run("night", now=now).status == 0
            calls += 1
    assert runs_of(workspace) == {(change_on + timedelta(days=n)).isoformat(): 1 for n in range(-2, 2)}
    report(SWEEP, f"nights called around {change_on}", points=calls)


def test_a_real_night_that_a_wrong_clock_ran_comes_again_and_changes_nothing(tmp_path: Path) -> None:
    desk = make_desk(tmp_path)
    shell = Shell(home=desk.memory.parent, keys=desk.ring.directory)
    (desk.memory.parent / "memory").mkdir(exist_ok=True)
    said = "# 2026-03-01\n\n- Decision: keep the backups of the relay for 90 days from now on.\n"
    (desk.memory.parent / "memory" / "2026-03-01.md").write_text(said)
    assert shell.run("night", now=START + timedelta(days=30)).status == 0
    before = {p.name: p.read_bytes() for p in Path(desk.home.proposals_dir).glob("p-*.json")}
    for day in range(1, 9):
        assert shell.run("night", now=START + timedelta(days=day)).status == 0
    after = {p.name: p.read_bytes() for p in Path(desk.home.proposals_dir).glob("p-*.json")}
    assert before == after
    assert len(before) == 1
    assert runs_of(desk.memory.parent)["2026-03-01"] == 2


def test_a_night_that_comes_again_after_a_clock_was_set_back_changes_no_byte_but_its_own_lines(
    tmp_path: Path,
) -> None:
    """Page 14: the boot clock cannot tell which wall clock was right, so what comes again must be harmless."""
    desk = make_desk(tmp_path)
    home = desk.memory.parent
    shell = Shell(home=home, keys=desk.ring.directory)
    (home / "memory").mkdir(exist_ok=True)
    said = "# 2026-03-01\n\n- Decision: keep the backups of the relay for 90 days from now on.\n"
    (home / "memory" / "2026-03-01.md").write_text(said)
    late = START + timedelta(days=1, hours=6)
    assert shell.run("night", now=late).status == 0
    before = tree(tmp_path)
    assert shell.run("night", now=late - timedelta(minutes=59)).status == 0
    assert runs_of(home) == {"2026-03-01": 1}
    assert shell.run("night", now=late - timedelta(hours=3)).status == 0
    assert runs_of(home) == {"2026-03-01": 2}
    after = tree(tmp_path)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    told = {"home/memory/system/runs.jsonl", "home/memory/system/consolidation-log.jsonl"}
    assert changed == {*told, "home/.nightledger/next-due"}
    assert all(after[name].startswith(before[name]) for name in told)


def tree(root: Path) -> dict[str, bytes]:
    """Give the bytes of every file below a directory."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def runs_of(home: Path) -> dict[str, int]:
    """Count the runs of the consolidation by period."""
    lines = (home / "memory/system/runs.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return dict(Counter(record["period"] for record in records if record["job"] == "consolidate"))

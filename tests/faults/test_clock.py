"""Clocks that jump, sleep and start again: no wait is shortened, no window closed early, no day lost."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.domain.gate_values import START
from tests.faults.clock_machine import DAY_S, Machine, Turn, Turns, turns
from tests.faults.sweep_report import report, whole
from tests.gate.homes import Desk, addition, make_desk, make_founding, open_desk
from tests.rows import each_row
from tests.surfaces.calling import call_verb

from nightledger.demo.shell import Shell
from nightledger.domain.cooling import Cooling, Vouched, Witnessed, elapsed_s, remaining_s, since_review_s
from nightledger.domain.event import Entry
from nightledger.domain.moment import Moment
from nightledger.domain.periods import Schedule, local_moment, log_day, over_at
from nightledger.domain.runs import CLOCK, Calendar, Run, RunOutcome, duties, is_stepped, reckon
from nightledger.domain.states import ChangeState
from nightledger.gate.forgetting.keeping import remove_expired
from nightledger.gate.founding import found
from nightledger.surfaces import clock

SWEEP = "clocks that jump, sleep and start again"
EXAMPLES, ALL_EXAMPLES = 25, 2_000
examples = settings(max_examples=ALL_EXAMPLES if whole() else EXAMPLES)
TWO_HOURS_S, TEN_MINUTES_S = 7_200, 600
ANY_TURN = turns(*Turn)
ONE_BOOT = turns(Turn.PASS, Turn.STEP)


TRIED: Counter[str] = Counter()
"""How many sequences the rules were tried on, counted as they begin."""


@pytest.fixture(scope="module", autouse=True)
def counted() -> Iterator[None]:
    """Tell when all are tried how many there were: what was left out is not counted."""
    TRIED.clear()
    yield
    if TRIED.total():
        report(SWEEP, "sequences tried on the rules", points=TRIED.total())


def new_machine() -> Machine:
    TRIED["sequences"] += 1
    return Machine()


def live(machine: Machine, befalls: Turns) -> None:
    for kind, seconds in befalls:
        machine.turn(kind, seconds)


# ---------------------------------------------------------------- cooling and undo, the rules
@examples
@given(between=ONE_BOOT, after=ONE_BOOT)
def test_within_one_boot_nothing_that_befalls_a_clock_shortens_cooling(between: Turns, after: Turns) -> None:
    machine = new_machine()
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
    machine = new_machine()
    proposed = machine.moment()
    live(machine, after)
    if remaining_s(proposed, proposed, machine.moment(), Cooling()) == 0:
        assert machine.true_s >= TWO_HOURS_S


@examples
@given(before=ANY_TURN, between=ANY_TURN, after=ANY_TURN)
def test_with_a_witness_nothing_at_all_shortens_cooling(before: Turns, between: Turns, after: Turns) -> None:
    """The witness is another machine: whatever befalls this one, its times are true ones."""
    machine = new_machine()
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
    machine = new_machine()
    applied = machine.moment()
    live(machine, befalls)
    assert elapsed_s(applied, machine.moment()) <= machine.true_s


def test_a_wait_that_passed_in_truth_is_over_on_a_clock_that_tells_it() -> None:
    """The rules above would hold of a gate that never opens: it opens."""
    machine = new_machine()
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
    machine, entries, ran_s = new_machine(), [], 0
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
    machine, entries = new_machine(), []
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
    "consolidate": Schedule(at=time(3, 5)),
    "weekly": Schedule(weekday=6, at=time(3)),
}


class Nights:
    """A home's run ledger under a clock that jumps: each call does what is due and writes it down, as ``night`` does."""

    def __init__(self, since: date, zone: ZoneInfo = BERLIN) -> None:
        self.calendar = Calendar(schedules=SCHEDULES, zone=zone, since=since, limit=7)
        self.runs: list[Run] = []
        self.true_at: list[datetime] = []
        """When each line was really written."""

    def call(self, now: Moment, true_at: datetime | None = None) -> None:
        newest = self.runs[-1] if self.runs else None
        known = log_day(now.at, self.calendar.zone) >= self.calendar.since
        if (known or (newest and newest.boot == now.boot)) and is_stepped(newest, now):
            self._write(CLOCK, "-", 1, now, true_at)
        for duty in duties(self.calendar, reckon(self.runs, now, self.calendar.zone), now.at):
            self._write(duty.job, duty.period.key, duty.attempt, now, true_at)

    def settle(self, now: Moment, true_at: datetime | None = None) -> None:
        """Call until nothing is due: catching up takes seven periods a call."""
        before = -1
        while before != len(self.runs):
            before = len(self.runs)
            self.call(now, true_at)

    def wanted(self, now: datetime) -> set[str]:
        """Give the days that a nightly job must have done by now."""
        last = log_day(now - timedelta(hours=4), self.calendar.zone)
        days = (last - self.calendar.since).days
        return {(self.calendar.since + timedelta(days=n)).isoformat() for n in range(days)}

    def nightly(self) -> list[tuple[Run, datetime]]:
        """Give the runs of the nightly job, each with when it really was."""
        return [
            (run, at) for run, at in zip(self.runs, self.true_at, strict=True) if run.job == "consolidate"
        ]

    def _write(self, job: str, period: str, attempt: int, now: Moment, true_at: datetime | None) -> None:
        what: dict[str, Any] = {"job": job, "period": period, "attempt": attempt}
        clocks: dict[str, Any] = {
            "started_at": now.at,
            "finished_at": now.at,
            "boot": now.boot,
            "boot_s": now.boot_s,
        }
        self.runs.append(Run(v=2, id="r-1", outcome=RunOutcome.DONE, counts={}, **what, **clocks))
        self.true_at.append(true_at or now.at)


CHANGES = {"Europe/Berlin": (3, 10), "America/New_York": (3, 11), "Australia/Lord_Howe": (4, 10), "UTC": (3,)}
"""Zones and the months in which their clocks change; the other months are tried in 'make test-all'."""


@pytest.mark.parametrize(
    ("zone", "month"),
    [
        pytest.param(zone, month, marks=[] if month in months else [pytest.mark.slow])
        for zone, months in CHANGES.items()
        for month in (3, 4, 10, 11)
    ],
)
def test_over_every_change_of_daylight_saving_each_night_runs_once(zone: str, month: int) -> None:
    """Called every half hour through the month, by machines that are off for some of the hours."""
    since = date(2026, month, 1)
    for off in (None, range(5), range(1, 4)):
        TRIED["sequences"] += 1
        nights = Nights(since, ZoneInfo(zone))
        now = datetime(2026, month, 1, 12, tzinfo=UTC)
        while now < datetime(2026, month, 28, 12, tzinfo=UTC):
            now += timedelta(minutes=30)
            if off is None or now.hour not in off:
                nights.call(Moment(at=now))
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
    machine = new_machine()
    nights = Nights(log_day(START, BERLIN))
    for waits_s, ahead_s in befalls:
        machine.turn(Turn.PASS, waits_s)
        machine.ahead_s = ahead_s
        nights.call(machine.moment())
    machine.ahead_s = 0
    nights.settle(machine.moment())
    done = Counter((run.job, run.period) for run in nights.runs)
    assert set(done.values()) <= {1}
    assert {day for job, day in done if job == "consolidate"} >= nights.wanted(machine.wall())


def lived(befalls: Turns, *, every_s: int = 0) -> tuple[Nights, Machine]:
    """Let things befall a machine on which ``night`` is called after each, and while time passes; then mend its clock."""
    machine = new_machine()
    nights = Nights(log_day(START, BERLIN))

    def call() -> None:
        nights.call(machine.moment(), true_now(machine))

    call()
    for kind, seconds in befalls:
        if kind is Turn.BOOT and machine.ahead_s > 0:  # mended before it goes down
            machine.turn(Turn.STEP, -machine.ahead_s)
            call()
        if kind is Turn.PASS and every_s:
            for _ in range(seconds // every_s):
                machine.turn(Turn.PASS, every_s)
                call()
        machine.turn(kind, seconds % every_s if kind is Turn.PASS and every_s else seconds)
        call()
    machine.turn(Turn.STEP, -machine.ahead_s)
    nights.settle(machine.moment(), true_now(machine))
    return nights, machine


def true_now(machine: Machine) -> datetime:
    return START + timedelta(seconds=machine.true_s)


def over(period: str) -> datetime:
    return over_at(period, BERLIN)


@examples
@given(befalls=turns(Turn.PASS, Turn.STEP, most_s=20 * DAY_S))
def test_within_one_boot_no_clock_skips_a_period_or_repeats_one_that_was_over(befalls: Turns) -> None:
    """Every day is read when it is really over, and what was read then is not read again once the clock is right."""
    nights, machine = lived(befalls)
    ready = {run.period for run, at in nights.nightly() if at >= over(run.period)}
    assert ready >= nights.wanted(true_now(machine))
    done: set[str] = set()
    for run, at in nights.nightly():
        if run.started_at == at:  # the clock was right
            assert run.period not in done
        if at >= over(run.period):
            done.add(run.period)


@examples
@example(befalls=[(Turn.STEP, 72_300), (Turn.STEP, -97_501), (Turn.BOOT, 75_600)], every_s=0)
@given(
    befalls=turns(Turn.PASS, Turn.BOOT, Turn.STEP, most_s=5 * DAY_S),
    every_s=st.sampled_from([0, 3_600, 6 * 3_600]),
)
def test_across_boots_no_period_is_skipped_where_a_clock_ahead_is_mended_before_the_machine_goes_down(
    befalls: Turns, every_s: int
) -> None:
    """Cron calls every half hour, so that a clock that is set is seen. One that is behind may stay so over a boot."""
    nights, machine = lived(befalls, every_s=every_s)
    ready = {run.period for run, at in nights.nightly() if at >= over(run.period)}
    assert ready >= nights.wanted(true_now(machine))


@examples
@given(befalls=turns(Turn.PASS, Turn.BOOT, most_s=5 * DAY_S))
def test_while_the_clock_is_right_no_number_of_boots_repeats_a_period(befalls: Turns) -> None:
    nights, machine = lived(befalls)
    periods = [run.period for run, _ in nights.nightly()]
    assert len(periods) == len(set(periods))
    assert set(periods) >= nights.wanted(true_now(machine))


@each_row("hours", range(1, 27))
def test_a_clock_set_back_in_one_boot_repeats_no_period_unless_it_opens_its_day_again(hours: int) -> None:
    """Night at 03:05; at 06:05 the clock is set back. Back to the same day: nothing again. Across midnight: that day
    is not over by the clock that names the logs, so it is read once more, when it is."""
    machine = new_machine()
    nights = Nights(log_day(START, BERLIN))
    wait = local_moment(log_day(START, BERLIN) + timedelta(days=1), time(3, 5), BERLIN) - START
    machine.turn(Turn.PASS, int(wait.total_seconds()))
    nights.settle(machine.moment(), true_now(machine))
    machine.turn(Turn.PASS, 3 * 3_600)
    machine.turn(Turn.STEP, -hours * 3_600)
    for _ in range(4 * 24):
        nights.settle(machine.moment(), true_now(machine))
        machine.turn(Turn.PASS, 1_800)
    again = Counter(run.period for run, _ in nights.nightly())[log_day(START, BERLIN).isoformat()]
    assert again == (1 if hours * 60 <= 3 * 60 + 5 else 2), hours


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
        return call_verb(verb, self.desk.home.root, *words)

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


def test_a_day_that_was_read_too_early_and_is_not_read_again_by_itself_is_caught_up_by_the_next_night(
    tmp_path: Path,
) -> None:
    """What nobody can know: a clock a day ahead at night, the machine off before the next call, mended when it starts.

    No line of the ledger tells of it, so the period counts. Each night reads two weeks of daily logs.
    """
    desk = make_desk(tmp_path)
    home = desk.memory.parent
    shell = Shell(home=home, keys=desk.ring.directory)
    (home / "memory").mkdir(exist_ok=True)
    log = home / "memory" / "2026-03-01.md"
    log.write_text("# 2026-03-01\n\n- Decision: keep the backups of the relay for 90 days from now on.\n")
    ahead = START + timedelta(days=1)
    assert shell.run("night", now=ahead).status == 0
    first = set(Path(desk.home.proposals_dir).glob("p-*.json"))
    with log.open("a") as stream:
        stream.write(
            "\n## Evening\n\n- Decision: rotate the certificates of the mail server every 60 days from now on.\n"
        )
    second = shell.run("night", now=ahead + timedelta(days=1))
    assert second.status == 0
    assert runs_of(home) == {"2026-03-01": 1, "2026-03-02": 1}
    later = set(Path(desk.home.proposals_dir).glob("p-*.json")) - first
    texts = [change["after"] for path in later for change in json.loads(path.read_text())["changes"]]
    assert len(texts) == 1, second.out
    assert "certificates" in texts[0]
    report(SWEEP, "days read too early, caught up by the next night", points=1)


def test_nights_that_come_again_propose_nothing_twice_whatever_the_clock_did(tmp_path: Path) -> None:
    """Every set of a clock that repeats periods, on a home with things to say: no proposal, entry or byte beside."""
    desk = make_desk(tmp_path)
    home = desk.memory.parent
    shell = Shell(home=home, keys=desk.ring.directory)
    (home / "memory").mkdir(exist_ok=True)
    for day, text in (
        (1, "keep the backups of the relay for 90 days"),
        (2, "rotate the certificates of the mail server every 60 days"),
    ):
        said = f"# 2026-03-0{day}\n\n- Decision: {text} from now on.\n"
        (home / "memory" / f"2026-03-0{day}.md").write_text(said)
    late = START + timedelta(days=3)
    assert shell.run("night", now=late).status == 0
    before = tree(tmp_path)
    own = {
        "home/memory/system/runs.jsonl",
        "home/memory/system/consolidation-log.jsonl",
        "home/memory/state/ATTENTION.md",
        "home/.nightledger/next-due",
    }
    for hours in (2, 5, 13, 26, 50, 3):
        assert shell.run("night", now=late - timedelta(hours=hours)).status == 0
        assert shell.run("night", now=late).status == 0
    after = tree(tmp_path)
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} <= own
    assert max(runs_of(home).values()) > 2
    report(
        SWEEP,
        "periods that came again and changed nothing",
        points=sum(runs_of(home).values()) - len(runs_of(home)),
    )


def tree(root: Path) -> dict[str, bytes]:
    """Give the bytes of every file below a directory."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def runs_of(home: Path) -> dict[str, int]:
    """Count the runs of the consolidation by period."""
    lines = (home / "memory/system/runs.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return dict(Counter(record["period"] for record in records if record["job"] == "consolidate"))

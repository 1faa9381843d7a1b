"""What is due, what is tried again, and which lines of the run ledger count."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.rows import each_row

from nightledger.domain.moment import Moment
from nightledger.domain.periods import (
    NEVER,
    Calendar,
    Duty,
    Run,
    RunOutcome,
    Schedule,
    count_due,
    duties,
    find_missed,
    is_stepped,
    last_done,
    next_look_at,
    reckon,
    retry_at,
)

NIGHTLY = Schedule(at=time(3, 5))
CALENDAR = Calendar(
    schedules={"link": NIGHTLY, "consolidate": NIGHTLY}, zone=UTC, since=date(2026, 2, 26), limit=7
)
NOW = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def run(
    period: str, job: str = "consolidate", *, at: datetime = NOW, failed: bool = False, **fields: Any
) -> Run:
    outcome = RunOutcome.FAILED if failed else RunOutcome.DONE
    ended = at + MINUTE
    return Run(
        v=2, id="r-", job=job, period=period, attempt=1, started_at=at, finished_at=ended, outcome=outcome, counts={}, **fields
    )  # fmt: skip


def done_through(period: str) -> list[Run]:
    return [run(period, job) for job in ("link", "consolidate")]


def pairs(found: Sequence[Duty]) -> list[tuple[str, str]]:
    return [(duty.period.key, duty.job) for duty in found]


def test_the_oldest_period_comes_first_and_a_call_makes_up_for_seven_of_each_job() -> None:
    found = duties(CALENDAR, done_through("2026-02-26"), NOW)
    days = ("2026-02-27", "2026-02-28")
    assert pairs(found) == [(day, job) for day in days for job in CALENDAR.schedules]
    later = NOW + timedelta(days=20)
    found = duties(CALENDAR, [], later)
    assert (pairs(found)[0], pairs(found)[-1]) == (("2026-02-26", "link"), ("2026-03-04", "consolidate"))
    assert (len(found), count_due(CALENDAR, [], later), len(find_missed(CALENDAR, [], later))) == (14, 23, 22)


def test_what_failed_waits_for_its_retry_and_holds_back_its_own_job_only() -> None:
    runs = [*done_through("2026-02-26"), run("2026-02-27", failed=True)]
    assert {duty.job for duty in duties(CALENDAR, runs, NOW)} == {"link"}
    runs += [run("2026-02-27", "link"), run("2026-02-28", "link")]
    assert duties(CALENDAR, runs, NOW) == ()
    again = next_look_at(CALENDAR, runs, NOW)
    assert again == NOW + 31 * MINUTE
    assert [duty.attempt for duty in duties(CALENDAR, runs, again)] == [2, 1]


class Night:
    """A home's nights, in memory: calls at given times, of which some fail and some die."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def call(self, now: datetime, what: str = "ok") -> None:
        failed: set[str] = set()
        for duty in duties(CALENDAR, self.runs, now):
            if what == "dies" and duty.job == "consolidate":
                return
            if duty.job not in failed:
                failed |= {duty.job} if what == "fails" else set()
                self.runs.append(run(duty.period.key, duty.job, at=now, failed=what == "fails"))

    def done(self, job: str) -> list[str]:
        return [r.period for r in self.runs if r.job == job and r.outcome is RunOutcome.DONE]


def _calls(least: int) -> st.SearchStrategy[list[tuple[int, str]]]:
    step = st.tuples(st.integers(least, 60 * 24 * 5), st.sampled_from(["ok", "ok", "fails", "dies"]))
    return st.lists(step, max_size=15)


def _play(steps: list[tuple[int, str]]) -> tuple[Night, list[str]]:
    night, now, furthest = Night(), NOW, NOW
    for minutes, what in steps:
        now = max(now + minutes * MINUTE, NOW)
        furthest = max(now, furthest)
        night.call(now, what)
    for day in range(30):
        furthest += timedelta(days=day > 0)
        night.call(furthest)
    first, last = date(2026, 2, 26), (furthest - timedelta(hours=3, minutes=5)).date() - timedelta(days=1)
    return night, [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


@given(steps=_calls(1))
def test_over_failures_and_crashes_each_night_is_done_once_and_in_order(steps: list[tuple[int, str]]) -> None:
    night, wanted = _play(steps)
    assert night.done("link") == night.done("consolidate") == wanted


@given(steps=_calls(-60 * 24 * 4))
def test_over_clock_jumps_both_ways_no_night_is_lost(steps: list[tuple[int, str]]) -> None:
    night, wanted = _play(steps)
    assert sorted(set(night.done("link"))) == sorted(set(night.done("consolidate"))) == wanted


@given(steps=_calls(-59))
def test_a_clock_set_back_by_less_than_an_hour_repeats_no_night(steps: list[tuple[int, str]]) -> None:
    night, now = Night(), NOW
    for minutes, what in steps:
        night.call(now, what)
        now += minutes * MINUTE if minutes > 0 else timedelta(0)
        night.call(now + min(minutes, 0) * MINUTE, what)
    assert len(night.done("link")) == len(set(night.done("link")))


def test_done_is_what_a_job_did_itself_by_a_clock_that_is_not_ahead() -> None:
    runs = [run("2026-02-26"), run("2026-02-27", failed=True), run("2026-02-28", "link")]
    ahead = run("2026-12-01", at=NOW + timedelta(days=270))
    assert last_done([*runs, ahead], "consolidate", NOW) == "2026-02-26"
    assert last_done([run("2026-02-28")], "consolidate", NOW - HOUR) == "2026-02-28"
    assert last_done([run("2026-02-28")], "consolidate", NOW - HOUR - timedelta(seconds=1)) is None


@each_row("failures, minutes", [(1, 30), (2, 60), (3, 120), (5, 480), (6, 480), (5000, 480)])
def test_the_wait_doubles_from_half_an_hour_to_eight_hours(failures: int, minutes: int) -> None:
    tried = [run("2026-02-28", at=NOW + n * HOUR, failed=True) for n in range(failures)]
    again = retry_at(tried, "consolidate", "2026-02-28", NOW + failures * HOUR)
    assert again == NOW + (failures - 1) * HOUR + (1 + minutes) * MINUTE


@pytest.mark.parametrize("end", [datetime.max.replace(tzinfo=UTC), NOW + 1000 * HOUR])
def test_a_failure_that_says_it_ends_in_the_future_delays_no_longer_than_another(end: datetime) -> None:
    odd = replace(run("2026-02-28", failed=True), finished_at=end)
    assert retry_at([odd], "consolidate", "2026-02-28", NOW) == NOW + HOUR / 2


# ---------------------------------------------------------------- by which clock a line is dated
AT = datetime(2026, 3, 1, 3, 5, tzinfo=UTC)


def dated(runs: list[Run], now: Moment) -> list[datetime | None]:
    """Give when each run started as the clock dates it now; None for one that counts for nothing."""
    return [None if run.started_at is NEVER else run.started_at for run in reckon(runs, now, UTC)]


def at(hours: float, boot: str = "", boot_s: int = 0) -> Moment:
    return Moment(at=AT + hours * HOUR, boot=boot, boot_s=boot_s)


def test_in_one_boot_a_run_is_dated_by_the_clock_of_now() -> None:
    """It began at 03:05, an hour ago; the clock was set back by three hours since, across midnight or not."""
    one = run("2026-02-28", at=AT, boot="b", boot_s=1_000)
    assert dated([one], at(1, "b", 4_600)) == dated([one], at(5, "c", 7)) == [AT]
    assert dated([one], at(1 - 3, "b", 4_600)) == [AT - 3 * HOUR]
    assert dated([one], at(1 - 4, "b", 4_600)) == [None]
    assert dated([replace(one, period="2026-02-27")], at(1 - 4, "b", 4_600)) == [AT - 4 * HOUR]


def test_a_day_that_a_clock_ahead_ran_too_early_counts_for_nothing_when_it_is_mended() -> None:
    early = run("2026-03-01", at=AT + 24 * HOUR, boot="b", boot_s=1_000)
    assert dated([early], at(24, "b", 1_000 + 24 * 3_600)) == [None]
    # A boot later the clock's line tells it, which stands behind it.
    told = run("2026-03-01", "clock", at=AT + HOUR, boot="b", boot_s=4_600)
    assert dated([early, told], at(48, "c", 5))[0] is None
    assert dated([early, replace(told, boot="c", boot_s=9)], at(48, "d", 5))[0] is None
    # Without it, nobody can: the wall clock says that the day was over.
    assert dated([early], at(48, "c", 5)) == [early.started_at]


def test_runs_of_an_earlier_boot_are_dated_by_its_last_reading() -> None:
    """The clock of boot b was two days behind until it was set; c, which began later, does not know of it."""
    behind = run("2026-02-26", at=AT - 48 * HOUR, boot="b", boot_s=100)
    mended = run("2026-02-28", at=AT + HOUR, boot="b", boot_s=100 + 3_600)
    assert dated([behind, mended], at(9, "c", 50)) == [behind.started_at, mended.started_at]
    ahead = run("2026-02-28", at=AT + 5 * HOUR, boot="b", boot_s=100)
    assert dated([ahead, mended], at(9, "c", 50)) == [AT, mended.started_at]


@each_row(
    "period", ["", "nonsense", "2026-02-30", "2026-03-01T03:00", "20260228", "9999-12-31", "2030-01-01"]
)
def test_a_line_that_somebody_made_up_counts_for_nothing_and_ends_nothing(period: str) -> None:
    """A key that is none ended every night; one for a day to come skipped each night before it."""
    odd = run(period, at=AT - 5 * HOUR, boot="b", boot_s=10)
    first = datetime(1, 1, 1, tzinfo=UTC)
    made_up = [odd, replace(odd, boot=""), replace(odd, started_at=first, boot_s=2**31 - 1)]
    assert reckon(made_up, at(9), UTC) == ()
    good = run("2026-02-28", at=AT)
    runs = reckon([good, *made_up], at(9), UTC)
    assert (runs, last_done(runs, "consolidate", AT + 9 * HOUR)) == ((good,), "2026-02-28")
    for seconds in (2**53, -(2**53)):
        assert dated([replace(good, boot="b", boot_s=seconds)], at(0, "b", 10)) == [None]


def test_a_night_in_another_zone_than_the_homes_of_now_counts() -> None:
    """A home that moved from Kiritimati to the other side of the date line."""
    east, west = timezone(14 * HOUR), timezone(-12 * HOUR)
    one = run("2026-02-28", at=datetime(2026, 3, 1, 0, 0, tzinfo=east).astimezone(UTC))
    assert reckon([one], at(48), west) == (one,)
    assert reckon([replace(one, started_at=one.started_at - HOUR)], at(48), west) == ()


@each_row(
    "boot, now, stepped",
    [
        ("", at(-1), False),
        ("", at(-1.01), True),
        ("", at(500), False),
        ("b", at(1, "b", 3_700), False),
        ("b", at(-1.01, "b", 100), True),
        ("b", at(1.01, "b", 100), True),
        ("b", at(1.01, "c", 100), False),
        ("b", at(-1.01, "c", 100), True),
    ],
)
def test_a_step_of_more_than_an_hour_is_told_from_time_that_passed(
    boot: str,
    now: Moment,
    stepped: bool,  # noqa: FBT001 - a row
) -> None:
    assert is_stepped(run("k", at=AT, boot=boot, boot_s=100 if boot else 0), now) is stepped
    assert not is_stepped(None, now)

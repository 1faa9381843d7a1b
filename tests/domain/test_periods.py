"""Which periods are due and when, what is tried again, and which lines of the run ledger count."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.rows import each_row

from nightledger.domain import periods
from nightledger.domain.periods import Calendar, Duty, Run, RunOutcome, Schedule, due, duties, local_moment

NIGHTLY, SUNDAYS = Schedule(at=time(3, 5)), Schedule(weekday=6, at=time(3, 0))
BERLIN, ATHENS, NEW_YORK = map(ZoneInfo, ("Europe/Berlin", "Europe/Athens", "America/New_York"))
ZONES = ("UTC", "Europe/Berlin", "Europe/Athens", "America/New_York", "Asia/Kathmandu", "Pacific/Apia")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(("text", "zone"), [("0001-01-01T00:00", NEW_YORK), ("9999-12-31T23:59", BERLIN)])
def test_a_moment_that_falls_off_the_calendar_has_a_log_day(text: str, zone: ZoneInfo) -> None:
    assert periods.log_day(utc(text), zone).isoformat() == text[:10]


@each_row("weekday", range(7))
def test_a_weekly_job_ends_its_week_on_the_day_before_its_weekday(weekday: int) -> None:
    schedule, since = Schedule(weekday=weekday, at=time(3)), date(2026, 2, 25)
    days = [one.last_day for one in due(schedule, None, utc("2026-04-01T00:00"), BERLIN, since=since)]
    assert {day.weekday() for day in days} == {(weekday - 1) % 7}
    assert days[0] - since < timedelta(days=7)
    assert {later - earlier for earlier, later in pairwise(days)} == {timedelta(days=7)}


@each_row(
    "schedule, done, at",
    [
        (NIGHTLY, None, "2026-03-01T02:05"),
        (NIGHTLY, "2026-02-28", "2026-03-02T02:05"),
        (SUNDAYS, "2026-02-28", "2026-03-08T02:00"),
    ],
)
def test_the_next_due_moment_is_that_of_the_oldest_period_not_done(
    schedule: Schedule, done: str | None, at: str
) -> None:
    assert periods.next_due_at(schedule, done, BERLIN, since=date(2026, 2, 28)) == utc(at)


def test_a_time_that_the_clocks_skip_comes_just_after_the_gap_and_one_that_they_repeat_the_first_time() -> (
    None
):
    # Athens went from 03:00 to 04:00 on 2026-03-29, and from 04:00 back to 03:00 on 2026-10-25.
    moment = local_moment(date(2026, 3, 29), time(3, 5), ATHENS)
    assert (moment, moment.astimezone(ATHENS).time()) == (utc("2026-03-29T01:05"), time(4, 5))
    assert local_moment(date(2026, 10, 25), time(3, 5), ATHENS) == utc("2026-10-25T00:05")


@given(
    gaps=st.lists(st.integers(min_value=1, max_value=60 * 24 * 12), min_size=1, max_size=60),
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    schedule=st.sampled_from([NIGHTLY, SUNDAYS, Schedule(at=time(0)), Schedule(at=time(23, 59))]),
)
def test_however_irregular_the_calls_no_period_comes_twice_and_none_is_lost(
    gaps: list[int], zone: ZoneInfo, schedule: Schedule
) -> None:
    since = date(2026, 3, 20)
    now, done = local_moment(since, time(), zone), list[str]()
    for minutes in [*gaps, *[0] * 60]:
        now += minutes * MINUTE
        for period in due(schedule, done[-1] if done else None, now, zone, since=since)[:7]:
            assert period.due_at <= now
            done.append(period.key)
    assert done == [period.key for period in due(schedule, None, now, zone, since=since)]


# ---------------------------------------------------------------- what a night does

CALENDAR = Calendar(
    schedules={"link": NIGHTLY, "consolidate": NIGHTLY}, zone=UTC, since=date(2026, 2, 26), limit=7
)
NOW = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)


def run(period: str, job: str = "consolidate", *, at: datetime = NOW, failed: bool = False) -> Run:
    outcome, ended = RunOutcome.FAILED if failed else RunOutcome.DONE, at + MINUTE
    return Run(
        v=2, id="r-", job=job, period=period, attempt=1, started_at=at, finished_at=ended, outcome=outcome, counts={}
    )  # fmt: skip


def done_through(period: str) -> list[Run]:
    return [run(period, job) for job in ("link", "consolidate")]


def pairs(found: Sequence[Duty]) -> list[tuple[str, str]]:
    return [(duty.period.key, duty.job) for duty in found]


def test_the_oldest_period_comes_first_and_a_call_makes_up_for_seven_of_each_job() -> None:
    found = duties(CALENDAR, done_through("2026-02-26"), NOW)
    days = ("2026-02-27", "2026-02-28")
    assert pairs(found) == [(day, job) for day in days for job in CALENDAR.schedules]
    later = NOW + 20 * DAY
    found = duties(CALENDAR, [], later)
    assert (pairs(found)[0], pairs(found)[-1]) == (("2026-02-26", "link"), ("2026-03-04", "consolidate"))
    counts = (periods.count_due(CALENDAR, [], later), len(periods.find_missed(CALENDAR, [], later)))
    assert (len(found), *counts) == (14, 23, 22)


def test_what_failed_waits_for_its_retry_and_holds_back_its_own_job_only() -> None:
    runs = [*done_through("2026-02-26"), run("2026-02-27", failed=True)]
    assert {duty.job for duty in duties(CALENDAR, runs, NOW)} == {"link"}
    runs += [run("2026-02-27", "link"), run("2026-02-28", "link")]
    assert duties(CALENDAR, runs, NOW) == ()
    again = periods.next_look_at(CALENDAR, runs, NOW)
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
        furthest += (day > 0) * DAY
        night.call(furthest)
    first, last = date(2026, 2, 26), (furthest - timedelta(hours=3, minutes=5)).date() - DAY
    return night, [(first + n * DAY).isoformat() for n in range((last - first).days + 1)]


@given(steps=_calls(1) | _calls(-60 * 24 * 4))
def test_over_failures_crashes_and_clock_jumps_no_night_is_lost_and_none_comes_twice_while_clocks_go_on(
    steps: list[tuple[int, str]],
) -> None:
    night, wanted = _play(steps)
    for done in map(night.done, ("link", "consolidate")):
        assert sorted(set(done)) == wanted
        assert done == wanted or any(minutes < 0 for minutes, _ in steps)


@given(steps=_calls(-59))
def test_a_clock_set_back_by_less_than_an_hour_repeats_no_night(steps: list[tuple[int, str]]) -> None:
    night, now = Night(), NOW
    for minutes, what in steps:
        night.call(now, what)
        now += max(minutes, 0) * MINUTE
        night.call(now + min(minutes, 0) * MINUTE, what)
    assert len(night.done("link")) == len(set(night.done("link")))


def last_done(runs: Sequence[Run], now: datetime) -> str | None:
    return periods.last_done(runs, "consolidate", now)


def test_done_is_what_a_job_did_itself_by_a_clock_that_is_not_ahead() -> None:
    runs = [run("2026-02-26"), run("2026-02-27", failed=True), run("2026-02-28", "link")]
    assert last_done([*runs, run("2026-12-01", at=NOW + 270 * DAY)], NOW) == "2026-02-26"
    assert last_done([run("2026-02-28")], NOW - HOUR) == "2026-02-28"
    assert last_done([run("2026-02-28")], NOW - HOUR - timedelta(seconds=1)) is None


def retry_at(runs: Sequence[Run], now: datetime) -> datetime | None:
    return periods.retry_at(runs, "consolidate", "2026-02-28", now)


@each_row("failures, minutes", [(1, 30), (2, 60), (3, 120), (5, 480), (6, 480), (5000, 480)])
def test_the_wait_doubles_from_half_an_hour_to_eight_hours(failures: int, minutes: int) -> None:
    tried = [run("2026-02-28", at=NOW + n * HOUR, failed=True) for n in range(failures)]
    assert retry_at(tried, NOW + failures * HOUR) == NOW + (failures - 1) * HOUR + (1 + minutes) * MINUTE


@each_row("end", [datetime.max.replace(tzinfo=UTC), NOW + 1000 * HOUR])
def test_a_failure_that_says_it_ends_in_the_future_delays_no_longer_than_another(end: datetime) -> None:
    odd = replace(run("2026-02-28", failed=True), finished_at=end)
    assert retry_at([odd], NOW) == NOW + HOUR / 2


# ---------------------------------------------------------------- by which clock a line is dated
AT = datetime(2026, 3, 1, 3, 5, tzinfo=UTC)


def counted(*runs: Run, hours: float = 0) -> list[bool]:
    """Tell which runs count, so many hours after they began."""
    return [run.started_at is not periods.NEVER for run in periods.reckon(runs, AT + hours * HOUR, UTC)]


def test_a_run_ahead_of_a_later_line_or_of_now_counts_for_nothing() -> None:
    """A clock that was ahead ran it too early; once it is mended, a later line or the time of now shows that."""
    early, good = run("2026-03-01", at=AT + DAY), run("2026-02-28", at=AT)
    assert counted(early) == [False]
    assert counted(early, good, hours=48) == [False, True]
    assert counted(good, early, hours=48) == [True, True]
    assert counted(replace(good, started_at=AT + HOUR)) == [True]
    behind = periods.reckon([run("2026-02-27", at=AT - 20 * HOUR), early, good], AT + 2 * DAY, UTC)
    assert last_done(behind, AT + 2 * DAY) == "2026-02-28"


@each_row(
    "period", ["", "nonsense", "2026-02-30", "2026-03-01T03:00", "20260228", "9999-12-31", "2030-01-01"]
)
def test_a_line_that_somebody_made_up_counts_for_nothing_and_ends_nothing(period: str) -> None:
    """A key that is none ended every night; one for a day to come skipped each night before it."""
    now, odd, good = AT + 9 * HOUR, run(period, at=AT - 5 * HOUR), run("2026-02-28", at=AT)
    made_up = [odd, replace(odd, started_at=datetime(1, 1, 1, tzinfo=UTC))]
    assert periods.reckon(made_up, now, UTC) == ()
    runs = periods.reckon([good, *made_up], now, UTC)
    assert (runs, last_done(runs, now)) == ((good,), "2026-02-28")


def test_a_night_in_another_zone_than_the_homes_of_now_counts() -> None:
    """A home that moved from Kiritimati to the other side of the date line."""
    east, west = timezone(14 * HOUR), timezone(-12 * HOUR)
    one = run("2026-02-28", at=datetime(2026, 3, 1, 0, 0, tzinfo=east).astimezone(UTC))
    assert periods.reckon([one], AT + 2 * DAY, west) == (one,)
    assert periods.reckon([replace(one, started_at=one.started_at - HOUR)], AT + 2 * DAY, west) == ()

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.periods import (
    Period,
    Schedule,
    due,
    local_moment,
    log_day,
    next_due_at,
)

NIGHTLY = Schedule(at=time(3, 5))
SUNDAYS = Schedule(weekday=6, at=time(3, 0))
BERLIN = ZoneInfo("Europe/Berlin")
ATHENS = ZoneInfo("Europe/Athens")
NEW_YORK = ZoneInfo("America/New_York")
ZONES = ("UTC", "Europe/Berlin", "Europe/Athens", "America/New_York", "Asia/Kathmandu", "Pacific/Apia")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def keys(periods: tuple[Period, ...]) -> list[str]:
    return [period.key for period in periods]


class Caller:
    """Cron: calls at given moments, does what is due, remembers what was done."""

    def __init__(self, schedule: Schedule, since: date, limit: int = 7) -> None:
        self.schedule, self.since, self.limit = schedule, since, limit
        self.done: list[str] = []
        self.ran_at: list[datetime] = []

    def call(self, now: datetime, zone: ZoneInfo) -> None:
        last = self.done[-1] if self.done else None
        for period in due(self.schedule, last, now, zone, since=self.since)[: self.limit]:
            assert period.due_at <= now
            self.done.append(period.key)
            self.ran_at.append(now)


def days(first: date, last: date) -> list[str]:
    return [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


@pytest.mark.parametrize(("text", "zone"), [("0001-01-01T00:00", NEW_YORK), ("9999-12-31T23:59", BERLIN)])
def test_a_moment_that_falls_off_the_calendar_has_a_log_day(text: str, zone: ZoneInfo) -> None:
    assert log_day(utc(text), zone).isoformat() == text[:10]


@pytest.mark.parametrize("weekday", range(7))
def test_a_weekly_job_ends_its_week_on_the_day_before_its_weekday(weekday: int) -> None:
    schedule = Schedule(weekday=weekday, at=time(3))
    periods = due(schedule, None, utc("2026-04-01T00:00"), BERLIN, since=date(2026, 2, 25))
    assert [period.last_day.weekday() for period in periods] == [(weekday - 1) % 7] * len(periods)
    assert periods[0].last_day - date(2026, 2, 25) < timedelta(days=7)
    gaps = {later.last_day - earlier.last_day for earlier, later in pairwise(periods)}
    assert gaps == {timedelta(days=7)}


def test_the_next_due_moment_is_that_of_the_oldest_period_not_done() -> None:
    since = date(2026, 2, 28)
    assert next_due_at(NIGHTLY, None, BERLIN, since=since) == utc("2026-03-01T02:05")
    assert next_due_at(NIGHTLY, "2026-02-28", BERLIN, since=since) == utc("2026-03-02T02:05")
    assert next_due_at(SUNDAYS, "2026-02-28", BERLIN, since=since) == utc("2026-03-08T02:00")


def test_a_time_that_the_clocks_skip_comes_just_after_the_gap() -> None:
    # Athens went from 03:00 to 04:00 on 2026-03-29.
    moment = local_moment(date(2026, 3, 29), time(3, 5), ATHENS)
    assert moment == utc("2026-03-29T01:05")
    assert moment.astimezone(ATHENS).time() == time(4, 5)


def test_a_time_that_the_clocks_repeat_counts_the_first_time() -> None:
    # Athens went from 04:00 back to 03:00 on 2026-10-25.
    assert local_moment(date(2026, 10, 25), time(3, 5), ATHENS) == utc("2026-10-25T00:05")


@given(
    gaps=st.lists(st.integers(min_value=1, max_value=60 * 24 * 12), min_size=1, max_size=60),
    zone=st.sampled_from(ZONES),
    schedule=st.sampled_from([NIGHTLY, SUNDAYS, Schedule(at=time(0)), Schedule(at=time(23, 59))]),
)
def test_however_irregular_the_calls_no_period_comes_twice_and_none_is_lost(
    gaps: list[int], zone: str, schedule: Schedule
) -> None:
    home_zone = ZoneInfo(zone)
    since = date(2026, 3, 20)
    caller = Caller(schedule, since)
    now = local_moment(since, time(), home_zone)
    for minutes in gaps:
        now += timedelta(minutes=minutes)
        caller.call(now, home_zone)
    for _ in range(60):
        caller.call(now, home_zone)
    expected = keys(due(schedule, None, now, home_zone, since=since))
    assert caller.done == expected

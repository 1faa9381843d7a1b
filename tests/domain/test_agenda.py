from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.periods import Schedule
from nightledger.domain.runs import (
    Calendar,
    Duty,
    Run,
    RunOutcome,
    count_due,
    duties,
    find_missed,
    next_look_at,
)

NIGHTLY = Schedule(at=time(3, 5))
CALENDAR = Calendar(
    schedules={"link": NIGHTLY, "consolidate": NIGHTLY}, zone=UTC, since=date(2026, 2, 26), limit=7
)
NOW = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def run(
    job: str, period: str, outcome: RunOutcome = RunOutcome.DONE, at: datetime = NOW - 10 * MINUTE
) -> Run:
    return Run(
        v=2,
        id="r-",
        job=job,
        period=period,
        attempt=1,
        started_at=at,
        finished_at=at,
        outcome=outcome,
        counts={},
    )


def done_through(period: str) -> list[Run]:
    return [run("link", period), run("consolidate", period)]


def pairs(found: tuple[Duty, ...]) -> list[tuple[str, str]]:
    return [(duty.period.key, duty.job) for duty in found]


def test_the_oldest_period_comes_first_and_its_jobs_in_their_order() -> None:
    assert pairs(duties(CALENDAR, done_through("2026-02-26"), NOW)) == [
        ("2026-02-27", "link"),
        ("2026-02-27", "consolidate"),
        ("2026-02-28", "link"),
        ("2026-02-28", "consolidate"),
    ]


def test_a_call_makes_up_for_so_many_periods_of_each_job_and_the_rest_stay_due() -> None:
    later = NOW + timedelta(days=20)
    found = duties(CALENDAR, [], later)
    assert pairs(found)[0] == ("2026-02-26", "link")
    assert pairs(found)[-1] == ("2026-03-04", "consolidate")
    assert len(found) == 14
    assert count_due(CALENDAR, [], later) == 23
    assert len(find_missed(CALENDAR, [], later)) == 22
    assert next_look_at(CALENDAR, done_through("2026-03-04"), later) < later


def test_what_failed_waits_for_its_retry_and_holds_back_its_own_job_only() -> None:
    runs = [*done_through("2026-02-26"), run("consolidate", "2026-02-27", RunOutcome.FAILED)]
    assert {duty.job for duty in duties(CALENDAR, runs, NOW)} == {"link"}
    runs += [run("link", "2026-02-27"), run("link", "2026-02-28")]
    assert duties(CALENDAR, runs, NOW) == ()
    assert count_due(CALENDAR, runs, NOW) == 2
    assert next_look_at(CALENDAR, runs, NOW) == NOW + 20 * MINUTE


@pytest.mark.parametrize("wait", [20, 21, 600])
def test_after_the_wait_what_failed_is_tried_again(wait: int) -> None:
    runs = [
        *done_through("2026-02-27"),
        run("consolidate", "2026-02-28", RunOutcome.FAILED),
        run("link", "2026-02-28"),
    ]
    (duty,) = duties(CALENDAR, runs, NOW + wait * MINUTE)
    assert (duty.job, duty.period.key, duty.attempt) == ("consolidate", "2026-02-28", 2)


class Night:
    """A home's nights, in memory: calls at given times, of which some fail and some die."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def call(self, now: datetime, what: str = "ok") -> None:
        failed: set[str] = set()
        for duty in duties(CALENDAR, self.runs, now):
            if what == "dies" and duty.job == "consolidate":
                return
            if duty.job in failed:
                continue
            outcome = RunOutcome.FAILED if what == "fails" else RunOutcome.DONE
            failed |= {duty.job} if what == "fails" else set()
            self.runs.append(run(duty.job, duty.period.key, outcome, now))

    def done(self, job: str) -> list[str]:
        return [r.period for r in self.runs if r.job == job and r.outcome is RunOutcome.DONE]


def _calls(least: int) -> st.SearchStrategy[list[tuple[int, str]]]:
    step = st.tuples(st.integers(least, 60 * 24 * 5), st.sampled_from(["ok", "ok", "fails", "dies"]))
    return st.lists(step, max_size=15)


def _play(steps: list[tuple[int, str]]) -> tuple[Night, datetime]:
    night, now, furthest = Night(), NOW, NOW
    for minutes, what in steps:
        now = max(now + minutes * MINUTE, NOW)
        furthest = max(now, furthest)
        night.call(now, what)
    for day in range(30):
        furthest += timedelta(days=day > 0)
        night.call(furthest)
    return night, furthest


def _nights_until(now: datetime) -> list[str]:
    first, last = date(2026, 2, 26), (now - timedelta(hours=3, minutes=5)).date() - timedelta(days=1)
    return [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


@given(steps=_calls(1))
def test_over_failures_and_crashes_each_night_is_done_once_and_in_order(steps: list[tuple[int, str]]) -> None:
    night, now = _play(steps)
    assert night.done("link") == night.done("consolidate") == _nights_until(now)


@given(steps=_calls(-60 * 24 * 4))
def test_over_clock_jumps_both_ways_no_night_is_lost(steps: list[tuple[int, str]]) -> None:
    night, now = _play(steps)
    for job in CALENDAR.schedules:
        assert sorted(set(night.done(job))) == _nights_until(now)


@given(steps=_calls(-59))
def test_a_clock_set_back_by_less_than_an_hour_repeats_no_night(steps: list[tuple[int, str]]) -> None:
    night = Night()
    now = NOW
    for minutes, what in steps:
        night.call(now, what)
        now += minutes * MINUTE if minutes > 0 else timedelta(0)
        night.call(now + min(minutes, 0) * MINUTE, what)
    assert len(night.done("link")) == len(set(night.done("link")))

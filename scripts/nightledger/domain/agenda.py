"""What a call of ``night`` has to do now, and when the next one has something to do.

Invariant: a job does its periods in their order; one that failed holds back the later
ones of its job, which stay due, and of no other.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from nightledger.domain.periods import Period, Schedule, due, names_period, next_due_at
from nightledger.domain.runs import Run, RunOutcome, attempts, done_periods, last_done, retry_at

LATE = timedelta(days=1)
"""A period that was due this long ago was missed: the machine was off, or cron does not call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """By what a home counts its periods.

    Attributes:
        schedules: When each job is due; jobs that are due together run in this order.
        zone: The home's zone.
        since: The home's first log day.
        limit: How many periods of a job one call makes up for.
    """

    schedules: Mapping[str, Schedule]
    zone: tzinfo
    since: date
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Duty:
    """One period of one job that is to be run now.

    Attributes:
        job: Name of the job.
        period: The period.
        attempt: Which attempt at it this is, from 1.
    """

    job: str
    period: Period
    attempt: int


def duties(
    calendar: Calendar, runs: Collection[Run], now: datetime, *, retry: bool = False
) -> tuple[Duty, ...]:
    """Give what is to be run now: the oldest period first, jobs of one period in their order.

    Args:
        calendar: By what periods are counted.
        runs: The run ledger.
        now: Aware, UTC.
        retry: Try what failed at once, however short ago that was.
    """
    found = []
    for job in calendar.schedules:
        periods = _due(calendar, job, runs, now)[: calendar.limit]
        if periods and (retry or not _waits(runs, job, periods[0], now)):
            found += [
                Duty(job=job, period=period, attempt=attempts(runs, job, period.key) + 1)
                for period in periods
            ]
    return tuple(sorted(found, key=lambda duty: duty.period.due_at))


def count_due(calendar: Calendar, runs: Collection[Run], now: datetime) -> int:
    """Count the periods that are due now and not done, those that wait to be tried again too.

    A period that is due for several jobs is one.
    """
    return len({period.key for job in calendar.schedules for period in _due(calendar, job, runs, now)})


def find_missed(calendar: Calendar, runs: Collection[Run], now: datetime) -> dict[str, datetime]:
    """Return the keys of the periods that have been due for a day or longer, with since when: more than one call makes up for."""
    waiting = (period for job in calendar.schedules for period in _due(calendar, job, runs, now))
    return {period.key: period.due_at for period in waiting if period.due_at + LATE <= now}


def next_look_at(calendar: Calendar, runs: Collection[Run], now: datetime) -> datetime:
    """Give from when on a call has something to do; a moment of the past where it has now.

    Args:
        calendar: By what periods are counted; at least one job.
        runs: The run ledger.
        now: Aware, UTC.
    """
    looks = []
    for job, schedule in calendar.schedules.items():
        done = last_done(_at_periods_of(calendar, job, runs), job, now)
        at = next_due_at(schedule, done, calendar.zone, since=calendar.since)
        periods = _due(calendar, job, runs, now)
        again = retry_at(runs, job, periods[0].key, now) if periods else None
        looks.append(max(at, again) if again else at)
    return min(looks)


def failing(calendar: Calendar, runs: Collection[Run], now: datetime) -> tuple[Run, ...]:
    """Give, for each job whose oldest due period failed, the first failure at that period."""
    found = []
    for job in calendar.schedules:
        for period in _due(calendar, job, runs, now)[:1]:
            tried = [run for run in runs if (run.job, run.period) == (job, period.key)]
            found += [run for run in tried if run.outcome is RunOutcome.FAILED][:1]
    return tuple(found)


def _due(calendar: Calendar, job: str, runs: Collection[Run], now: datetime) -> tuple[Period, ...]:
    """Give the periods of a job that are due and not done, oldest first; also one in a gap that a wrong clock left."""
    own = _at_periods_of(calendar, job, runs)
    done = done_periods(own, job, now)
    waiting = due(calendar.schedules[job], last_done(own, job, now), now, calendar.zone, since=calendar.since)
    return tuple(period for period in waiting if period.key not in done)


def _at_periods_of(calendar: Calendar, job: str, runs: Collection[Run]) -> list[Run]:
    """Give the runs of a job at periods that it can have: anybody can write a line for a slot of a nightly job."""
    schedule = calendar.schedules[job]
    return [run for run in runs if run.job == job and names_period(schedule, run.period)]


def _waits(runs: Collection[Run], job: str, period: Period, now: datetime) -> bool:
    again = retry_at(runs, job, period.key, now)
    return again is not None and now < again

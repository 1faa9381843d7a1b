"""When a job is due, and what the run ledger says: which job did which period, and what came of it.

Invariant: each period has one key, keys only grow, and a period is due from one moment of UTC on. So a call at any
time, on a machine in any zone, over any change of the clocks, finds the same periods; none comes twice and none is
lost. The ledger alone says what is done; a job that died before its line was written is due again, and its rerun
gives the same bytes.
"""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

DAY = timedelta(days=1)
_KEY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Schedule(Struct, frozen=True, kw_only=True):
    """Once for each log day, on the day after it; or for each seven, on the day after the last of them.

    Attributes:
        at: Local time of the day after; 03:05 for the nightly jobs, 03:00 for the weekly ones.
        weekday: The day on which a weekly job is due, counted from Monday 0; None is every day.
    """

    at: time
    weekday: int | None = None


class Period(Struct, frozen=True, kw_only=True):
    """What one run of a job is about.

    Attributes:
        key: Names it in the run ledger: its last log day, ``2026-02-28``.
        last_day: Last log day that it covers.
        due_at: From when on it may be run; aware, UTC.
    """

    key: str
    last_day: date
    due_at: datetime


def log_day(moment: datetime, zone: tzinfo) -> date:
    """Give the log day of a moment: its date in the home's zone; of one that falls off the calendar there, the last day on it.

    Args:
        moment: Aware.
        zone: The home's IANA zone.
    """
    try:
        return moment.astimezone(zone).date()
    except OverflowError:  # within a day of the years 1 and 9999: only an agent or a broken clock writes such
        return moment.date()


def local_moment(day: date, at: time, zone: tzinfo) -> datetime:
    """Give the moment, aware and in UTC, at which a local clock first shows ``at`` on ``day``.

    A time that the clocks repeat counts the first time; one that they skip counts as if
    they had not, so it comes just after the gap (PEP 495, ``fold=0``).
    """
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)


def due(
    schedule: Schedule, done: str | None, now: datetime, zone: tzinfo, *, since: date
) -> tuple[Period, ...]:
    """Give every period that is due and not done, oldest first.

    Args:
        schedule: When the job runs.
        done: Key of the newest period that it has done; None before the first.
        now: Aware, UTC.
        zone: The home's IANA zone.
        since: The home's first log day; no period that ended before it is ever due.
    """
    waiting = _undone(schedule, done, zone, since)
    return tuple(itertools.takewhile(lambda period: period.due_at <= now, waiting))


def next_due_at(schedule: Schedule, done: str | None, zone: tzinfo, *, since: date) -> datetime:
    """Give from when on the oldest period that is not done is due; aware, UTC.

    Args:
        schedule: When the job runs.
        done: Key of the newest period that it has done; None before the first.
        zone: The home's IANA zone.
        since: The home's first log day.
    """
    return next(_undone(schedule, done, zone, since)).due_at


def _undone(schedule: Schedule, done: str | None, zone: tzinfo, since: date) -> Iterator[Period]:
    last, length = max(date.fromisoformat(done) + DAY, since) if done else since, DAY
    if schedule.weekday is not None:  # it is due on the weekday, so its last log day is the day before
        last, length = last + (schedule.weekday - 1 - last.weekday()) % 7 * DAY, 7 * DAY
    while True:
        yield Period(key=last.isoformat(), last_day=last, due_at=local_moment(last + DAY, schedule.at, zone))
        last += length


AHEAD = timedelta(hours=1)
"""How far ahead of a later reading of the clock a run may have started and still count as one of the past.

A night is due three hours after its log day ended, so a clock that was wrong by less than
this cannot have run it too early; and a clock set back a little does not repeat the night.
"""
ZONES = timedelta(hours=26)
"""How far local times of two places are apart at most: UTC-12 to UTC+14 (IANA time zone database)."""
NEVER = datetime.max.replace(tzinfo=UTC)
"""When a run started that counts for nothing: in a future that never comes."""
FIRST_RETRY = timedelta(minutes=30)
"""How often ``night`` is called; a failed job is tried again at the next call ..."""
LAST_RETRY = timedelta(hours=8)
"""... and, doubling, three times a day at the least, so that a broken job does not fill the ledger."""


class RunOutcome(StrEnum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"


_Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}\Z")]
_Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class Run(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One attempt of one job at one period: a line of ``memory/system/runs.jsonl``.

    Attributes:
        v: Version of the record, 2.
        id: ``r-`` and 26 characters; derived from job, period and attempt.
        job: Name of the job, ``consolidate``.
        period: Key of the period, ``2026-02-28``.
        attempt: Counted from 1 for each job and period.
        started_at: Aware, UTC.
        finished_at: Aware, UTC.
        outcome: done or failed; a failed period stays due.
        counts: What it did, in whole numbers: ``{"proposed": 2}``.
        reason: One line: why it proposed nothing, or why it failed; empty where the counts say it all.
        boot: Names the boot of the machine in which it started; empty where the machine does not tell.
        boot_s: Whole seconds from then to the start, suspend included; 0 where ``boot`` is empty.
    """

    v: Literal[2]
    id: Annotated[str, Meta(pattern=r"^r-[a-z2-7]{26}\Z")]
    job: _Name
    period: Annotated[str, Meta(min_length=1, max_length=64)]
    attempt: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    started_at: Annotated[datetime, Meta(tz=True)]
    finished_at: Annotated[datetime, Meta(tz=True)]
    outcome: RunOutcome
    counts: Mapping[_Name, _Count]
    reason: Annotated[str, Meta(max_length=2000)] = ""
    boot: Annotated[str, Meta(max_length=64)] = ""
    boot_s: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0


class JobReport(Struct, frozen=True, kw_only=True):
    """What a job tells its caller.

    Attributes:
        counts: What it did, in whole numbers, by enumerated words.
        reason: One line that says why there was nothing to do or to propose; else empty.
    """

    counts: Mapping[str, int]
    reason: str = ""


def reckon(runs: Sequence[Run], now: datetime, zone: tzinfo) -> tuple[Run, ...]:
    """Return the runs as they count now; one that counts for nothing began :data:`NEVER`.

    One that stands more than an hour ahead of a later line was dated by a clock that was wrong, nobody knows by
    how much, and counts for nothing: better a period again, which changes nothing, than a period lost. What no job
    can have written (:func:`can_be`) is left out.

    Args:
        runs: The run ledger, in its order.
        now: Aware, UTC.
        zone: The home's, in which a log day ends.
    """
    latest = now
    found: list[Run] = []
    for run in reversed([run for run in runs if can_be(run, zone)]):
        found.append(replace(run, started_at=NEVER) if run.started_at > latest + AHEAD else run)
        latest = min(latest, run.started_at)
    return tuple(reversed(found))


def can_be(run: Run, zone: tzinfo) -> bool:
    """Tell whether a job can have written a run: anybody can write a line, and one for a day to come would skip all before it.

    By its own clock a job does periods that are over; in which zone that was, a setting may have changed since.

    Args:
        run: As it stands in the ledger.
        zone: The home's, in which a log day ends.
    """
    over = _over_at(run.period, zone)
    return over is not None and over - run.started_at <= ZONES


def _over_at(period: str, zone: tzinfo) -> datetime | None:
    """Return the moment at which the days of a period are over, in UTC; None where it is none, or no calendar holds it."""
    try:
        return (
            local_moment(date.fromisoformat(period) + DAY, time(), zone) if _KEY.fullmatch(period) else None
        )
    except (ValueError, OverflowError):
        return None


def done_periods(runs: Iterable[Run], job: str, now: datetime) -> frozenset[str]:
    """Give every period that the job has done.

    Args:
        runs: As :func:`reckon` gave them.
        job: Its name.
        now: Aware, UTC; a run that started later than an hour after it counts for nothing.
    """
    return frozenset(run.period for run in _done(runs, job) if _past(run, now))


def last_done(runs: Collection[Run], job: str, now: datetime) -> str | None:
    """Give the newest period up to which the job has done all; None before the first.

    Args:
        runs: As :func:`reckon` gave them; a period whose runs count for nothing is a gap, and so what the
            job did behind it is not the newest.
        job: Its name.
        now: As :func:`done_periods`.
    """
    done = done_periods(runs, job, now)
    gap = min((run.period for run in _done(runs, job) if run.period not in done), default=None)
    return max((period for period in done if gap is None or period < gap), default=None)


def _done(runs: Iterable[Run], job: str) -> Iterator[Run]:
    return (run for run in runs if run.job == job and run.outcome is RunOutcome.DONE)


def attempts(runs: Iterable[Run], job: str, period: str) -> int:
    """Count the runs of a job at a period, whatever came of them."""
    return sum(run.job == job and run.period == period for run in runs)


def retry_at(runs: Iterable[Run], job: str, period: str, now: datetime) -> datetime | None:
    """Give from when on a failed period is tried again; None where it did not fail.

    The wait doubles from 30 minutes to 8 hours with each failure. A run that ends ahead of now began when it says:
    anybody can write a line, and one that ends in the year 9999 would hold back the job until then.
    """
    failed = [
        run
        for run in runs
        if (run.job, run.period, run.outcome) == (job, period, RunOutcome.FAILED) and _past(run, now)
    ]
    if not failed:
        return None
    doublings = min(len(failed) - 1, 10)  # 2**10 half hours are far beyond LAST_RETRY
    last = failed[-1]
    ended = last.finished_at if last.finished_at <= now + AHEAD else last.started_at
    return ended + min(FIRST_RETRY * (1 << doublings), LAST_RETRY)


def _past(run: Run, now: datetime) -> bool:
    return run.started_at <= now + AHEAD


LATE = timedelta(days=1)
"""A period that was due this long ago was missed: the machine was off, or cron does not call."""


class Calendar(Struct, frozen=True, kw_only=True):
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


class Duty(Struct, frozen=True, kw_only=True):
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
        done = last_done(_of(calendar, job, runs), job, now)
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
    own = _of(calendar, job, runs)
    done = done_periods(own, job, now)
    waiting = due(calendar.schedules[job], last_done(own, job, now), now, calendar.zone, since=calendar.since)
    return tuple(period for period in waiting if period.key not in done)


def _of(calendar: Calendar, job: str, runs: Collection[Run]) -> list[Run]:
    """Return the runs of a job at periods that it can have: anybody can write a line."""
    return [run for run in runs if run.job == job and _over_at(run.period, calendar.zone)]


def _waits(runs: Collection[Run], job: str, period: Period, now: datetime) -> bool:
    again = retry_at(runs, job, period.key, now)
    return again is not None and now < again

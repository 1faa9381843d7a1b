"""When a job is due: by period in the home's zone, never by when it last started.

Invariant: each period has one key, keys only grow, and a period is due from one moment
of UTC on. So a call at any time, on a machine in any zone, over any change of the clocks,
finds the same periods; none comes twice and none is lost.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

DAY = timedelta(days=1)
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SLOT = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Daily:
    """Once for each log day, on the day after it.

    Attributes:
        at: Local time of the day after; 03:05 for the nightly jobs.
    """

    at: time


@dataclass(frozen=True, slots=True, kw_only=True)
class Weekly:
    """Once for each seven log days, on the day after the last of them.

    Attributes:
        weekday: The day on which it is due, counted from Monday 0; Sunday is 6.
        at: Local time of that day; 03:00 for the weekly jobs.
    """

    weekday: int
    at: time


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """Once in each slot of so many minutes, counted from 1970-01-01T00:00Z.

    What such a job makes is of use only now: of the slots that were missed, the newest alone
    is due.

    Attributes:
        minutes: Length of a slot; 30 for staging, 10 for apply.
    """

    minutes: int

    @property
    def seconds(self) -> int:
        """Length of a slot in seconds."""
        return self.minutes * 60


Schedule = Daily | Weekly | Every


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """What one run of a job is about.

    Attributes:
        key: Names it in the run ledger: its last log day (``2026-02-28``), or the start of
            its slot (``2026-02-28T03:30Z``).
        first_day: First log day that it covers.
        last_day: Last log day that it covers.
        due_at: From when on it may be run; aware, UTC.
    """

    key: str
    first_day: date
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


def over_at(key: str, zone: tzinfo) -> datetime:
    """Give from when on a period's key names time that has passed: the end of its last log day, or its slot's start.

    Raises:
        ValueError: When it is no key of a period.
    """
    if "T" in key:
        return datetime.fromisoformat(key)
    return local_moment(date.fromisoformat(key) + DAY, time(), zone)


def names_period(schedule: Schedule, key: str) -> bool:
    """Tell whether a key is written as those of a schedule's periods are.

    Args:
        schedule: When the job runs.
        key: As :func:`over_at` takes it.
    """
    return (_SLOT if isinstance(schedule, Every) else _DAY).fullmatch(key) is not None


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
    if isinstance(schedule, Every):
        newest = _slot(int(now.timestamp()) // schedule.seconds * schedule.seconds, zone)
        first = _first_slot(schedule, done, zone, since)
        return (newest,) if newest.due_at.timestamp() >= first else ()
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
    if isinstance(schedule, Every):
        return datetime.fromtimestamp(_first_slot(schedule, done, zone, since), UTC)
    return next(_undone(schedule, done, zone, since)).due_at


def _undone(schedule: Daily | Weekly, done: str | None, zone: tzinfo, since: date) -> Iterator[Period]:
    length = 7 if isinstance(schedule, Weekly) else 1
    last = max(date.fromisoformat(done) + DAY, since) if done else since
    if isinstance(schedule, Weekly):
        # It is due on the weekday, so its last log day is the day before.
        last += (schedule.weekday - 1 - last.weekday()) % 7 * DAY
    while True:
        yield Period(
            key=last.isoformat(),
            first_day=last - (length - 1) * DAY,
            last_day=last,
            due_at=local_moment(last + DAY, schedule.at, zone),
        )
        last += length * DAY


def _first_slot(schedule: Every, done: str | None, zone: tzinfo, since: date) -> int:
    start = -(-int(local_moment(since, time(), zone).timestamp()) // schedule.seconds) * schedule.seconds
    if done is None:
        return start
    last = int(datetime.fromisoformat(done).timestamp()) // schedule.seconds * schedule.seconds
    return max(start, last + schedule.seconds)


def _slot(second: int, zone: tzinfo) -> Period:
    start = datetime.fromtimestamp(second, UTC)
    day = log_day(start, zone)
    return Period(key=f"{start:%Y-%m-%dT%H:%M}Z", first_day=day, last_day=day, due_at=start)

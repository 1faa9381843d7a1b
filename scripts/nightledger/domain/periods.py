"""When a job is due: by period in the home's zone, never by when it last started.

Invariant: each period has one key, keys only grow, and a period is due from one moment
of UTC on. So a call at any time, on a machine in any zone, over any change of the clocks,
finds the same periods; none comes twice and none is lost.
"""

import itertools
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from msgspec import Struct

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


def over_at(key: str, zone: tzinfo) -> datetime:
    """Give from when on a period's key names time that has passed: the end of its last log day.

    Raises:
        ValueError: When it is no key of a period.
    """
    if not _KEY.fullmatch(key):
        raise ValueError(key)
    return local_moment(date.fromisoformat(key) + DAY, time(), zone)


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

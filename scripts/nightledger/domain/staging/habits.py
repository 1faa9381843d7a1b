"""What kinds of task are done at this time of the week, as outcomes tell.

Invariant: a kind counts by days, never by records, so that one busy session is one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

WEEK = timedelta(days=7)
MOST_TAGS = 6
"""Tags of a kind of task that are asked about: the associations of its rarer ones say little of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """A task that was done.

    Attributes:
        at: When; aware.
        task_type: What kind of task.
        tags: Its canonical tags.
    """

    at: datetime
    task_type: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """A kind of task that is done at this time of the week.

    Attributes:
        task_type: Which.
        days: On how many days it was.
        tags: What it is mostly about, the most frequent first.
    """

    task_type: str
    days: int
    tags: tuple[str, ...]


def find_habits(
    doings: Sequence[Doing], now: datetime, zone: tzinfo, *, weeks: int, hours: int, least_days: int
) -> list[Habit]:
    """Give the kinds of task of this time of the week, those of most days first.

    Args:
        doings: What was done, in any order.
        now: Aware, UTC.
        zone: The home's: a time of the week is one of the wall clock there.
        weeks: How many weeks back are looked at.
        hours: How many hours before and after now count.
        least_days: On how many days a kind must have been done.
    """
    local = now.astimezone(zone).replace(tzinfo=None)
    days: dict[str, set[object]] = defaultdict(set)
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for doing in doings:
        if doing.at > now:  # also off the calendar, in a zone ahead
            continue
        at = doing.at.astimezone(zone).replace(tzinfo=None)
        if timedelta() < local - at <= weeks * WEEK + timedelta(hours=hours) and _is_near(at, local, hours):
            days[doing.task_type].add(at.date())
            tags[doing.task_type].update(set(doing.tags))
    found = [
        Habit(task_type=kind, days=len(on), tags=_most(tags[kind]))
        for kind, on in days.items()
        if len(on) >= least_days
    ]
    return sorted(found, key=lambda habit: (-habit.days, habit.task_type))


def _is_near(at: datetime, now: datetime, hours: int) -> bool:
    """Tell whether two wall-clock times are near each other within the week, over its end too."""
    apart = (now - at) % WEEK
    return min(apart, WEEK - apart) <= timedelta(hours=hours)


def _most(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(tag for tag, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])))[:MOST_TAGS]


def tags_in(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Give the canonical tags that a text names, as whole words, sorted.

    Args:
        text: Anybody's words.
        known: Tags to look for; a tag of several words is written with ``_``.
    """
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    runs = {"_".join(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1)}
    return tuple(sorted(runs.intersection(known)))

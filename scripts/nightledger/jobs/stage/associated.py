"""Associations for the kinds of task of this time of the week, and for what the handoff leaves open.

Invariant: of an association the signed entry that names its resolution (``recall/associations.py``) is quoted, whole;
that it worked is said to be unsigned. Tags, resolutions and kinds of task are not told: whoever records outcomes
chooses their words. A kind of task counts by days, never by records, so that one busy session is one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta

from nightledger.codec.rows import DoingRow, read_rows
from nightledger.domain.staging.rules import PERCENT
from nightledger.domain.staging.values import Candidate, Source
from nightledger.files.line_log import LineLog
from nightledger.jobs.stage.inquiry import Inquiry
from nightledger.jobs.stage.lines import place_of
from nightledger.recall.associations import Association

ONE_TAG = 0.5
"""What an association counts of which an open item names one tag, not both."""
WEEK = timedelta(days=7)
MOST_TAGS = 6
"""Tags of a kind of task that are asked about: the associations of its rarer ones say little of it."""
Found = Iterator[tuple[Association, str, float]]
"""Associations with why they may help, and what they count, 0..1."""


def associations(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give the associations that may help now."""
    least = inquiry.rules.association_percent
    sure = [one for one in inquiry.associations if round(one.confidence * PERCENT, 2) >= least]
    if not sure:
        return
    for one, why, share in (*_for_habits(inquiry, sure), *_for_items(inquiry, sure)):
        told = f"unsigned records say that it worked, confidence {one.confidence:.2f}; {why}"
        score = round(one.confidence * share, 4)
        candidate = inquiry.known[one.entry].candidate(Source.ASSOCIATION, told, score)
        yield replace(candidate, shown=(*candidate.shown, one.key, one.resolution))


def _for_habits(inquiry: Inquiry, sure: Iterable[Association]) -> Found:
    for days, tags in habits(inquiry, _doings(inquiry)):
        often = min(1.0, days / inquiry.rules.habit_weeks)
        for one in sure:
            if {one.first, one.second} <= tags:
                yield one, f"for what was done on {days} days at this time of the week", 0.5 + 0.5 * often


def _for_items(inquiry: Inquiry, sure: Iterable[Association]) -> Found:
    for item in inquiry.handed.items:
        named = tags_in(item.text)
        for one in sure:
            both = (one.first in named) + (one.second in named)
            if both:
                why = f"for what {place_of(inquiry.handed.path, (item.line, item.line))} leaves open"
                yield one, why, item.urgency * (1.0 if both > 1 else ONE_TAG)


def _doings(inquiry: Inquiry) -> list[DoingRow]:
    with LineLog(inquiry.home.outcomes) as log:
        found = read_rows(DoingRow, log.chunks(0))
        return [row for rows, _ in found for row in rows if row.timestamp.tzinfo is not None]


def habits(inquiry: Inquiry, doings: Iterable[DoingRow]) -> list[tuple[int, frozenset[str]]]:
    """Return on how many days each kind of task was done at this time of the week, and what it is mostly about.

    A time of the week is one of the wall clock in the home's zone; the end of this hour counts, so that a page holds
    until then.
    """
    rules = inquiry.rules
    now = inquiry.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    local, near = _wall(now, inquiry), timedelta(hours=rules.habit_hours)
    since = now - WEEK * rules.habit_weeks - near
    days: defaultdict[str, set[date]] = defaultdict(set)
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for doing in doings:
        if not since <= doing.timestamp < now:  # also off the calendar, in a zone ahead
            continue
        at = _wall(doing.timestamp, inquiry)
        apart = (local - at) % WEEK
        if min(apart, WEEK - apart) <= near:
            days[doing.task_type].add(at.date())
            tags[doing.task_type].update(set(doing.context_tags))
    return [
        (len(on), _most(tags[kind]))
        for kind, on in sorted(days.items(), key=lambda one: (-len(one[1]), one[0]))
        if len(on) >= rules.habit_days
    ]


def _wall(at: datetime, inquiry: Inquiry) -> datetime:
    return at.astimezone(inquiry.zone).replace(tzinfo=None)


def _most(counted: Counter[str]) -> frozenset[str]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return frozenset(tag for tag, _ in ordered[:MOST_TAGS])


def tags_in(text: str) -> frozenset[str]:
    """Return all canonical tags that a text may name, as whole words: one of several words is written with ``_``."""
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    return frozenset(
        "_".join(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1)
    )

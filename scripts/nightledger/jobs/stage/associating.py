"""Associations for the kinds of task of this time of the week, and for what the handoff leaves open.

Invariant: of an association the signed entry that names its resolution (``recall/associations.py``) is quoted, whole;
that it worked is said to be unsigned. Tags, resolutions and kinds of task are not told: whoever records outcomes
chooses their words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from nightledger.codec.doing_rows import read_doings
from nightledger.domain.staging.habits import WEEK, Doing, Habit, find_habits, tags_in
from nightledger.domain.staging.rules import PERCENT, StagingRules
from nightledger.domain.staging.values import Candidate, Source
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import place_of
from nightledger.jobs.stage.remembered import Known, entry_candidate, entry_chunk
from nightledger.recall.associations import Association
from nightledger.text.staging.handoff import OpenItem

ONE_TAG = 0.5
"""What an association counts of which an open item names one tag, not both."""
Named = tuple[Association, Known]
"""An association with the signed entry that names its resolution."""


def with_entries(
    associations: Iterable[Association], known: Iterable[Known], library: Library
) -> list[Named]:
    """Return the associations with their entries; without those whose entry is over, or may not be shown."""
    entries = {one.one.placed.entry.id: one for one in known}
    named = ((one, entries[one.entry]) for one in associations if one.entry in entries)
    return [(one, entry) for one, entry in named if library.may_show(entry_chunk(entry.one))]


def associate(
    home: Home,
    associations: Sequence[Named],
    items: Sequence[OpenItem],
    rules: StagingRules,
    now: datetime,
    zone: tzinfo,
) -> list[Candidate]:
    """Give the associations that may help now.

    Args:
        home: Whose.
        associations: Those that may be shown, with their entries.
        items: What the handoff leaves open.
        rules: How far back and around is looked.
        now: Aware, UTC; the end of its hour counts, so that a page holds until then.
        zone: The home's.
    """
    now = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    sure = [
        named
        for named in associations
        if round(named[0].confidence * PERCENT, 2) >= rules.association_percent
    ]
    if not sure or not rules.sources[Source.ASSOCIATION].takes_part:
        return []
    since = now - WEEK * rules.habit_weeks - timedelta(hours=rules.habit_hours)
    habits = find_habits(
        _doings(home, since), now, zone,
        weeks=rules.habit_weeks, hours=rules.habit_hours, least_days=rules.habit_days,
    )  # fmt: skip
    return [*_for_habits(sure, habits, rules), *_for_items(sure, items, home.relative(home.handoff))]


def _doings(home: Home, since: datetime) -> list[Doing]:
    with LineLog(home.outcomes) as log:
        return [doing for doing in read_doings(log.chunks(0)) if doing.at >= since]


def _for_habits(sure: Sequence[Named], habits: Sequence[Habit], rules: StagingRules) -> Iterator[Candidate]:
    for habit in habits:
        tags = frozenset(habit.tags)
        often = min(1.0, habit.days / rules.habit_weeks)
        for one, entry in sure:
            if one.first in tags and one.second in tags:
                why = f"for what was done on {habit.days} days at this time of the week"
                yield _candidate(one, entry, why, 0.5 + 0.5 * often)


def _for_items(sure: Sequence[Named], items: Sequence[OpenItem], path: str) -> Iterator[Candidate]:
    known = {tag for one, _ in sure for tag in (one.first, one.second)}
    for item in items:
        named = frozenset(tags_in(item.text, known))
        for one, entry in sure:
            both = (one.first in named) + (one.second in named)
            if both:
                why = f"for what {place_of(path, (item.line, item.line))} leaves open"
                yield _candidate(one, entry, why, item.urgency * (1.0 if both > 1 else ONE_TAG))


def _candidate(one: Association, entry: Known, why: str, share: float) -> Candidate:
    told = f"unsigned records say that it worked, confidence {one.confidence:.2f}; {why}"
    candidate = entry_candidate(entry, Source.ASSOCIATION, told, round(one.confidence * share, 4))
    return replace(candidate, shown=(*candidate.shown, one.key, one.resolution))

"""What each source of a page offers: events and documents, what was left open, associations, records.

Invariant: a line of a file that nobody signed is never quoted; it only tells which lines say the same.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date

from msgspec.structs import replace

from nightledger.codec.rows import DoingRow, read_rows
from nightledger.domain.finding import Severity
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Origin
from nightledger.domain.staging import PERCENT, Candidate, Event, Source
from nightledger.files.line_log import LineLog
from nightledger.jobs.stage.inquiry import (
    Inquiry,
    document,
    place_of,
)
from nightledger.records.keeping import why_held, words_of
from nightledger.records.noticing import named_places, read_every, still_open
from nightledger.text.scanners.scan import scan
from nightledger.text.visible import quoted

_LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:)\S*", re.IGNORECASE)
HELD_TITLE = "an event whose title is held back"
NO_TITLE = "an event without a title"
STRANGE_TITLE = "an event of somebody else"
"""Whoever can send an invitation writes its title, so it is not quoted."""


def events(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give the events of the next hours, and which calendars could not be read: silence is no empty day."""
    for name, problem in inquiry.problems:
        yield Candidate(
            source=Source.EVENT,
            text="some events may be missing here",
            place=f"calendar {name}",
            why=f"it {problem}" if not problem[0].isdigit() else problem,
            score=1.0,
        )
    for event, title, nearness in _titled(inquiry):
        told = quoted(_LINK.sub("(link)", title)) if event.own else STRANGE_TITLE
        yield Candidate(
            source=Source.EVENT,
            text=title if title in (HELD_TITLE, NO_TITLE) else told,
            place=f"calendar {event.calendar}",
            why=f"event {_when(event, inquiry)}",
            score=nearness,
            until=event.ends_at,
        )


def documents(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give what search finds for the titles of events."""
    for event, title, nearness in _titled(inquiry):
        if title not in (HELD_TITLE, NO_TITLE):
            why = f"for the event {_when(event, inquiry)}"
            for hit in inquiry.find(title):
                yield document(hit, Source.DOCUMENT, why, nearness, event.ends_at)


def _titled(inquiry: Inquiry) -> Iterator[tuple[Event, str, float]]:
    """Give each event with its title as it may be said, and how near it is."""
    for event in sorted(inquiry.events, key=lambda one: one.starts_at):
        yield event, title_of(event, inquiry), _nearness(event, inquiry)


def title_of(event: Event, inquiry: Inquiry) -> str:
    """Return a title; one that addresses an agent, or says what an agent may not be told, is held back.

    A calendar is no way around the operator.
    """
    findings = scan(event.title, origin=Origin.WEB)
    stopped = any(finding.severity in (Severity.QUARANTINE, Severity.BLOCK) for finding in findings)
    if stopped or (event.title and not inquiry.library.may_say(event.title)):
        return HELD_TITLE
    return event.title or NO_TITLE


def _nearness(event: Event, inquiry: Inquiry) -> float:
    """Return 1 for what goes on or begins now, down to .5 for the end of the look-ahead; all-day events are .5."""
    hours = inquiry.rules.lookahead_hours
    if event.all_day or not hours:
        return 0.5
    ahead = max(0.0, (event.starts_at - inquiry.now).total_seconds()) / (hours * 3600)
    return round(1 - 0.5 * min(1.0, ahead), 4)


def _when(event: Event, inquiry: Inquiry) -> str:
    moments = (inquiry.now, event.starts_at, event.ends_at)
    today, starts, ends = (at.astimezone(inquiry.zone) for at in moments)
    if event.all_day:
        return "today, all day" if starts.date() <= today.date() else f"on {starts:%Y-%m-%d}, all day"
    day = "" if starts.date() == today.date() else f"{starts:%Y-%m-%d} "
    return f"{day}{starts:%H:%M}-{ends:%H:%M}"


MOST_TAGS = 6
"""Tags of a kind of task that are asked about: the associations of its rarer ones say little of it."""


def associations(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give the associations that may help now: of the kinds of task of this day of the week."""
    rules = inquiry.rules
    sure = [
        one for one in inquiry.associations if round(one.confidence * PERCENT, 2) >= rules.association_percent
    ]
    for days, tags in habits(inquiry, _doings(inquiry)) if sure else ():
        share = 0.5 + 0.5 * min(1.0, days / rules.habit_weeks)
        for one in sure:
            if {one.first, one.second} <= tags:
                told = f"unsigned records say that it worked, confidence {one.confidence:.2f}; for what was done on {days} such days of the week"
                score = round(one.confidence * share, 4)
                candidate = inquiry.known[one.entry].candidate(Source.ASSOCIATION, told, score)
                yield replace(candidate, shown=(*candidate.shown, one.key, one.resolution))


def _doings(inquiry: Inquiry) -> list[DoingRow]:
    with LineLog(inquiry.home.outcomes) as log:
        found = read_rows(DoingRow, log.chunks(0))
        return [row for rows, _ in found for row in rows if row.timestamp.tzinfo is not None]


def habits(inquiry: Inquiry, doings: Iterable[DoingRow]) -> list[tuple[int, frozenset[str]]]:
    """Return on how many days each kind of task was done on this day of the week, and what it is mostly about."""
    rules = inquiry.rules
    days = defaultdict[str, set[date]](set)
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for doing in doings:
        on = log_day(doing.timestamp, inquiry.zone)
        weeks, other = divmod((inquiry.today - on).days, 7)
        if not other and 1 <= weeks <= rules.habit_weeks:
            days[doing.task_type].add(on)
            tags[doing.task_type].update(set(doing.context_tags))
    return [
        (len(on), _most(tags[kind]))
        for kind, on in sorted(days.items(), key=lambda one: (-len(one[1]), one[0]))
        if len(on) >= rules.habit_days
    ]


def _most(counted: Counter[str]) -> frozenset[str]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return frozenset(tag for tag, _ in ordered[:MOST_TAGS])


STALE_DAYS = 14
"""FACTS, Elara: goals are stale at 14 days. A handoff of then is staged below all fresh things."""
STALE_SHARE = 0.5
URGENT = 1.0
"""Urgency of an item under a heading that says so (``config/words/handoff-words.json``)."""


def open_items(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give one candidate that names where open items stand; none where nothing is open."""
    handed = inquiry.handed
    if not handed.items:
        return
    age = 0 if handed.day is None else (inquiry.today - handed.day).days
    urgent = sum(item.urgency >= URGENT for item in handed.items)
    numbers = [item.line for item in handed.items]
    place = place_of(handed.path, (min(numbers), max(numbers)))
    count = f"{'at least ' if handed.is_cut else ''}{len(handed.items)}"
    told = f"the handoff leaves {count} open{f', {urgent} of them urgent' if urgent else ''}"
    yield Candidate(
        source=Source.OPEN_ITEM,
        text=place,
        place=place,
        why=f"{told}; it is {age} days old" if age >= STALE_DAYS else told,
        score=round(handed.items[0].urgency * (STALE_SHARE if age >= STALE_DAYS else 1), 4),
        path=handed.path,
    )


NEXT = 0.9
"""What each further record counts, of the one before it."""


def recorded(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give what a session should hear of what earlier ones recorded; words that no agent may be told bring no line."""
    score = 1.0
    for one, why in named_places(still_open(read_every(inquiry.home)[0], inquiry.now), inquiry.now):
        words = [*words_of(one.fields)]
        if why_held(words) or not all(map(inquiry.library.may_say, words)):
            continue
        path = inquiry.home.relative(inquiry.home.records(one.kind))
        yield Candidate(
            source=Source.RECORD,
            text=one.id,
            place=place_of(path, (one.line, one.line)),
            why=f"{one.kind} {one.id[:10]} {why}",
            score=round(score, 4),
            path=path,
        )
        score *= NEXT

"""What each source of a page offers: events and documents, what was left open, associations, what was shown, work.

Invariant: a line of a file that nobody signed is never quoted; it only tells which lines say the same.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.codec.rows import DoingRow, ExposureRow, read_rows
from nightledger.domain.daylog import LogLine, Region
from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Origin
from nightledger.domain.search import Chunk, Hit, says
from nightledger.domain.staging import PERCENT, Candidate, Event, Source
from nightledger.files.line_log import LineLog
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.stage.inquiry import LEAST_WORDS, Inquiry, Known, Shelves, document, is_about, words_met
from nightledger.jobs.stage.logs import (
    ROUTINE_DAYS,
    bare,
    candidate_of,
    is_short,
    place_of,
    plain,
    report_alike,
)
from nightledger.recall.associations import Association
from nightledger.text.scanners.scan import scan
from nightledger.text.statements.daylog import read_daylog

_MARKS = re.compile('["\u201c-\u201f\u00ab\u00bb\u2033\uff02]')
_LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:)\S*", re.IGNORECASE)
HELD_TITLE = "an event whose title is held back"
NO_TITLE = "an event without a title"
STRANGE_TITLE = "an event of somebody else"
"""Whoever can send an invitation writes its title, so it is not quoted."""
AGAIN = 0.5
"""What an event counts that comes again in these hours: others go first."""


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
        own = title if title in (HELD_TITLE, NO_TITLE) else _in_marks(title) if event.own else STRANGE_TITLE
        yield Candidate(
            source=Source.EVENT,
            text=own,
            place=f"calendar {event.calendar}",
            why=f"event {_when(event, inquiry)}",
            score=nearness,
            until=event.ends_at,
        )


def documents(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give what search finds for the titles of events, and for the routines that are on."""
    for event, title, nearness in _titled(inquiry):
        if title not in (HELD_TITLE, NO_TITLE):
            why = f"for the event {_when(event, inquiry)}"
            for hit in inquiry.find(title):
                yield document(hit, Source.DOCUMENT, why, nearness, event.ends_at)
    for routine in inquiry.rules.routines:
        if routine.is_on(inquiry.now.astimezone(inquiry.zone)):
            why = f"for the routine of {routine.begins:%H:%M}-{routine.ends:%H:%M}"  # its name is anybody's
            for hit in inquiry.find(routine.query):
                yield document(hit, Source.DOCUMENT, why, 1.0)


def _titled(inquiry: Inquiry) -> Iterator[tuple[Event, str, float]]:
    """Give each event with its title as it may be said, and how near it is."""
    told: set[str] = set()
    for event in sorted(inquiry.events, key=lambda one: one.starts_at):
        nearness = _nearness(event, inquiry) * (AGAIN if event.title in told else 1)
        told.add(event.title)
        yield event, title_of(event, inquiry), nearness


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


def _in_marks(title: str) -> str:
    """Return a title in quotation marks that it cannot close, without links."""
    return '"' + _MARKS.sub("'", _LINK.sub("(link)", title)) + '"'


def _when(event: Event, inquiry: Inquiry) -> str:
    moments = (inquiry.now, event.starts_at, event.ends_at)
    today, starts, ends = (at.astimezone(inquiry.zone) for at in moments)
    if event.all_day:
        return "today, all day" if starts.date() <= today.date() else f"on {starts:%Y-%m-%d}, all day"
    day = "" if starts.date() == today.date() else f"{starts:%Y-%m-%d} "
    return f"{day}{starts:%H:%M}-{ends:%H:%M}"


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


COUNTED = {"recall": 1.0, "prompt": 0.5}
"""How a showing counts: asked for in full, come up at a prompt in half."""
ENOUGH = 3.0
"""So many showings, faded, count in full."""
HALF_LIFE_DAYS = 2.0
"""Work goes on for days, not weeks. Measured with bench/bench_stage.py."""
RECALLED_AGAIN = 2
"""Showings from which a line is of use that tells nothing later on: once, it was the best there was."""
_FAILED = 0.3
"""What is left of a line after which more went wrong than well."""
_LARGEST_LINES = 60
Place = tuple[str, int, int]


class Tally(Struct):
    """How often something was shown lately: faded weight, times, days."""

    weight: float = 0.0
    times: int = 0
    days: set[date] = field(default_factory=set)

    @property
    def score(self) -> float:
        """What that counts, 0..1."""
        return min(1.0, self.weight / ENOUGH)

    @property
    def why(self) -> str:
        """That, in words."""
        return f"recalled on {len(self.days)} of the last days" if len(self.days) > 1 else "recalled lately"


def shown_lately(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give entries and lines of logs that were shown in the last days."""
    for what, tally in _tallies(inquiry).items():
        if isinstance(what, str):
            known = inquiry.known.get(what)
            if known and _is_worth(known.chunk, tally, inquiry, is_of_use=known.one.use.useful > 0):
                yield _entry(known, tally)
            continue
        path, first, last = what
        chunk = inquiry.library.lines_of(path, (first, last)) if last - first < _LARGEST_LINES else None
        if chunk and inquiry.logs.is_fit(chunk, (first, last)) and _is_worth(chunk, tally, inquiry):
            yield candidate_of(Source.SHOWN, chunk, tally.why, tally.score)


def _tallies(inquiry: Inquiry) -> dict[str | Place, Tally]:
    """Return how often each entry, by its id, and each place was shown; a page holds until the log day's end."""
    found: defaultdict[str | Place, Tally] = defaultdict(Tally)
    for row, day in _rows(inquiry):
        ago = (inquiry.today - day).days
        if row.event in COUNTED and 0 <= ago <= inquiry.rules.shown_days:
            count = COUNTED[row.event] * 0.5 ** (ago / HALF_LIFE_DAYS)
            places: list[str | Place] = [(place.path, *place.lines) for place in row.places]
            for what in (*row.shown, *places):
                found[what].weight += count
                found[what].times += 1
                found[what].days.add(day)
    return found


def _rows(inquiry: Inquiry) -> Iterator[tuple[ExposureRow, date]]:
    with LineLog(inquiry.home.exposures) as log:
        for row in chain.from_iterable(rows for rows, _ in read_rows(ExposureRow, log.chunks(0))):
            with suppress(ValueError, OverflowError):  # no time, or one that is off the calendar here
                at = datetime.fromisoformat(row.at)
                if at.tzinfo is not None:
                    yield row, at.astimezone(inquiry.zone).date()


def _is_worth(chunk: Chunk, tally: Tally, inquiry: Inquiry, *, is_of_use: bool = False) -> bool:
    """Tell whether lines say anything by themselves, are of use, tell something or came twice, and may be shown."""
    if not any(map(says, chunk.text.split("\n"))) or not inquiry.library.may_show(chunk):
        return False
    again = tally.times >= RECALLED_AGAIN and not is_short(plain(chunk.text))
    return again or is_of_use or inquiry.logs.tells(chunk, (chunk.first_line, chunk.last_line))


def _entry(known: Known, tally: Tally) -> Candidate:
    use = known.one.use
    came = f"; {use.useful} sessions succeeded after it, {use.harmful} failed"
    score = tally.score * (_FAILED if use.harmful > use.useful else 1.0)
    why = tally.why + (came if use.useful or use.harmful else "")
    return known.candidate(Source.SHOWN, why, score)


LAST_LINES = 3
SECTIONS = 4
"""Lines and sections of the newest log that are looked up, from its end."""
HITS = 8
EACH = 3
"""Hits looked at, and lines given, for one topic."""
QUERY_CHARACTERS = 400
FADING = 0.85
"""What each earlier line or section counts, of the one after it."""
PASSING = 0.5
"""What a line counts that says nothing that lasts; one that surely does counts 1."""
PASSING_WORDS = 3
"""Words that such a line must share with what goes on."""
ITEMS = 3
"""Open items that are looked up, the most urgent ones. These figures: docs/decisions/0023-what-an-agent-is-shown.md."""


class Topic(Struct, frozen=True, kw_only=True):
    """Something that goes on.

    Attributes:
        query: What is searched for.
        place: Where it is told.
        share: What its hits count, 0..1.
    """

    query: str
    place: str
    share: float


def at_work(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give lines about what goes on."""
    for topic in _topics(inquiry):
        found = _about(topic, inquiry)
        yield from sorted(found, key=lambda one: -one.score)[:EACH]


def _topics(inquiry: Inquiry) -> Iterator[Topic]:
    for log, content in inquiry.logs.newest().items():
        yield from topics_of(log, content, inquiry.logs.habit, inquiry.library)
    for n, item in enumerate(inquiry.handed.items[:ITEMS]):
        place = place_of(inquiry.handed.path, (item.line, item.line))
        yield Topic(query=item.text, place=place, share=item.urgency * FADING**n)


def topics_of(log: LogFile, content: bytes, habit: frozenset[str], library: Shelves) -> Iterator[Topic]:
    """Give what the end of a log is about: its last lines, then its last sections, the newest first.

    What an agent may not see is about nothing: it decides not what is staged.

    Args:
        log: The log.
        content: Its bytes.
        habit: Lines that are about nothing, as :class:`Logs` has them.
        library: Search: it knows what may be shown.
    """
    shown = library.shown_lines(log.path)
    lines = [
        line
        for line in read_daylog(log.path, content.decode("utf-8", "replace"), log.day).lines
        if line.region is Region.PROSE
        and line.content
        and line.number in shown
        and bare(line.text) not in habit
    ]
    sections: dict[tuple[str, ...], list[LogLine]] = {}
    for line in lines:
        sections.setdefault(line.headings, []).append(line)
    for n, line in enumerate(lines[: -LAST_LINES - 1 : -1]):
        yield _topic(log, line.content[:QUERY_CHARACTERS], [line], n)
    newest = sorted(sections.items(), key=lambda item: -item[1][-1].number)[:SECTIONS]
    for n, (headings, inside) in enumerate(newest):
        yield _topic(log, _query(headings, inside, library), inside, n)


def _topic(log: LogFile, query: str, lines: Sequence[LogLine], n: int) -> Topic:
    place = place_of(log.path, (lines[0].number, lines[-1].number))
    return Topic(query=query, place=place, share=FADING**n)


def _query(headings: Sequence[str], lines: Sequence[LogLine], library: Shelves) -> str:
    """Return the heading and the last lines, as many as a query takes."""
    title = headings[-1] if headings and library.may_say(headings[-1]) else ""
    text = ""
    for line in reversed(lines):
        if len(title) + len(text) + len(line.content) > QUERY_CHARACTERS:
            break
        text = f"{line.content} {text}"
    return f"{title} {text or lines[-1].content[:QUERY_CHARACTERS]}".strip()


def _about(topic: Topic, inquiry: Inquiry) -> Iterator[Candidate]:
    """Give what search finds for a topic and is worth a line; what logs of many days report alike is no topic."""
    logs = inquiry.logs
    found = inquiry.library.find(topic.query, HITS)
    hits = [
        hit for hit in found if not hit.chunk.entry and place_of(hit.chunk.path, hit.lines) != topic.place
    ]
    again = [hit for hit in hits if report_alike(hit.best_text, topic.query)]
    if len({hit.chunk.day for hit in again}) >= ROUTINE_DAYS - 1:
        return
    for hit in hits:
        lasting = logs.importance(hit.chunk.path, hit.lines)
        is_worth = _shared(hit) >= LEAST_WORDS if lasting else hit not in again and _tells(hit, inquiry)
        if is_worth and is_about(hit) and logs.is_fit(hit.chunk, hit.lines):
            share = topic.share * (PASSING + (1 - PASSING) * lasting)
            yield document(hit, Source.WORK, f"about what {topic.place} is about", share)


def _tells(hit: Hit, inquiry: Inquiry) -> bool:
    """Tell whether a line that says nothing that lasts tells something of what goes on."""
    enough = _shared(hit) >= PASSING_WORDS and not is_short(plain(hit.best_text))
    return enough and inquiry.logs.tells(hit.chunk, hit.lines)


def _shared(hit: Hit) -> int:
    """Count the words by which a hit was found that stand in it, not in its heading alone."""
    heading, text = hit.chunk.heading.casefold(), hit.best_text.casefold()
    return sum(word not in heading or word in text for word in words_met(hit))


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

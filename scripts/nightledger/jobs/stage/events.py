"""Events of the next hours, and the documents that search finds for them and for routines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import islice

from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Origin
from nightledger.domain.search.lines import says
from nightledger.domain.search.values import Hit, Why
from nightledger.domain.staging.routine import is_on
from nightledger.domain.staging.rules import StagingRules
from nightledger.domain.staging.values import Candidate, Event, Source
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import names_all, place_of, plain
from nightledger.jobs.stage.logs import Logs, bare
from nightledger.text.scanners.scan import scan

_MARKS = re.compile('["\u201c-\u201f\u00ab\u00bb\u2033\uff02]')
_LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:)\S*", re.IGNORECASE)
HELD_TITLE = "an event whose title is held back"
NO_TITLE = "an event without a title"
STRANGE_TITLE = "an event of somebody else"
"""Whoever can send an invitation writes its title, so it is not quoted."""
AGAIN = 0.5
"""What an event counts that comes again in these hours: others go first."""
LOOKED_AT = 4
"""Hits looked at for each document that an event or a routine gets."""
LEAST_OF_BEST = 0.5
"""Score of a document, of that of the best one, from which it is about the same thing."""
LEAST_WORDS = 2
"""Words of a query that a hit must hold beside each other or a name among them: one common word is met by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """What lies ahead.

    Attributes:
        candidates: Events and documents.
        held_titles: Titles that are held back; the events are staged without them.
    """

    candidates: tuple[Candidate, ...]
    held_titles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Where documents are found.

    Attributes:
        library: Search.
        logs: Daily logs: they know which of their lines tell anything.
        each: Documents for one event or routine at most.
        habit: Lines that habit writes, as ``Logs.routine`` gives them.
    """

    library: Library
    logs: Logs
    each: int
    habit: frozenset[str] = frozenset()

    def find(self, query: str) -> Iterator[Hit]:
        """Give what is about a query and tells something, the best first.

        A line of a log that tells nothing later on comes only where it names all that the query names.
        """
        found = self.library.find(query, self.each * LOOKED_AT)
        hits = [hit for hit in found if is_about(hit) and self._is_fit(hit)]
        least = LEAST_OF_BEST * max((hit.score for hit in hits), default=0.0)
        telling = (hit for hit in hits if hit.score >= least and self._tells(hit, query))
        return islice(telling, self.each)

    def _is_fit(self, hit: Hit) -> bool:
        fit = self.logs.is_fit(hit.chunk, hit.lines) and not self.is_habit(hit.best_text.split("\n"))
        return bool(hit.chunk.entry) or fit

    def is_habit(self, lines: Sequence[str]) -> bool:
        """Tell whether all of some lines that say anything are written by habit, day for day."""
        return all(bare(line) in self.habit for line in lines if says(line))

    def _tells(self, hit: Hit, query: str) -> bool:
        chunk = hit.chunk
        if chunk.entry or self.logs.tells(chunk, hit.lines):
            return True
        return names_all(query, hit.best_text)


def look_ahead(
    events: Sequence[Event], rules: StagingRules, shelf: Shelf, now: datetime, zone: tzinfo
) -> Ahead:
    """Give candidates for events and for the routines that are on.

    Args:
        events: Those of the next hours.
        rules: What is staged.
        shelf: Where documents are found.
        now: Aware, UTC.
        zone: The home's.
    """
    found: list[Candidate] = []
    held = 0
    told: set[str] = set()
    for event in sorted(events, key=lambda one: one.starts_at):
        title = _title(event, shelf.library)
        held += title == HELD_TITLE
        nearness = _nearness(event, rules, now) * (AGAIN if event.title in told else 1)
        told.add(event.title)
        found.append(_event(event, title, nearness, now, zone))
        if title not in (HELD_TITLE, NO_TITLE):
            why = f"for the event {_when(event, now, zone)}"
            found += _documents(shelf.find(title), why, nearness, event.ends_at)
    local = now.astimezone(zone)
    for routine in rules.routines:
        if is_on(routine, local):
            why = f"for the routine of {routine.begins:%H:%M}-{routine.ends:%H:%M}"  # its name is anybody's
            found += _documents(shelf.find(routine.query), why, 1.0, None)
    return Ahead(candidates=tuple(found), held_titles=held)


def _title(event: Event, library: Library) -> str:
    """Give a title as it may be shown; one that addresses an agent, or says what an agent may not be told, is held back.

    A calendar is no way around the operator.
    """
    findings = scan(event.title, origin=Origin.WEB)
    if any(finding.severity in (Severity.QUARANTINE, Severity.BLOCK) for finding in findings):
        return HELD_TITLE
    if event.title and not library.may_say(event.title):
        return HELD_TITLE
    return event.title or NO_TITLE


def _nearness(event: Event, rules: StagingRules, now: datetime) -> float:
    """Give 1 for what goes on or begins now, down to .5 for the end of the look-ahead; all-day events are .5."""
    if event.all_day or not rules.lookahead_hours:
        return 0.5
    ahead = max(0.0, (event.starts_at - now).total_seconds()) / (rules.lookahead_hours * 3600)
    return round(1 - 0.5 * min(1.0, ahead), 4)


def _event(event: Event, title: str, nearness: float, now: datetime, zone: tzinfo) -> Candidate:
    if title not in (HELD_TITLE, NO_TITLE):
        title = _in_marks(title) if event.own else STRANGE_TITLE
    return Candidate(
        source=Source.EVENT,
        text=title,
        place=f"calendar {event.calendar}",
        why=f"event {_when(event, now, zone)}",
        score=nearness,
        until=event.ends_at,
    )


def _in_marks(title: str) -> str:
    """Give a title in quotation marks that it cannot close, without links."""
    return '"' + _MARKS.sub("'", _LINK.sub("(link)", title)) + '"'


def _when(event: Event, now: datetime, zone: tzinfo) -> str:
    today, starts, ends = (at.astimezone(zone) for at in (now, event.starts_at, event.ends_at))
    if event.all_day:
        return "today, all day" if starts.date() <= today.date() else f"on {starts:%Y-%m-%d}, all day"
    day = "" if starts.date() == today.date() else f"{starts:%Y-%m-%d} "
    return f"{day}{starts:%H:%M}-{ends:%H:%M}"


def _documents(hits: Iterator[Hit], why: str, nearness: float, until: datetime | None) -> Iterator[Candidate]:
    return (document(hit, Source.DOCUMENT, why, round(hit.score * nearness, 4), until) for hit in hits)


def unread(name: str, problem: str) -> Candidate:
    """Give what of a calendar could not be read: whoever reads the page must not take silence for an empty day.

    Args:
        name: Of the calendar.
        problem: In our words.
    """
    return Candidate(
        source=Source.EVENT,
        text="some events may be missing here",
        place=f"calendar {name}",
        why=f"it {problem}" if not problem[0].isdigit() else problem,
        score=1.0,
    )


def document(hit: Hit, source: Source, why: str, score: float, until: datetime | None = None) -> Candidate:
    """Give a hit as a candidate: its best lines, and where they stand.

    Args:
        hit: As search gave it to an agent: an entry that is given stands as it was signed.
        source: Why it was looked for.
        why: In our words.
        score: 0..1.
        until: When it is of no use any more.
    """
    chunk = hit.chunk
    return Candidate(
        source=source,
        text=plain(hit.best_text.split("\n")),
        place=place_of(chunk.path, hit.lines),
        why=why,
        score=score,
        until=until,
        shown=(chunk.entry,) if chunk.entry else (),
        path=chunk.path,
        signed=bool(chunk.entry),
    )


def is_about(hit: Hit, least: int = LEAST_WORDS) -> bool:
    """Tell whether a hit is about its query at all: search always gives the best there is.

    Args:
        hit: As search gave it.
        least: Words of the query that it must hold where it holds no name of it.
    """
    if not any(map(says, hit.best_text.split("\n"))):
        return False  # a heading, and nothing below it
    words = {
        reason.what
        for reason in hit.why
        if reason.why in (Why.TERM, Why.EXPANSION, Why.ALIKE) and any(map(str.isalpha, reason.what))
    }
    return len(words) >= least or any(reason.why is Why.NAME for reason in hit.why)


def stamp(at: datetime) -> str:
    """Give a time as a page has it: ``2026-03-03T11:00:00Z``."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"

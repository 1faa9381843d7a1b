"""Events of the next hours, and the documents that search finds for them and for routines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Origin
from nightledger.domain.search.values import Hit, Why
from nightledger.domain.staging.routine import is_on
from nightledger.domain.staging.rules import Routine, StagingRules
from nightledger.domain.staging.values import Candidate, Event, Source
from nightledger.jobs.stage.library import Library
from nightledger.text.scanners.scan import scan

_EMPHASIS = re.compile(r"\*\*|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)|`")
_MARK = re.compile(r"^(?:[-*+\u2022]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX~-]\]\s+)?")
_MARKS = re.compile('["\u201c-\u201f\u00ab\u00bb\u2033\uff02]')
_HEADING = re.compile(r"\s*(?:#|$)")
HELD_TITLE = "an event whose title is held back"
NO_TITLE = "an event without a title"
BELOW = 3
"""Lines looked at below a heading: an empty one, and what follows."""
AGAIN = 0.5
"""What an event counts that comes again in these hours: others go first."""
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


def look_ahead(
    events: Sequence[Event], rules: StagingRules, library: Library, now: datetime, zone: tzinfo
) -> Ahead:
    """Give candidates for events and for the routines that are on.

    Args:
        events: Those of the next hours.
        rules: What is staged.
        library: Search.
        now: Aware, UTC.
        zone: The home's.
    """
    found: list[Candidate] = []
    held = 0
    told: set[str] = set()
    for event in sorted(events, key=lambda one: one.starts_at):
        title = _title(event, library)
        held += title == HELD_TITLE
        nearness = _nearness(event, rules, now) * (AGAIN if event.title in told else 1)
        told.add(event.title)
        found.append(_event(event, title, nearness, now, zone))
        if title not in (HELD_TITLE, NO_TITLE):
            why = f"for the event {_when(event, now, zone)}"
            hits = library.find(title, rules.documents_each)
            found += _documents(hits, why, nearness, event.ends_at)
    local = now.astimezone(zone)
    for routine in rules.routines:
        if is_on(routine, local):
            found += _routine(routine, rules, library)
    return Ahead(candidates=tuple(found), held_titles=held)


def _routine(routine: Routine, rules: StagingRules, library: Library) -> Iterator[Candidate]:
    hits = library.find(routine.query, rules.documents_each)
    return _documents(hits, f"for the routine {routine.name}", 1.0, None)


def _title(event: Event, library: Library) -> str:
    """Give a title as it may be shown: strangers' titles are held back where they address an agent.

    Anybody's is where it says what an agent may not be told: a calendar is no way around the operator.
    """
    findings = scan(event.title, origin=None if event.own else Origin.WEB)
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
    strange = not event.own and title not in (HELD_TITLE, NO_TITLE)
    by = "; its title may be a stranger's" if strange else ""
    return Candidate(
        source=Source.EVENT,
        text=_in_marks(title) if strange else title,
        place=f"calendar {event.calendar}",
        why=f"event {_when(event, now, zone)}{by}",
        score=nearness,
        until=event.ends_at,
    )


def _in_marks(title: str) -> str:
    """Give a stranger's title in quotation marks that it cannot close: all of it is theirs."""
    return '"' + _MARKS.sub("'", title) + '"'


def _when(event: Event, now: datetime, zone: tzinfo) -> str:
    today, starts, ends = (at.astimezone(zone) for at in (now, event.starts_at, event.ends_at))
    if event.all_day:
        return "today, all day" if starts.date() <= today.date() else f"on {starts:%Y-%m-%d}, all day"
    day = "" if starts.date() == today.date() else f"{starts:%Y-%m-%d} "
    return f"{day}{starts:%H:%M}-{ends:%H:%M}"


def _documents(hits: Iterable[Hit], why: str, nearness: float, until: datetime | None) -> Iterator[Candidate]:
    for hit in hits:
        if is_about(hit):
            yield document(hit, Source.DOCUMENT, why, round(hit.score * nearness, 4), until)


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
        hit: As search gave it; it may be shown to an agent.
        source: Why it was looked for.
        why: In our words.
        score: 0..1.
        until: When it is of no use any more.
    """
    chunk = hit.chunk
    lines = _telling(hit)
    return Candidate(
        source=source,
        text=plain(_lines_of(hit, lines)),
        place=place_of(chunk.path, lines),
        why=why,
        score=score,
        until=until,
        shown=(chunk.entry,) if chunk.entry else (),
        path=chunk.path,
    )


def best_lines(hit: Hit) -> str:
    """Give the best lines of a hit as they stand."""
    return "\n".join(_lines_of(hit, hit.lines))


def _telling(hit: Hit) -> tuple[int, int]:
    """Give the best lines of a hit; where these are a heading alone, with what stands below it."""
    first, last = hit.lines
    most = min(hit.chunk.last_line, last + BELOW)
    while last < most and not any(map(_says, _lines_of(hit, (first, last)))):
        last += 1
    return first, last


def _lines_of(hit: Hit, lines: tuple[int, int]) -> list[str]:
    start = hit.chunk.first_line
    return hit.chunk.text.split("\n")[lines[0] - start : lines[1] - start + 1]


def _says(line: str) -> bool:
    """Tell whether a line is neither empty nor a heading."""
    return not _HEADING.match(line)


def is_about(hit: Hit, least: int = LEAST_WORDS) -> bool:
    """Tell whether a hit is about its query at all: search always gives the best there is.

    Args:
        hit: As search gave it.
        least: Words of the query that it must hold where it holds no name of it.
    """
    if not any(map(_says, _lines_of(hit, _telling(hit)))):
        return False  # a heading, and nothing below it
    words = {reason.what for reason in hit.why if reason.why in (Why.TERM, Why.EXPANSION)}
    return len(words) >= least or any(reason.why in (Why.NAME, Why.PHRASE) for reason in hit.why)


def place_of(path: str, lines: tuple[int, int]) -> str:
    """Give where lines stand: ``memory/2026-02-28.md:5-6``."""
    return f"{path}:{lines[0]}" if lines[0] == lines[1] else f"{path}:{lines[0]}-{lines[1]}"


def plain(lines: Iterable[str]) -> str:
    """Give lines as one, without list marks, heading signs and emphasis: quoted, these would be noise."""
    pieces = [_EMPHASIS.sub("", line).strip().lstrip("#").strip() for line in lines]
    return " / ".join(_MARK.sub("", piece) for piece in pieces if piece)


def stamp(at: datetime) -> str:
    """Give a time as a page has it: ``2026-03-03T11:00:00Z``."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"

"""What the agent is at: older lines about what its newest log and its handoff are about.

The newest log is read from its end: the last sections are what goes on. Whatever a host reads by
itself at a start (the logs of today and yesterday) is not staged again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from nightledger.domain.daylog import LogLine, Region
from nightledger.domain.search.values import Hit
from nightledger.domain.staging.values import Candidate, Source
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.stage.events import document, is_about, place_of
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.logs import Logs, bare
from nightledger.text.staging.handoff import OpenItem
from nightledger.text.statements.daylog import read_daylog

TOPICS = 4
"""Sections of the newest log that are looked up, from its end."""
HITS = 4
QUERY_CHARACTERS = 400
READ_DAYS = 2
"""Today's log and yesterday's are read by hosts themselves (OpenClaw's AGENTS.md template says so)."""
FADING = 0.85
"""What each earlier section counts, of the one after it."""
ITEMS = 3
"""Open items that are looked up, the most urgent ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Something that goes on.

    Attributes:
        query: What is searched for.
        place: Where it is told.
        share: What its hits count, 0..1.
    """

    query: str
    place: str
    share: float


def topics_of(log: LogFile, content: bytes, routine: frozenset[str]) -> list[Topic]:
    """Give what the end of a log is about, the last section first.

    Args:
        log: The log.
        content: Its bytes.
        routine: Lines that habit writes, as ``Logs.routine`` gives them: they are about nothing.
    """
    sections: dict[tuple[str, ...], list[LogLine]] = {}
    for line in read_daylog(log.path, content.decode("utf-8", "replace"), log.day).lines:
        if line.region is Region.PROSE and line.content and bare(line.text) not in routine:
            sections.setdefault(line.headings, []).append(line)
    ordered = sorted(sections.items(), key=lambda item: -item[1][-1].number)[:TOPICS]
    return [
        Topic(
            query=_query(headings, lines),
            place=place_of(log.path, (lines[0].number, lines[-1].number)),
            share=round(FADING**n, 4),
        )
        for n, (headings, lines) in enumerate(ordered)
    ]


def _query(headings: Sequence[str], lines: Sequence[LogLine]) -> str:
    """Give the heading and the last lines, as many as a query takes."""
    title = headings[-1] if headings else ""
    text = ""
    for line in reversed(lines):
        if len(title) + len(text) + len(line.content) > QUERY_CHARACTERS:
            break
        text = f"{line.content} {text}"
    return f"{title} {text or lines[-1].content[:QUERY_CHARACTERS]}".strip()


def at_work(
    logs: Logs, items: Sequence[OpenItem], handoff: str, library: Library, today: date
) -> Iterator[Candidate]:
    """Give older lines about what goes on.

    Args:
        logs: Daily logs.
        items: Open items of the handoff.
        handoff: Its path, relative to the home.
        library: Search.
        today: The log day.
    """
    routine = logs.routine()
    topics = [topic for log, content in logs.newest().items() for topic in topics_of(log, content, routine)]
    for n, item in enumerate(items[:ITEMS]):
        place = place_of(handoff, (item.line, item.line))
        topics.append(Topic(query=item.text, place=place, share=round(item.urgency * FADING**n, 4)))
    until = today - timedelta(days=READ_DAYS)
    for topic in topics:
        for hit in library.find(topic.query, HITS, until):
            if not _is_routine(hit, routine) and is_about(hit):
                why = f"about what {topic.place} is about"
                yield document(hit, Source.WORK, why, round(hit.score * topic.share, 4))


def _is_routine(hit: Hit, routine: frozenset[str]) -> bool:
    """Tell whether the best lines of a hit are all written by habit."""
    first, last = hit.lines
    lines = hit.chunk.text.split("\n")[first - hit.chunk.first_line : last - hit.chunk.first_line + 1]
    return all(bare(line) in routine for line in lines)

"""What the agent is at: lines about what its newest log and its handoff are about.

The newest log is read from its end: its last lines and sections are what goes on. Of what search
finds, lines count more that say something that lasts (``logs.py``), others must share more words with
what goes on, lines that habit writes day for day count nothing, and entries of memory are left out: a
host shows these by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nightledger.domain.daylog import LogLine, Region
from nightledger.domain.search.values import Hit
from nightledger.domain.staging.values import Candidate, Source
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.stage.events import LEAST_WORDS, document, is_about, place_of
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.logs import Logs, bare
from nightledger.text.staging.handoff import OpenItem
from nightledger.text.statements.daylog import read_daylog

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
"""Words that such a line must share with what goes on; others two."""
ITEMS = 3
"""Open items that are looked up, the most urgent ones. These figures: docs/decisions/0047-staging.md."""


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
    """Give what the end of a log is about: its last lines, then its last sections, the newest first.

    Args:
        log: The log.
        content: Its bytes.
        routine: Lines that habit writes, as ``Logs.routine`` gives them: they are about nothing.
    """
    read = read_daylog(log.path, content.decode("utf-8", "replace"), log.day)
    lines = [
        line
        for line in read.lines
        if line.region is Region.PROSE and line.content and bare(line.text) not in routine
    ]
    sections: dict[tuple[str, ...], list[LogLine]] = {}
    for line in lines:
        sections.setdefault(line.headings, []).append(line)
    newest = sorted(sections.items(), key=lambda item: -item[1][-1].number)[:SECTIONS]
    told = [(line.content[:QUERY_CHARACTERS], [line]) for line in lines[: -LAST_LINES - 1 : -1]]
    return [
        *_topics(log.path, told),
        *_topics(log.path, [(_query(headings, inside), inside) for headings, inside in newest]),
    ]


def _topics(path: str, told: Sequence[tuple[str, Sequence[LogLine]]]) -> Iterator[Topic]:
    for n, (query, lines) in enumerate(told):
        place = place_of(path, (lines[0].number, lines[-1].number))
        yield Topic(query=query, place=place, share=FADING**n)


def _query(headings: Sequence[str], lines: Sequence[LogLine]) -> str:
    """Give the heading and the last lines, as many as a query takes."""
    title = headings[-1] if headings else ""
    text = ""
    for line in reversed(lines):
        if len(title) + len(text) + len(line.content) > QUERY_CHARACTERS:
            break
        text = f"{line.content} {text}"
    return f"{title} {text or lines[-1].content[:QUERY_CHARACTERS]}".strip()


def at_work(logs: Logs, items: Sequence[OpenItem], handoff: str, library: Library) -> Iterator[Candidate]:
    """Give lines about what goes on.

    Args:
        logs: Daily logs.
        items: Open items of the handoff.
        handoff: Its path, relative to the home.
        library: Search.
    """
    routine = logs.routine()
    topics = [topic for log, content in logs.newest().items() for topic in topics_of(log, content, routine)]
    for n, item in enumerate(items[:ITEMS]):
        place = place_of(handoff, (item.line, item.line))
        topics.append(Topic(query=item.text, place=place, share=item.urgency * FADING**n))
    for topic in topics:
        why = f"about what {topic.place} is about"
        found = []
        for hit in library.find(topic.query, HITS):
            lasting = logs.importance(hit.chunk.path, hit.lines)
            if place_of(hit.chunk.path, hit.lines) == topic.place or _is_habit(hit, routine):
                continue
            if not hit.chunk.entry and is_about(hit, LEAST_WORDS if lasting else PASSING_WORDS):
                share = topic.share * (PASSING + (1 - PASSING) * lasting)
                found.append(document(hit, Source.WORK, why, round(hit.score * share, 4)))
        yield from sorted(found, key=lambda one: -one.score)[:EACH]


def _is_habit(hit: Hit, routine: frozenset[str]) -> bool:
    """Tell whether the best lines of a hit are all written by habit."""
    first, last = hit.lines
    lines = hit.chunk.text.split("\n")[first - hit.chunk.first_line : last - hit.chunk.first_line + 1]
    return all(bare(line) in routine for line in lines)

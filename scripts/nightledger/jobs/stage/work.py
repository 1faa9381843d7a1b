"""What the agent is at: lines about what its newest log and its handoff are about.

The newest log is read from its end: its last lines and sections are what goes on. Of what search
finds, lines count more that say something that lasts (``logs.py``); others must tell something, be of some length and
share more words with what goes on. What habit writes day for day counts nothing, and entries of memory are left out: a
host shows these by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nightledger.domain.daylog import LogLine, Region
from nightledger.domain.search.values import Hit
from nightledger.domain.staging.values import Candidate, Source
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.stage.inquiry import LEAST_WORDS, Inquiry, document, is_about, words_met
from nightledger.jobs.stage.lines import bare, is_short, place_of, plain, report_alike
from nightledger.jobs.stage.logs import ROUTINE_DAYS
from nightledger.jobs.stage.shelves import Shelves
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
"""Words that such a line must share with what goes on."""
ITEMS = 3
"""Open items that are looked up, the most urgent ones. These figures: docs/decisions/0023-what-an-agent-is-shown.md."""


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

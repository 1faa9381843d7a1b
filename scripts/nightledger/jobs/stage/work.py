"""What the agent is at: lines about what its newest log and its handoff are about.

The newest log is read from its end: its last lines and sections are what goes on. Of what search
finds, lines count more that say something that lasts (``logs.py``); others must be of some length and
share more words with what goes on, such as do not stand in every log. What habit writes day for day
counts nothing, and entries of memory are left out: a host shows these by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nightledger.domain.daylog import LogLine, Region
from nightledger.domain.search.values import Hit
from nightledger.domain.staging.values import Candidate, Source
from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.stage.events import LEAST_WORDS, Shelf, document, is_about
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import is_short, place_of, shared_words
from nightledger.jobs.stage.logs import ROUTINE_DAYS, Logs, bare
from nightledger.jobs.stage.wordings import Wordings
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
"""Words that such a line must share with what goes on, two of them not common; others two, or so many common ones."""
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


def topics_of(log: LogFile, content: bytes, routine: frozenset[str], library: Library) -> list[Topic]:
    """Give what the end of a log is about: its last lines, then its last sections, the newest first.

    What an agent may not see is about nothing: it decides not what is staged.

    Args:
        log: The log.
        content: Its bytes.
        routine: Lines that habit writes, as ``Logs.routine`` gives them: they are about nothing.
        library: Search: it knows what may be shown.
    """
    shown = library.shown_lines(log.path)
    read = read_daylog(log.path, content.decode("utf-8", "replace"), log.day)
    lines = [
        line
        for line in read.lines
        if line.number in shown
        and line.region is Region.PROSE
        and line.content
        and bare(line.text) not in routine
    ]
    sections: dict[tuple[str, ...], list[LogLine]] = {}
    for line in lines:
        sections.setdefault(line.headings, []).append(line)
    newest = sorted(sections.items(), key=lambda item: -item[1][-1].number)[:SECTIONS]
    told = [(line.content[:QUERY_CHARACTERS], [line]) for line in lines[: -LAST_LINES - 1 : -1]]
    return [
        *_topics(log.path, told),
        *_topics(log.path, [(_query(headings, inside, library), inside) for headings, inside in newest]),
    ]


def _topics(path: str, told: Sequence[tuple[str, Sequence[LogLine]]]) -> Iterator[Topic]:
    for n, (query, lines) in enumerate(told):
        place = place_of(path, (lines[0].number, lines[-1].number))
        yield Topic(query=query, place=place, share=FADING**n)


def _query(headings: Sequence[str], lines: Sequence[LogLine], library: Library) -> str:
    """Give the heading and the last lines, as many as a query takes."""
    title = headings[-1] if headings and library.may_say(headings[-1]) else ""
    text = ""
    for line in reversed(lines):
        if len(title) + len(text) + len(line.content) > QUERY_CHARACTERS:
            break
        text = f"{line.content} {text}"
    return f"{title} {text or lines[-1].content[:QUERY_CHARACTERS]}".strip()


def at_work(shelf: Shelf, items: Sequence[OpenItem], handoff: str) -> Iterator[Candidate]:
    """Give lines about what goes on.

    Args:
        shelf: Search, and daily logs.
        items: Open items of the handoff.
        handoff: Its path, relative to the home.
    """
    logs, library, routine = shelf.logs, shelf.library, shelf.habit
    topics = [
        topic for log, content in logs.newest().items() for topic in topics_of(log, content, routine, library)
    ]
    for n, item in enumerate(items[:ITEMS]):
        place = place_of(handoff, (item.line, item.line))
        topics.append(Topic(query=item.text, place=place, share=item.urgency * FADING**n))
    sieve = _Sieve(logs=logs, routine=routine)
    for topic in topics:
        found = sieve.pick(topic, library.find(topic.query, HITS))
        yield from sorted(found, key=lambda one: -one.score)[:EACH]


class _Sieve:
    """Keeps of what search finds for a topic what tells something; lives for one run."""

    def __init__(self, *, logs: Logs, routine: frozenset[str]) -> None:
        self._logs, self._routine = logs, routine
        self._common = logs.common()
        self._wordings = Wordings()

    def pick(self, topic: Topic, hits: Sequence[Hit]) -> Iterator[Candidate]:
        """Give the hits that are worth a line, in their order."""
        habit = self._is_habit_of_work(topic, hits)
        for hit in hits:
            if hit.chunk.entry or place_of(hit.chunk.path, hit.lines) == topic.place:
                continue
            lasting = self._logs.importance(hit.chunk.path, hit.lines)
            share = topic.share * (PASSING + (1 - PASSING) * lasting)
            one = document(
                hit, Source.WORK, f"about what {topic.place} is about", round(hit.score * share, 4)
            )
            words = shared_words(topic.query, one.text)
            if _is_habit(hit, self._routine) or not is_about(hit) or self._is_chance(words):
                continue
            if not self._logs.is_fit(hit.chunk, hit.lines):
                continue
            if lasting or not (habit or self._is_dull(hit) or self._says_little(one.text, words, topic)):
                yield one

    def _is_chance(self, words: Sequence[str]) -> bool:
        """Tell whether a line shares one word with what goes on, or two that stand in many logs."""
        least = PASSING_WORDS if self._common.issuperset(words) else LEAST_WORDS
        return len(words) < least

    def _is_dull(self, hit: Hit) -> bool:
        return not self._logs.tells(hit.chunk, hit.lines)

    def _says_little(self, text: str, words: Sequence[str], topic: Topic) -> bool:
        """Tell whether a line that says nothing that lasts tells nothing of what goes on, either.

        It must be long enough to say something, hold words of what goes on that not every day
        holds, and say more than what it was found for.
        """
        rare = [word for word in words if word not in self._common]
        enough = len(words) >= PASSING_WORDS and len(rare) >= LEAST_WORDS
        return is_short(text) or not enough or self._wordings.says(bare(topic.query), bare(text))

    def _is_habit_of_work(self, topic: Topic, hits: Sequence[Hit]) -> bool:
        """Tell whether logs of other days say nearly the same: what is done every day is no topic."""
        query = bare(topic.query)
        days = {
            hit.chunk.day
            for hit in hits
            if not topic.place.startswith(f"{hit.chunk.path}:")
            and self._wordings.says(query, bare(hit.best_text))
        }
        return len(days) >= ROUTINE_DAYS - 1


def _is_habit(hit: Hit, routine: frozenset[str]) -> bool:
    """Tell whether the best lines of a hit are all written by habit."""
    return all(bare(line) in routine for line in hit.best_text.split("\n"))

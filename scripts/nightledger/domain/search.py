"""What search asks for and what it finds: values that every part of it shares, which chunks answer best, and which of their lines.

SQLite's BM25 weighs words (``files/search_index.py``). Two things that matter are not in its formula: a file and day that
tell of the query lift all their chunks, and a time is more than words. The score is
``words / max + 0.4 * day / max + 0.4 * time``, with meaning ``+ 0.7 * minmax(cosine)``; what each part is worth stands in
docs/decisions/0022-ranking.md.

Invariant: plain values; a place is a path relative to the home and lines counted from 1, so
that whoever reads a hit can open the file and see the same. The same candidates give the same order, whatever order they
came in.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct, field

from nightledger.domain.consolidation import Block

DEFAULT_LIMIT = 10
"""Hits of a query that names no number."""


class Kind(StrEnum):
    """What a chunk comes from."""

    MEMORY = "memory"
    """An entry of a gated file."""
    DAILY = "daily"
    """A daily log."""
    ARCHIVE = "archive"
    """Archived entries, and the full text of compressed daily logs."""
    OUTCOME = "outcome"
    """A record of what worked and what did not."""
    HANDOFF = "handoff"
    """What the agent left open for its next session."""
    PRINCIPLE = "principle"
    """A principle of the constitution in force."""
    RECORD = "record"
    """What a session left behind: a correction, a goal, an episode; of a handoff, its items."""


class Showing(StrEnum):
    """Who asks."""

    OPERATOR = "operator"
    """Sees everything; what an agent may not see is marked."""
    AGENT = "agent"
    """Sees only what may be shown to an agent."""


class Why(StrEnum):
    """What a part of a hit's score came from."""

    TERM = "term"
    """A word of the query stands in it."""
    EXPANSION = "expansion"
    """A word stands in it that the home associates with one of the query."""
    MEANING = "meaning"
    """An embedding is near the query's."""
    NEIGHBOUR = "neighbour"
    """Its file and day tell of the query, too."""
    TIME = "time"
    """It lies in the time that the query names."""


class Chunk(Struct, frozen=True, kw_only=True):
    """Some lines of one file, as search knows them.

    Attributes:
        id: Its number in the index that gave it; 0 outside one. Chunks of a file that follow each
            other need not have numbers that do.
        path: The file, relative to the home.
        first_line: From 1.
        last_line: Included.
        kind: What it comes from.
        heading: Texts of the headings above, outermost first, joined by `` > ``; empty where there is none.
        day: The log day it tells of; None where it tells none.
        text: Its lines as they stand, without the last line end. Of an outcome, what it says without its note.
        entry: Id of the entry of memory or of the principle that it is; empty for everything else.
        n: Which chunk of its file, from 0: neighbours are ``n - 1`` and ``n + 1``.
        moved: Whether a signed change moved it into the archive, where it stands as it was signed, and an agent may see it.
        held: Why an agent may not see it, or not all of it; empty where it may.
        summary: What is embedded, staged and said of a long entry; empty where that is its text.
        lent: Tags that a model gave it and that do not stand in it, with a blank between.
    """

    path: str
    first_line: int
    last_line: int
    kind: Kind
    heading: str
    day: date | None
    text: str
    entry: str = ""
    n: int = 0
    id: int = field(default=0)
    moved: bool = field(default=False)
    held: str = field(default="")
    summary: str = field(default="")
    lent: str = field(default="")

    @property
    def prefix(self) -> str:
        """What is indexed before the text: date and heading."""
        return prefix_of(self.day, self.heading)


class Reason(Struct, frozen=True, kw_only=True):
    """One part of why something was found.

    Attributes:
        why: What kind of part.
        what: The word, the tag, the days, the place it came from; printable as it is.
        score: How much of the hit's score it gave, rounded to 4 decimals; 0 where it only let it pass.
    """

    why: Why
    what: str
    score: float = 0.0


class Hit(Struct, frozen=True, kw_only=True):
    """A chunk that was found.

    Attributes:
        chunk: What; for an agent without the lines that it may not see.
        score: 0..1, rounded to 4 decimals; 1 is the best that was found for the query.
        lines: First and last of the lines that answer best.
        why: What it was found by, the weightiest first.
        held: Why an agent may not see it; None where it may.
        relevance: What its words tell of the query, in nats (``domain/exposure.py``); None where words are not all that was asked for.
        block: Of an entry its alignment, tags and summary; None of anything else, or where nobody asked.
    """

    chunk: Chunk
    score: float
    lines: tuple[int, int]
    why: tuple[Reason, ...] = ()
    held: str | None = None
    relevance: float | None = None
    block: Block | None = None

    @property
    def signed(self) -> bool:
        """Whether it is an entry of memory that may be told."""
        return bool(self.chunk.entry) and self.held is None

    @property
    def best_text(self) -> str:
        """The text of its best lines."""
        first, last = self.lines
        lines = self.chunk.text.split("\n")
        return "\n".join(lines[first - self.chunk.first_line : last - self.chunk.first_line + 1])


class Query(Struct, frozen=True, kw_only=True):
    """What is searched for.

    Attributes:
        text: Words, as somebody typed them; nothing in them is an operator.
        tags: Canonical tags: what carries none of them is left out.
        since: The first day; None is unbounded. What tells no day passes only where neither bound is set.
        until: The last day, included.
        scope: Kinds to look in; empty is all.
        limit: Hits at most, 1 or more.
        showing: Who asks.
    """

    text: str
    tags: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    scope: frozenset[Kind] = frozenset()
    limit: int = DEFAULT_LIMIT
    showing: Showing = Showing.OPERATOR


class Found(Struct, frozen=True, kw_only=True):
    """What a query found.

    Attributes:
        hits: The best first; equals in the order of path and line.
        terms: Words that were looked for.
        expanded: Words that associations added, with the word each came from; they count less.
        since: The first day looked at, stated or told by the query's words.
        until: The last day, included.
        said: The words that told a time; empty where none did.
        only: Whether only that time was searched, because nothing else was asked for.
        notes: What the asker should know: the index was made anew, a file could not be read.
    """

    hits: tuple[Hit, ...]
    terms: tuple[str, ...] = ()
    expanded: tuple[tuple[str, str], ...] = ()
    since: date | None = None
    until: date | None = None
    said: str = ""
    only: bool = False
    notes: tuple[str, ...] = ()


def prefix_of(day: date | None, heading: str) -> str:
    """Give what is indexed before the text of a chunk: its date and its headings."""
    return " ".join(part for part in (str(day or ""), heading) if part)


BELOW = 3
"""Lines looked at below one that only introduces them: an empty one, and what follows."""
_SILENT = re.compile("\\s*+(?:$|#|[|:\\-=_*~\\s]+$|.*[:\uff1a][*_\\s]*$)")
"""An empty line, a heading, a rule, and what ends in a colon: it introduces what follows."""


def says(line: str) -> bool:
    """Tell whether a line says anything by itself: it is neither empty, a heading or a rule, nor does it only introduce others."""
    return not _SILENT.match(line)


def with_what_follows(text: str, first_line: int, lines: tuple[int, int]) -> tuple[int, int]:
    """Give some lines of a text; where they only introduce what follows, as a heading does, with that.

    Args:
        text: The chunk's lines.
        first_line: The number of the first.
        lines: First and last of some of them.
    """
    told = text.split("\n")
    first, last = (number - first_line for number in lines)
    if any(map(says, told[first : last + 1])):
        return lines
    below = range(last + 1, min(len(told), last + 1 + BELOW))
    return lines[0], first_line + next((at for at in below if says(told[at])), last)


def best_lines(
    text: str, first_line: int, worth: Callable[[str], Collection[str]], weights: "dict[str, float]"
) -> tuple[int, int]:
    """Give the first and last of the lines that hold most of what was asked for.

    Args:
        text: The chunk's lines.
        first_line: The number of the first.
        worth: Gives the words of the query that a line holds.
        weights: What each word is worth; a word without a weight is worth nothing.
    """
    held = [frozenset(worth(line)) for line in text.split("\n")]
    scores = [sum(weights.get(word, 0.0) for word in words) for words in held]
    best = max(scores)
    if best <= 0:
        return _filled(text.split("\n"), first_line)
    at = scores.index(best)
    missing = frozenset(weights).difference(held[at])
    last = at
    # a neighbour that adds a word belongs to the answer
    if at + 1 < len(held) and held[at + 1] & missing:
        last = at + 1
    return first_line + at, first_line + last


def _filled(lines: Sequence[str], first_line: int) -> tuple[int, int]:
    """Give the first line that is neither blank nor a heading, where no line says more than another."""
    filled = [n for n, line in enumerate(lines) if line.strip()]
    at = next((n for n in filled if not lines[n].startswith("#")), filled[0] if filled else 0)
    return first_line + at, first_line + at


LINK_WEIGHT = 0.35
"""Of words that the home associates with one of the query."""
DAY_WEIGHT = 0.4
"""Of the day beside the chunk. Measured: docs/decisions/0022-ranking.md."""
TIME_WEIGHT = 0.4
"""Of lying in the time that the query tells. Measured: docs/decisions/0022-ranking.md."""
MEANING_WEIGHT = 0.7
"""Of meaning, beside words whose best is 1. Measured: docs/decisions/0022-ranking.md."""
CANDIDATES = 100
"""Chunks that are weighed. Measured: docs/decisions/0022-ranking.md."""
NEAREST = 50
"""Chunks that meaning alone may bring in. Measured: docs/decisions/0022-ranking.md."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A chunk that was found, as ranking sees it.

    Attributes:
        id: Its number.
        words: What SQLite's BM25 gives it, 0 or more.
        together: What it belongs to: the file and the day, or the file and the heading.
        place: What orders equals.
        day: Of the log; None where it tells none.
    """

    id: int
    words: float
    together: str
    place: tuple[str, str, int, int]
    day: date | None = None


class Ranked(Struct, frozen=True, kw_only=True):
    """A chunk with its score.

    Attributes:
        id: Its number.
        score: 0..1, 1 the best of all; 4 decimals.
        parts: What its words, its day, its time and its meaning gave; the score is their sum, scaled to the best.
    """

    id: int
    score: float
    parts: Mapping[Why, float]


def rank(
    candidates: Collection[Candidate],
    *,
    within: Callable[[date], bool] | None = None,
    cosines: Mapping[int, float] | None = None,
) -> list[Ranked]:
    """Weigh candidates, the best first; equals by place.

    Args:
        candidates: What the index found.
        within: Tells whether a day lies in the time that the query tells; None where it tells none.
        cosines: For chunks of the whole index, how near each is to the query in meaning, -1..1.
    """
    near = cosines or {}
    best = max((one.words for one in candidates), default=0.0) or 1.0
    days: dict[str, float] = {}
    for one in candidates:
        days[one.together] = max(one.words / best, days.get(one.together, 0.0))
    lowest, highest = min(near.values(), default=0.0), max(near.values(), default=0.0)
    parts = {
        one.id: {
            Why.TERM: one.words / best,
            Why.NEIGHBOUR: DAY_WEIGHT * days[one.together],
            Why.TIME: TIME_WEIGHT if within and one.day and within(one.day) else 0.0,
            Why.MEANING: MEANING_WEIGHT * (near.get(one.id, lowest) - lowest) / (highest - lowest or 1.0),
        }
        for one in candidates
    }
    top = max((sum(one.values()) for one in parts.values()), default=0.0) or 1.0
    ranked = {
        name: Ranked(id=name, score=round(sum(one.values()) / top, 4), parts=one)
        for name, one in parts.items()
    }
    return [ranked[one.id] for one in sorted(candidates, key=lambda one: (-ranked[one.id].score, one.place))]


def rarity(frequency: int, total: int) -> float:
    """Return what it tells that a text holds a word that stands in ``frequency`` of ``total`` chunks; above 0 (Lucene's idf)."""
    return math.log(1 + (max(total - frequency, 0) + 0.5) / (frequency + 0.5))


def nearest(cosines: Mapping[int, float], most: int = NEAREST) -> list[int]:
    """Give the chunks that are nearest in meaning, the nearest first."""
    return sorted(cosines, key=lambda number: (-cosines[number], number))[:most]

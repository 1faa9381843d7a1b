"""Which of the chunks that were found answer best.

SQLite's BM25 weighs words (``files/search_index.py``). Two things that matter are not in its formula: a file and day that
tell of the query lift all their chunks, and a time is more than words. The score is
``words / max + 0.4 * day / max + 0.4 * time``, with meaning ``+ 0.7 * minmax(cosine)``; what each part is worth stands in
docs/decisions/0022-ranking.md.

Invariant: the same candidates give the same order, whatever order they came in.
"""

import math
from collections.abc import Callable, Collection, Mapping
from datetime import date

from msgspec import Struct

from nightledger.domain.search import Why

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

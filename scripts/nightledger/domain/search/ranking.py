"""Which of the chunks that were found answer best.

The index finds candidates; here they are weighed again, because three things that matter are not in
its formula: words that stand for one word of the query count once, a day that tells of all
of the query's words lifts its chunks, and names and times are more than words.

The score is ``bm25 / max + 0.4 * day / max + 0.1 * names + 0.2 * time``; what each part is worth stands in
docs/decisions/0046-ranking.md. BM25 is that of Robertson and Zaragoza (2009, section 3.4) with
SQLite's constants and an idf that stays positive (Lucene's: ``ln(1 + (N - n + .5) / (n + .5))``), so that
a home of three chunks has an order, too.

Invariant: the same candidates give the same order, whatever order they came in.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.values import Why

_K1, _B = 1.2, 0.75
"""SQLite's own (sqlite.org/fts5.html, section 5.1.1)."""
BEFORE_WEIGHT = 0.5
"""Of a word in the item before a chunk, beside one in it. Measured: docs/decisions/0046-ranking.md."""
DAY_WEIGHT = 0.4
"""Of the day beside the chunk. Measured: docs/decisions/0046-ranking.md."""
NAME_WEIGHT = 0.1
"""Of each name that stands in it as a name, at most twice. Our choice; neutral on conversations."""
TIME_WEIGHT = 0.2
"""Of lying in the time that the query tells. Measured: docs/decisions/0046-ranking.md."""
CANDIDATES = 100
"""Chunks that are weighed again. Measured: docs/decisions/0046-ranking.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk that was found, as ranking sees it.

    Attributes:
        id: Its number.
        together: What it belongs to: the file and the day, or the file and the heading.
        counts: How often each word that was looked for stands in it; in the item before it, half as much.
        length: How many words it has, the item before it included.
        day: Of the log; None where it tells none.
        names: How many names of the query stand in it as names.
    """

    id: int
    together: str
    counts: Mapping[str, float]
    length: int
    day: date | None = None
    names: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A chunk with its score.

    Attributes:
        id: Its number.
        score: 0..1, 1 the best of all; 4 decimals.
        parts: What each word of the query gave; with ``besides`` what the score is the sum of, before
            it was scaled to the best.
        besides: What its day, names and time gave.
        words: For each word of the query that was found, the word that stood for it.
    """

    id: int
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    besides: Mapping[Why, float] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)


def rank(
    candidates: Collection[Candidate],
    groups: Sequence[Group],
    *,
    frequency: Mapping[str, int],
    total: int,
    within: Callable[[date], bool] | None = None,
) -> list[Ranked]:
    """Weigh candidates, the best first; equals in the order of their numbers.

    Args:
        candidates: What the index found.
        groups: Words of the query with what may stand for them.
        frequency: For each word of the groups, in how many chunks of the index it stands.
        total: How many chunks the index has.
        within: Tells whether a day lies in the time that the query tells; None where it tells none.
    """
    if not candidates:
        return []
    mean = sum(one.length for one in candidates) / len(candidates) or 1.0
    rarity = {word: _idf(frequency.get(word, 0), total) for group in groups for word in group.weights}
    found = {one.id: _found(one, groups, rarity, mean) for one in candidates}
    own = {number: sum(score for _, score in words.values()) for number, words in found.items()}
    best = max(own.values()) or 1.0
    days = _days(candidates, groups, rarity)
    fullest = max(days.values()) or 1.0
    ranked = [
        _ranked(
            one,
            {word: pair for word, pair in found[one.id].items() if pair[1]},
            best,
            DAY_WEIGHT * days[one.together] / fullest,
            within,
        )
        for one in candidates
    ]
    return scaled(ranked)


def scaled(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Give the best first, with scores that are 1 for the best."""
    top = max((one.score for one in ranked), default=0.0) or 1.0
    whole = [replace(one, score=round(one.score / top, 4)) for one in ranked]
    order = {one.id: one.score for one in ranked}
    return sorted(whole, key=lambda one: (-round(order[one.id], 9), one.id))


def _ranked(
    one: Candidate,
    words: Mapping[str, tuple[str, float]],
    best: float,
    day: float,
    within: Callable[[date], bool] | None,
) -> Ranked:
    parts = {word: score / best for word, (_, score) in words.items()}
    besides = {Why.NEIGHBOUR: day}
    if one.names:
        besides[Why.NAME] = NAME_WEIGHT * min(one.names, 2)
    if within and one.day and within(one.day):
        besides[Why.TIME] = TIME_WEIGHT
    said = {word: stood for word, (stood, _) in words.items()}
    score = sum(parts.values()) + sum(besides.values())
    return Ranked(id=one.id, score=score, parts=parts, besides=besides, words=said)


def _found(
    one: Candidate, groups: Sequence[Group], rarity: Mapping[str, float], mean: float
) -> dict[str, tuple[str, float]]:
    """Give for each group its best word here and what that is worth; worth 0 where none stands here."""
    room = _K1 * (1 - _B + _B * one.length / mean)
    return {
        group.word: max(
            (
                (word, weight * rarity[word] * count * (_K1 + 1) / (count + room))
                for word, weight in group.weights.items()
                if (count := one.counts.get(word, 0.0))
            ),
            key=lambda pair: (pair[1], pair[0]),
            default=("", 0.0),
        )
        for group in groups
    }


def _days(
    candidates: Collection[Candidate], groups: Sequence[Group], rarity: Mapping[str, float]
) -> dict[str, float]:
    """Give for each day how much of the query it tells of: each group once, by its best chunk."""
    best: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for one in candidates:
        cover = best[one.together]
        for group in groups:
            worth = max(
                (
                    weight * rarity[word] * count / (count + _K1)
                    for word, weight in group.weights.items()
                    if (count := one.counts.get(word, 0.0))
                ),
                default=0.0,
            )
            cover[group.word] = max(cover.get(group.word, 0.0), worth)
    return {day: sum(cover.values()) for day, cover in best.items()}


def _idf(frequency: int, total: int) -> float:
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5)) if frequency <= total else 0.0

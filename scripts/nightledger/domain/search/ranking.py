"""Which of the chunks that were found answer best.

The index finds candidates; here they are weighed again, because three things that matter are not in
its formula: words that stand for one word of the query count once, a day that tells of all
of the query's words lifts its chunks, and a time is more than words.

The score is ``bm25 / max + 0.4 * day / max + 0.4 * time``; what each part is worth stands in
docs/decisions/0022-ranking.md. BM25 is that of Robertson and Zaragoza (2009, section 3.4) with
SQLite's constants and an idf that stays positive (Lucene's: ``ln(1 + (N - n + .5) / (n + .5))``), so that
a home of three chunks has an order, too.

Invariant: the same candidates give the same order, whatever order they came in.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.domain.search import Why


def bases(word: str) -> tuple[str, ...]:
    """Give what an English word may be a regular form of, itself first.

    ``cities`` may come from ``city``, ``planned`` from ``plan``; what is no word is in no table.
    """
    found = [word]
    for ending, instead in (
        ("ies", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ing", ("", "e")),
        ("ed", ("", "e")),
    ):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            found += [stem + end for end in instead]
            if ending in ("ing", "ed") and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return tuple(dict.fromkeys(found))


LINK_WEIGHT = 0.35
"""Of a word that the home associates with it, times the association's confidence."""
MOST_LINKED = 6
"""Associated words of one query word: the surest. Our choice, so that a busy tag stays a word among others."""


class Group(Struct, frozen=True, kw_only=True):
    """A word of the query, and what may stand for it.

    Attributes:
        word: As it was asked for.
        others: Words that may stand for it, with their weights, 0..1; the weightiest first.
        linked: Those of them that an association of the home gave.
    """

    word: str
    others: tuple[tuple[str, float], ...] = ()
    linked: frozenset[str] = frozenset()

    @property
    def weights(self) -> dict[str, float]:
        """Give every word of the group with its weight."""
        return {**dict(self.others), self.word: 1.0}


def groups(
    terms: Sequence[str], *, links: Mapping[str, Mapping[str, float]] | None = None
) -> tuple[Group, ...]:
    """Give each word of a query with what may stand for it.

    Args:
        terms: Words of the query, in lower case, each once.
        links: For a word, the words that the home's associations tie to it, with confidence 0..1.
    """
    asked = frozenset(terms)
    return tuple(_group(term, asked, (links or {}).get(term, {})) for term in terms)


def words_of(grouped: Sequence[Group]) -> tuple[str, ...]:
    """Give all words to look for, each once: the query's own first."""
    own = [group.word for group in grouped]
    return tuple(dict.fromkeys([*own, *(word for group in grouped for word, _ in group.others)]))


def _group(term: str, asked: frozenset[str], linked: Mapping[str, float]) -> Group:
    surest = sorted(linked.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LINKED]
    weights = {word: round(LINK_WEIGHT * min(confidence, 1.0), 4) for word, confidence in surest}
    # A word that was asked for itself counts as itself only.
    others = {word: weight for word, weight in weights.items() if word not in asked and weight > 0}
    ordered = sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))
    return Group(
        word=term, others=tuple(ordered), linked=frozenset(word for word, _ in surest if word in others)
    )


_Worth = Mapping[str, Sequence[tuple[int, float]]]
"""For a word, the groups that it stands for, and what it is worth there: weight times rarity."""

_K1, _B = 1.2, 0.75
"""SQLite's own (sqlite.org/fts5.html, section 5.1.1)."""
BEFORE_WEIGHT = 0.5
"""Of a word in the item before a chunk, beside one in it. Measured: docs/decisions/0022-ranking.md."""
DAY_WEIGHT = 0.4
"""Of the day beside the chunk. Measured: docs/decisions/0022-ranking.md."""
TIME_WEIGHT = 0.4
"""Of lying in the time that the query tells. Measured: docs/decisions/0022-ranking.md."""
CANDIDATES = 100
"""Chunks that are weighed again. Measured: docs/decisions/0022-ranking.md."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A chunk that was found, as ranking sees it.

    Attributes:
        id: Its number.
        together: What it belongs to: the file and the day, or the file and the heading.
        counts: How often each word that was looked for stands in it; in the item before it, half as much.
        length: How many words it has, the item before it included.
        day: Of the log; None where it tells none.
    """

    id: int
    together: str
    counts: Mapping[str, float]
    length: int
    day: date | None = None


class Ranked(Struct, frozen=True, kw_only=True):
    """A chunk with its score.

    Attributes:
        id: Its number.
        score: 0..1, 1 the best of all; 4 decimals.
        parts: What each word of the query gave; with ``besides`` what the score is the sum of, before
            it was scaled to the best.
        besides: What its day, its time and its meaning gave.
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
    worth = _worth(groups, frequency, total)
    found = {one.id: _found(one, worth, _K1 * (1 - _B + _B * one.length / mean)) for one in candidates}
    best = max(sum(score for _, score in words.values()) for words in found.values()) or 1.0
    days = _days(candidates, worth)
    fullest = max(days.values()) or 1.0
    ranked = [
        _ranked(
            one,
            {groups[at].word: (said, score / best) for at, (said, score) in found[one.id].items()},
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
    return sorted(whole, key=lambda one: (-one.score, one.id))


def rarity(frequency: int, total: int) -> float:
    """Give the idf of a word that stands in ``frequency`` of ``total`` chunks; above 0."""
    return math.log(1 + (max(total - frequency, 0) + 0.5) / (frequency + 0.5))


def _ranked(
    one: Candidate,
    words: Mapping[str, tuple[str, float]],
    day: float,
    within: Callable[[date], bool] | None,
) -> Ranked:
    besides = {Why.NEIGHBOUR: day} if day else {}
    if within and one.day and within(one.day):
        besides[Why.TIME] = TIME_WEIGHT
    parts = {word: score for word, (_, score) in words.items()}
    return Ranked(
        id=one.id,
        score=sum(parts.values()) + sum(besides.values()),
        parts=parts,
        besides=besides,
        words={word: said for word, (said, _) in words.items()},
    )


def _worth(groups: Sequence[Group], frequency: Mapping[str, int], total: int) -> _Worth:
    found: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, group in enumerate(groups):
        for word, weight in group.weights.items():
            found[word].append((at, weight * rarity(frequency.get(word, 0), total)))
    return found


def _found(one: Candidate, worth: _Worth, room: float) -> dict[int, tuple[str, float]]:
    """Give for each group that stands in a chunk its best word there, and what that gives.

    BM25 without its factor of ``k1 + 1``: all is told as a share of the best.
    """
    best: dict[int, tuple[str, float]] = {}
    for word, count in one.counts.items():
        share = count / (count + room)
        for at, full in worth.get(word, ()):
            known = best.get(at)
            if known is None or (full * share, word) > (known[1], known[0]):
                best[at] = (word, full * share)
    return best


def _days(candidates: Collection[Candidate], worth: _Worth) -> dict[str, float]:
    """Give for each day how much of the query it tells of: each group once, by its best chunk."""
    best: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for one in candidates:
        cover = best[one.together]
        for word, count in one.counts.items():
            share = count / (count + _K1)
            for at, full in worth.get(word, ()):
                cover[at] = max(cover.get(at, 0.0), full * share)
    return {day: sum(cover.values()) for day, cover in best.items()}


ANSWERED = 0.5
"""Share of a query's rarity that one of the best hits holds where it is answered. Measured: docs/decisions/0022-ranking.md."""
ANSWERED_IN_TIME = 0.8
"""The same of the hits of the time that a query tells, where that time alone is searched. Measured: docs/decisions/0022-ranking.md."""


def is_answered(
    ranked: Sequence[Ranked],
    groups: Sequence[Group],
    frequency: Mapping[str, int],
    total: int,
    *,
    share: float | None = None,
    among: int = 1,
) -> bool:
    """Tell whether one of the best hits holds most of what was asked for.

    Args:
        ranked: The best first.
        groups: Words of the query.
        frequency: For each word of the query, in how many chunks it stands.
        total: How many chunks there are.
        share: Of the query's rarity that is most of it; None is ``ANSWERED``.
        among: How many of the best are looked at.
    """
    most = ANSWERED if share is None else share
    weights = {group.word: rarity(frequency.get(group.word, 0), total) for group in groups}
    whole = sum(weights.values())
    return any(sum(weights.get(word, 0.0) for word in one.words) >= most * whole for one in ranked[:among])


MEANING_WEIGHT = 0.7
"""Of meaning, beside words whose best is 1. Measured: docs/decisions/0022-ranking.md."""
NEAREST = 50
"""Chunks that meaning alone may bring in. Measured: docs/decisions/0022-ranking.md."""


def nearest(cosines: Mapping[int, float], most: int = NEAREST) -> list[int]:
    """Give the chunks that are nearest in meaning, the nearest first."""
    return sorted(cosines, key=lambda number: (-cosines[number], number))[:most]


def fuse(ranked: Sequence[Ranked], cosines: Mapping[int, float]) -> list[Ranked]:
    """Add meaning to the scores of chunks, the best first.

    Args:
        ranked: What words gave, scaled to the best.
        cosines: For chunks of the whole index, how near each is to the query, -1..1; without those that have
            no embedding.
    """
    if not cosines:
        return list(ranked)
    lowest, highest = min(cosines.values()), max(cosines.values())
    width = highest - lowest or 1.0
    return scaled([_with_meaning(one, cosines.get(one.id), lowest, width) for one in ranked])


def _with_meaning(one: Ranked, cosine: float | None, lowest: float, width: float) -> Ranked:
    if cosine is None:
        return one
    gain = MEANING_WEIGHT * (cosine - lowest) / width
    return replace(one, score=one.score + gain, besides={**one.besides, Why.MEANING: gain})


MOST_WALKED = 10_000
"""Chunks in the lists of one query's words, together. A home of fewer chunks than a list may have is searched
for every word; at 100,000 chunks half a query's time is saved (docs/decisions/0021-index.md)."""
LEAST_WORDS = 2


def telling_words(
    words: Sequence[str], frequencies: Mapping[str, int], *, most: int = MOST_WALKED
) -> tuple[str, ...]:
    """Give the words to look for, in their order.

    Args:
        words: All of them, each once.
        frequencies: In how many chunks each stands; 0 is unknown, and looked for.
        most: Chunks in all their lists.
    """
    kept: set[str] = set()
    walked = found = 0
    for word in sorted(words, key=lambda word: (frequencies.get(word, 0), word)):
        count = frequencies.get(word, 0)
        if found >= LEAST_WORDS and walked + count > most:
            break
        kept.add(word)
        walked += count
        found += count > 0
    return tuple(word for word in words if word in kept)

"""What to look for next, where the words of a query do not answer it.

``Who looks after the service that failed on Friday?`` is answered by a log that names neither Friday
nor failing: the first search finds the name of the service, and only a second one finds who looks
after it. So where the best hits hold less than half of what was asked for, the rare words and names
of their best lines are looked for in turn; and those of the best line that this brought up, once more.

Invariant: a query that is answered is left alone, and what a hop finds adds to the score of a chunk
and takes nothing from it.
"""

from collections.abc import Collection, Mapping, Sequence

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.ranking import Ranked, rarity, scaled
from nightledger.domain.search.values import Why

ANSWERED = 0.5
"""Share of a query's rarity that one of the best hits holds where it is answered. Measured: docs/decisions/0022-ranking.md."""
ANSWERED_IN_TIME = 0.8
"""The same of the hits of the time that a query tells, where that time alone is searched. Measured: docs/decisions/0022-ranking.md."""
BEST_HITS = 1
"""Hits whose best lines lead on; as many words as two lines hold lead on from them."""
MOST_WORDS = 6
HOP_WEIGHT = 0.2
"""Of what a hop finds, beside the query's own words. Measured: docs/decisions/0022-ranking.md."""
FURTHER = 0.5
"""What a second hop counts beside the first. Measured: docs/decisions/0022-ranking.md."""
_MOST_COMMON = 20
"""A word that leads on stands in one of so many chunks at most, else it is about everything. Our choice."""
_LEAST_LETTERS = 3


def is_answered(
    ranked: Sequence[Ranked],
    groups: Sequence[Group],
    frequency: Mapping[str, int],
    total: int,
    *,
    share: float | None = None,
    among: int = BEST_HITS,
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


def words_on(
    lines: Sequence[Sequence[str]], known: Collection[str], frequency: Mapping[str, int], total: int
) -> tuple[str, ...]:
    """Give the words that lead on, the rarest first, ``MOST_WORDS`` at most.

    Args:
        lines: The words of the best line of each of the best hits.
        known: Words that were looked for, with their forms as they stand in these lines, and stop words.
        frequency: In how many chunks each word stands; one that stands nowhere else leads nowhere.
        total: How many chunks there are.
    """
    found = dict.fromkeys(word for line in lines for word in line)
    able = [
        word
        for word in found
        if word not in known
        and len(word) >= _LEAST_LETTERS
        and not word.isdecimal()
        and 1 < frequency.get(word, 0) <= max(total / _MOST_COMMON, 2)
    ]
    return tuple(sorted(able, key=lambda word: (frequency[word], word))[:MOST_WORDS])


def with_hop(first: Sequence[Ranked], second: Sequence[Ranked], n: int = 0) -> list[Ranked]:
    """Add what a hop found to what was found before; the best first.

    Args:
        first: By the query's words, and by hops before this one.
        second: By the words that led on; only what their words gave counts.
        n: How many hops were before this one.
    """
    found = {one.id: one for one in first}
    said = {one.id: sum(one.parts.values()) for one in second if one.parts}
    most = max(said.values(), default=1.0)
    for number, worth in said.items():
        known = found.get(number) or Ranked(id=number, score=0.0)
        gain = HOP_WEIGHT * FURTHER**n * worth / most
        found[number] = Ranked(
            id=number,
            score=known.score + gain,
            parts=known.parts,
            besides={**known.besides, Why.HOP: known.besides.get(Why.HOP, 0.0) + gain},
            words=known.words,
        )
    return scaled(list(found.values()))

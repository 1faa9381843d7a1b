"""Words and meaning together: what an embedding adds to what words found.

By score, ``words + 0.7 * minmax(cosine)``, and not by rank: fused by reciprocal rank, meaning took more
from good hits than it gave (the issue's measurement; docs/decisions/0022-ranking.md has ours).

Invariant: where no chunk has an embedding, the order is that of the words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nightledger.domain.search.ranking import Ranked, scaled
from nightledger.domain.search.values import Why

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

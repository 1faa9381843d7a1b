"""In which order doubts are shown, so that accepting from the top pays soonest.

Invariant: secrets first, then orders to an agent, then the surest. Where the file is
over its host's cap, what is equally sure is ordered by what it frees.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

from nightledger.domain.doubt import Doubt, DoubtLabel

BANDS = 10
"""Doubts within a tenth of certainty count as equally sure; the estimate is no finer."""
_FIRST = {DoubtLabel.SECRET: 2.0, DoubtLabel.INJECTION: 1.0}
GRAVE_RANK = 1.0
"""Rank from which a doubt is about a secret or an order to an agent; nothing else is surer than .99."""


def rank_doubts(doubts: Iterable[Doubt], *, over_characters: int) -> tuple[Doubt, ...]:
    """Give the doubts with their rank, the first to be shown first.

    Args:
        doubts: With what each frees.
        over_characters: By how much the file exceeds its cap; 0 or less where it does not.
    """
    ranked = (
        replace(doubt, rank=rank_of(doubt.label, doubt.confidence, doubt.characters, over_characters))
        for doubt in doubts
    )
    return tuple(sorted(ranked, key=lambda doubt: (-doubt.rank, doubt.lines)))


def rank_of(label: DoubtLabel, confidence: float, characters: int, over_characters: int) -> float:
    """Give the rank of one doubt or of a group of them, 0..3, rounded to 4 decimals.

    Over the cap the certainty is cut to its band, and the share of the excess that would
    go fills the band; under it the certainty itself ranks.
    """
    sure = confidence
    if over_characters > 0:
        share = min(1.0, max(0, characters) / over_characters)
        sure = (math.floor(min(confidence, 0.9999) * BANDS) + 0.99 * share) / BANDS
    return round(_FIRST.get(label, 0.0) + sure, 4)

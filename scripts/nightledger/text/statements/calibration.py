"""What the score of a statement is worth: the chance that its owner signs it, as it stands or in other words.

Invariant: of two scores of one source the higher stays the higher, so that nothing changes its place among its like.
"""

from functools import cache
from itertools import pairwise

import msgspec

from nightledger.files.home import shipped_config

Table = tuple[tuple[float, float], ...]


@cache
def _tables() -> dict[str, Table]:
    """Return ``config/calibration.json``: rows of score and chance by source, fitted by ``bench/fit_confidence.py``."""
    return msgspec.json.decode(shipped_config("calibration.json"), type=dict[str, Table])


def calibrated(source: str, score: float) -> float:
    """Return the chance, 0..1, rounded to 4 decimals, that an owner signs what has a score of a source.

    Between two rows of the table it is on a straight line; a source without a table means what it says.

    Args:
        source: ``rules`` or ``model``.
        score: 0..1.
    """
    for (low, below), (high, above) in pairwise(_tables().get(source, ())):
        if score <= high:
            return round(below + (above - below) * (score - low) / (high - low), 4)
    return score

"""How much is tried: ``make test-all`` sets ``NIGHTLEDGER_WHOLE`` and has all of it, ``make test`` a part."""

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

Row = TypeVar("Row")
WHOLE = bool(os.environ.get("NIGHTLEDGER_WHOLE"))


def examples(count: int) -> settings:
    """Return settings of a property that is to be tried on so many examples, on a fifth of them in 'make test'."""
    return settings(max_examples=count if WHOLE else max(20, count // 5))


def part(rows: Sequence[Row], of: int, number: int = 0) -> Sequence[Row]:
    """Return all rows, or in 'make test' the numbered one of so many parts, each spread over them."""
    return rows if WHOLE else rows[number % of :: of]

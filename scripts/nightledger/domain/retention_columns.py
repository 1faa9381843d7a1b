"""Retention over columns: what ``retention.py`` says of one memory, said of hundreds of thousands.

Invariant: the same answers as that module, to the last bits of a float; the constants are
read from its one table. Imported only where there are so many memories: numpy takes a
tenth of a second to start.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import log
from operator import attrgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nightledger.domain.retention import (
    ACCESS_WEIGHT,
    OUTCOME_WEIGHT,
    PERMANENT,
    PRIOR,
    RECENCY_WEIGHT,
    SURE_SD,
    THRESHOLDS,
    TIER_STEP,
    Memory,
    Policy,
)

Numbers: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
_FIELDS = (
    "tier.rate",
    "pinned",
    "created_hour",
    "used_hour",
    "useful",
    "harmful",
    "expected",
    "access",
    "days",
    "outcome",
)
_read = attrgetter(*_FIELDS)
BLOCK = 1 << 15
"""Rows judged at a time: a column of them is 256 KiB, so what is made on the way stays in the processor's
cache. All 300,000 at once take up to twice as long, where memory has to be asked for anew (docs/decisions/0042)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Memories by field; row ``n`` of each column is one memory. See :class:`Memory` for units."""

    rate: Numbers
    pinned: Flags
    created_hour: Numbers
    used_hour: Numbers
    useful: Numbers
    harmful: Numbers
    expected: Numbers
    access: Numbers
    days: Numbers
    outcome: Numbers


def columns_of(memories: Iterable[Memory]) -> Columns:
    """Give memories as columns, shape ``(memories,)`` each."""
    rows = np.array([_read(memory) for memory in memories], dtype=np.float64).reshape(-1, len(_FIELDS))
    rate, pinned, *others = np.ascontiguousarray(rows.T)
    names = _FIELDS[2:]
    return Columns(rate=rate, pinned=pinned != 0, **dict(zip(names, others, strict=True)))


def leans(columns: Columns) -> Numbers:
    """Give what outcomes say of each memory, -1..1; see ``retention.lean``."""
    leans = np.zeros_like(columns.useful)
    told = np.flatnonzero(columns.useful + columns.harmful)  # of most memories no outcome tells anything
    useful, expected = columns.useful[told], columns.expected[told]
    strength = PRIOR + useful + columns.harmful[told]
    mean = (PRIOR * expected + useful) / strength
    spread = SURE_SD * np.sqrt(expected * (1 - expected) / (strength + 1))
    leans[told] = ((mean - expected) / spread).clip(-1.0, 1.0)
    return leans


def measured_utilities(columns: Columns, now_hour: int) -> Numbers:
    """Give how far each memory is still worth its place, 0..1; see ``retention.measured_utility``."""
    lean = leans(columns)
    idle = np.maximum(now_hour - columns.created_hour, 0.0)
    rate = columns.rate.copy()
    told = np.flatnonzero(lean)
    age, said = idle[told], lean[told]
    since = np.minimum(np.maximum(now_hour - columns.used_hour[told], 0.0), age)
    idle[told] = age - np.maximum(said, 0.0) * (age - since)
    rate[told] *= np.exp(-log(TIER_STEP) * said)
    utilities: Numbers = np.exp(-rate * idle)
    return utilities


def classic_utilities(columns: Columns) -> Numbers:
    """Give each memory's published utility; see ``retention.classic_utility``."""
    fresh = RECENCY_WEIGHT / (np.maximum(columns.days, 0.0) + 1)
    return ACCESS_WEIGHT * np.log(columns.access + 1) + fresh + OUTCOME_WEIGHT * columns.outcome


def pending(columns: Columns, policy: Policy, now_hour: int) -> Flags:
    """Tell of each memory whether a policy would let it go; never of one that is immune.

    Args:
        columns: The memories.
        policy: Which.
        now_hour: Count of active hours up to now.
    """
    found = np.empty(len(columns.rate), dtype=np.bool_)
    for start in range(0, len(found), BLOCK):
        part = slice(start, start + BLOCK)
        found[part] = _pending(_rows(columns, part), policy, now_hour)
    return found


def _pending(columns: Columns, policy: Policy, now_hour: int) -> Flags:
    measured = policy is Policy.MEASURED
    utilities = measured_utilities(columns, now_hour) if measured else classic_utilities(columns)
    immune = columns.pinned | (columns.rate <= PERMANENT.rate)
    return (utilities < THRESHOLDS[policy]) & ~immune


def _rows(columns: Columns, part: slice) -> Columns:
    """Give some rows; no number is copied."""
    return Columns(**{one.name: getattr(columns, one.name)[part] for one in fields(columns)})

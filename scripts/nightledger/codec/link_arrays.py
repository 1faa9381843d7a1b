"""Small steps on numpy arrays of whole numbers, from which ``link_bulk`` makes the sorted tables.

Invariant: arrays come in and go out; nothing here knows what the numbers mean. Imported
with ``link_bulk``, and only there: most homes never load numpy.
"""

from typing import Any

import numpy as np

DIGIT_BITS = 16
"""Bits that ``order_of`` sorts by at a time."""
Numbers = Any
"""A one-dimensional numpy array of whole numbers."""


def order_of(*columns: Numbers) -> Numbers:
    """Give the stable order by the last column, of equals by the one before it, and so on.

    Sorting by digits from the least one up (Knuth, TAOCP 3, section 5.2.5): numpy sorts
    numbers of 16 bits by counting, two to three times as fast as longer ones by comparing.

    Args:
        columns: Arrays of equal length; at least one.
    """
    order: Numbers = None
    for column in columns:
        for shift in range(0, int(column.max(initial=0)).bit_length(), DIGIT_BITS):
            digits = (column >> shift if shift else column).astype(np.uint16)
            if order is None:
                order = np.argsort(digits, kind="stable")
            else:
                order = order[np.argsort(digits[order], kind="stable")]
    return np.arange(len(columns[0])) if order is None else order


def sums(numbers: Numbers, starts: Numbers) -> Numbers:
    """Add up each run of numbers, given where each run begins; no run is empty."""
    return np.add.reduceat(numbers, starts, dtype=np.int64)


def changes(numbers: Numbers) -> Numbers:
    """Tell for each number whether it differs from the one before it; the first one does."""
    changed = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=changed[1:])
    return changed


def bounds_of(counts: Numbers) -> Numbers:
    """Give where each of some runs begins, and where the last one ends."""
    bounds = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    return bounds


def numbers_of(table: Any) -> Numbers:
    """Give a table of u32 as an array, without copying it."""
    return np.frombuffer(table, np.uint32)


def table_of(numbers: Numbers) -> bytes:
    """Give an array as a table of u32."""
    return bytes(numbers.astype(np.uint32).tobytes())

"""Active hours: the clock by which memories fade.

Invariant: a holiday ages nothing. Only an hour in which the agent recorded or was shown
something counts, and it counts once, whatever happened in it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime

HOUR_S = 3600


def hour_of(at: datetime) -> int:
    """Give the UTC hour that a time lies in, as whole hours since 1970.

    Args:
        at: Aware.
    """
    return int(at.timestamp() // HOUR_S)


def active_hours(hours: Iterable[int]) -> tuple[int, ...]:
    """Give the distinct hours of outcomes and exposures, ascending.

    An active hour is a UTC hour with at least one outcome or exposure record (FACTS, elfmem:
    "only active hours count").
    """
    return tuple(sorted(set(hours)))


def active_hours_until(hours: Sequence[int], until: int) -> int:
    """Give how many active hours there were up to an hour, that hour included.

    Args:
        hours: As :func:`active_hours` gives them.
        until: An hour since 1970.
    """
    return bisect_right(hours, until)

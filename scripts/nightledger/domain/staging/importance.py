"""How important something of the past is; age only says which stretch it belongs to, and of equals the newer comes first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from nightledger.domain.staging.rules import PERCENT
from nightledger.domain.staging.values import Candidate

PINNED = 1.0
"""The operator signed that it stays."""
DURABLE = 0.9
"""The operator signed that it is a value, a constraint or a goal: from here on something is a landmark."""
STANDING = 0.5
"""An entry of which nothing more is known: it was signed, so it is worth a place in its stretch."""
FADING = 0.3
"""An observation, of which the operator said that it fades soon."""
PROVED = 0.4
"""What outcomes can add or take: an entry that is proved useful is a landmark (.5 + .4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Something that was written down.

    Attributes:
        day: When; None where nothing tells.
        importance: 0..1.
        place: Where it stands; makes the order of equals certain.
        candidate: Gives it as a candidate of a source, for a reason; None where it may not be staged.
    """

    day: date | None
    importance: float
    place: str
    candidate: Callable[[str], Candidate | None]


def importance_of(
    *, pinned: bool, durable: bool, observation: bool, lean: float, stated: float | None
) -> float:
    """Return how important an entry is, 0..1, rounded to 4 decimals.

    What the operator signed comes first. Of all else what outcomes prove decides, and between
    those of which nothing is proved the confidence that was stated when they were proposed.

    Args:
        pinned: The operator signed that it stays.
        durable: The operator signed that it is a value, a constraint or a goal.
        observation: The operator signed that it is one.
        lean: What outcomes say, -1..1 (``domain/retention.py``).
        stated: Confidence that its proposal stated, 0..1; None where it came without one.
    """
    if pinned:
        return PINNED
    if durable:
        return DURABLE
    told = 0.0 if stated is None else max(0.0, (stated - STANDING) * PROVED / 2)
    return round(min(PINNED, max(0.0, (FADING if observation else STANDING) + PROVED * lean + told)), 4)


def most_important(past: Iterable[Past], percent: int) -> list[Past]:
    """Return what is as important as asked for, the most important first."""
    enough = (one for one in past if one.importance * PERCENT >= percent)
    return sorted(enough, key=lambda one: (-one.importance, -(one.day or date.min).toordinal(), one.place))

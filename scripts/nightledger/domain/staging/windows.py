"""Long-range memory: from each stretch of the past the most important, and what matters always.

Invariant: chosen by importance; age only says which stretch something belongs to, and of equals
the newer comes first.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from nightledger.domain.staging.rules import PERCENT, WindowRules

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
        n: Which of the caller's list it is.
    """

    day: date | None
    importance: float
    place: str
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What tells how important an entry is.

    Attributes:
        pinned: The operator signed that it stays.
        durable: The operator signed that it is a value, a constraint or a goal.
        observation: The operator signed that it is one.
        lean: What outcomes say, -1..1 (``domain/retention.py``).
        stated: Confidence that its proposal stated, 0..1; None where it came without one.
    """

    pinned: bool = False
    durable: bool = False
    observation: bool = False
    lean: float = 0.0
    stated: float | None = None


def importance_of(one: Standing) -> float:
    """Give how important an entry is, 0..1, rounded to 4 decimals.

    What the operator signed comes first. Of all else what outcomes prove decides, and between
    those of which nothing is proved the confidence that was stated when they were proposed.
    """
    if one.pinned:
        return PINNED
    if one.durable:
        return DURABLE
    start = FADING if one.observation else STANDING
    stated = 0.0 if one.stated is None else (one.stated - STANDING) * PROVED / 2
    return round(min(PINNED, max(0.0, start + PROVED * one.lean + max(0.0, stated))), 4)


def choose_windows(
    past: Iterable[Past],
    windows: Sequence[WindowRules],
    percent: int,
    today: date,
    fits: Callable[[Past], bool],
) -> list[tuple[WindowRules, Past]]:
    """Give from each stretch the most important, in the order of stretches.

    Args:
        past: What was written down; what tells no day, or lies ahead, belongs to no stretch.
        windows: The stretches.
        percent: Importance that is asked for.
        today: The log day that counts as 0 days ago.
        fits: Tells whether something may be staged at all; asked of few, the most important first.
    """
    known = _by_importance(one for one in past if one.importance * PERCENT >= percent)
    found = []
    for window in windows:
        inside = (one for one in known if one.day is not None and _is_in(window, (today - one.day).days))
        fitting = (one for one in inside if fits(one))
        found += [(window, one) for one in islice(fitting, window.most)]
    return found


def choose_landmarks(
    past: Iterable[Past], percent: int, most: int, fits: Callable[[Past], bool]
) -> list[Past]:
    """Give what matters at every start: the most important first, however old it is.

    Args:
        past: Entries.
        percent: Importance that makes a landmark.
        most: How many at most.
        fits: As for :func:`choose_windows`.
    """
    ordered = _by_importance(one for one in past if one.importance * PERCENT >= percent)
    return list(islice((one for one in ordered if fits(one)), most))


def _is_in(window: WindowRules, days: int) -> bool:
    return days >= window.from_days and (window.until_days is None or days < window.until_days)


def _by_importance(past: Iterable[Past]) -> list[Past]:
    return sorted(
        past, key=lambda one: (-one.importance, -(one.day or date.min).toordinal(), one.place, one.n)
    )

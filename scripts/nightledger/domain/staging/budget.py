"""Choose what is staged, and what it costs.

Invariant: what is chosen never costs more than it may; the same candidates in any order give
the same page.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

from msgspec import Struct

from nightledger.domain.staging.values import PERCENT, Candidate, Chosen, LeftOut, Source, SourceRules

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


class Past(Struct, frozen=True, kw_only=True):
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


_LINES = re.compile(r":(\d+)(?:-(\d+))?$")
"""The lines of a place, ``memory/2026-02-28.md:5-6``."""
_WORDLESS = re.compile(r"[\W_]+")


def rank(candidates: Iterable[Candidate], sources: Mapping[Source, SourceRules]) -> list[Candidate]:
    """Order candidates: what counts most first; of equals by source, place and text.

    What a candidate counts is its source's weight times its own score, rounded to 4 decimals.
    Those of a source that takes no part are left out.
    """
    order = {source: at for at, source in enumerate(Source)}
    taking = [one for one in candidates if sources[one.source].takes_part]
    return sorted(
        taking,
        key=lambda one: (
            -round(sources[one.source].weight * one.score / PERCENT, 4),
            order[one.source],
            one.place,
            one.text,
        ),
    )


def choose(
    ranked: Sequence[Candidate],
    sources: Mapping[Source, SourceRules],
    tokens: int,
    cost: Callable[[Candidate], int],
    alike: Callable[[Candidate, Candidate], bool],
) -> Chosen:
    """Fill a budget.

    Each source first gets its share of the budget, so that no one of them takes it all; what is
    left then goes to whatever ranks highest. A line that does not fit is passed over, and a
    shorter one may still come in. Nothing comes in that says what a line on the page says already:
    the same wording, lines of a file that overlap, or what ``alike`` takes for one.

    Args:
        ranked: As :func:`rank` gives them.
        sources: How each source takes part.
        tokens: What may be spent.
        cost: Gives what a candidate's line costs, 1 or more.
        alike: Tells whether two candidates say the same in other words.
    """
    fresh = list(_without_repeats(ranked))
    taken: dict[Candidate, int] = {}
    repeated: set[Candidate] = set()
    for one, is_share in [*((one, True) for one in fresh), *((one, False) for one in fresh)]:
        rules, price = sources[one.source], cost(one)
        spent = [what for other, what in taken.items() if other.source is one.source]
        limit = tokens * rules.share // PERCENT if is_share else tokens
        is_done = one in taken or one in repeated or len(spent) >= rules.most
        if is_done or sum(spent) + price > limit or sum(taken.values()) + price > tokens:
            continue
        if any(_overlap(one, other) or alike(one, other) for other in taken):
            repeated.add(one)
        else:
            taken[one] = price
    left = [one for one in fresh if one not in taken and one not in repeated]
    count = Counter(one.source for one in taken)
    over_most = sum(count[one.source] >= sources[one.source].most for one in left)
    return Chosen(
        lines=tuple(one for one in fresh if one in taken),
        left_out=LeftOut(
            repeated=len(ranked) - len(taken) - len(left),
            over_most=over_most,
            over_budget=len(left) - over_most,
        ),
    )


def _without_repeats(ranked: Iterable[Candidate]) -> Iterable[Candidate]:
    """Give each wording once, where it ranks highest; an event for each of its times and calendars.

    Two events of one title are two; so are two calendars that could not be read.
    """
    seen = set()
    for one in ranked:
        wording = _WORDLESS.sub(" ", one.text.casefold()).strip()
        is_event = one.source is Source.EVENT
        key = (wording, one.place, one.why) if is_event else (wording,)
        if key not in seen:
            seen |= {key, (wording,)}
            yield one


def _overlap(one: Candidate, other: Candidate) -> bool:
    """Tell whether two candidates show a line of a file in common."""
    if not one.path or one.path != other.path:
        return False
    mine, yours = _LINES.search(one.place), _LINES.search(other.place)
    if mine is None or yours is None:
        return False
    return int(mine[1]) <= int(yours[2] or yours[1]) and int(yours[1]) <= int(mine[2] or mine[1])

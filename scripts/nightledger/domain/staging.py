"""What may be staged, how it ranks, and what fits a page.

Invariant: pure; the order of candidates makes no difference, and a page never costs more than its budget.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Source(StrEnum):
    """Why something is looked for at all; each has its place in ``config/staging-rules.json``."""

    EVENT = "event"
    """Something in the calendar begins or goes on in the next hours."""
    DOCUMENT = "document"
    """Search finds it for such an event."""
    OPEN_ITEM = "open_item"
    """The handoff leaves it open."""
    RECORD = "record"
    """What earlier sessions recorded, and the first screen of one would tell."""
    LANDMARK = "landmark"
    """It matters at every start."""
    ASSOCIATION = "association"
    """It worked for the kind of task of this day of the week."""
    LONG_RANGE = "long_range"
    """The most important of an earlier time."""


class Event(Struct, frozen=True, kw_only=True):
    """One occurrence of an event of a calendar.

    Attributes:
        title: Its title as the calendar has it, at most 80 characters; empty where it has none.
        starts_at: Aware, UTC.
        ends_at: Aware, UTC; not before ``starts_at``.
        all_day: Whether it names days and no times.
        calendar: What the operator calls the calendar.
        own: Whether the owner organised or accepted it; else strangers wrote its title.
    """

    title: str
    starts_at: datetime
    ends_at: datetime
    all_day: bool
    calendar: str
    own: bool = False


class Candidate(Struct, frozen=True, kw_only=True):
    """Something that might be staged.

    Attributes:
        source: Why it was looked for.
        text: What it says, one line, not yet quoted. Of what nobody signed it only tells which lines say the same:
            the page names the place, and quotes no word.
        place: Where it stands: ``memory/2026-02-28.md:5-6``, ``calendar work``.
        why: Why it is there; our own words, file names and words of the home among them, not yet quoted.
        score: How much it matters among those of its source, 0..1.
        until: When it is of no use any more; None where it lasts as long as the page.
        shown: Ids of entries or links that whoever is shown this has been shown.
        path: The file that it rests on, relative to the home; empty where it rests on none.
        signed: Whether an operator signed or accepted the text.
    """

    source: Source
    text: str
    place: str
    why: str
    score: float
    until: datetime | None = None
    shown: tuple[str, ...] = ()
    path: str = ""
    signed: bool = False


class LeftOut(Struct, frozen=True, kw_only=True):
    """Candidates that had no place, counted.

    Attributes:
        repeated: Something staged says the same.
        over_most: Their source has as many places as it gets.
        over_budget: They do not fit what is left of the tokens.
    """

    repeated: int = 0
    over_most: int = 0
    over_budget: int = 0


class Chosen(Struct, frozen=True, kw_only=True):
    """What is staged.

    Attributes:
        lines: The best first.
        left_out: What had no place.
    """

    lines: tuple[Candidate, ...]
    left_out: LeftOut


PERCENT = 100
DEFAULT_HOST = "generic"


class SourceRules(Struct, frozen=True, kw_only=True):
    """How one source takes part.

    Attributes:
        weight: What its candidates count, 0..100; 0 leaves the source out.
        most: How many lines of it at most; 0 leaves the source out.
    """

    weight: int
    most: int

    @property
    def takes_part(self) -> bool:
        """Whether anything of it can be staged."""
        return self.weight > 0 and self.most > 0


class WindowRules(Struct, frozen=True, kw_only=True):
    """A stretch of the past of which the most important is staged.

    Attributes:
        from_days: How many days ago it ends; that day is in it.
        until_days: How many days ago it begins; that day is not in it. None has no beginning.
        most: How many lines of it at most.
    """

    from_days: int
    until_days: int | None
    most: int

    def holds(self, days: int) -> bool:
        """Tell whether something of so many days ago belongs to it."""
        return days >= self.from_days and (self.until_days is None or days < self.until_days)


class StagingRules(Struct, frozen=True, kw_only=True):
    """What is staged, when, and how much; every key is described in the schema.

    Attributes:
        lookahead_hours: How far ahead events are looked for.
        good_for_days: For how many days after its own a page is good.
        line_characters: The longest text of a line; more is cut, and says so.
        budget_tokens: For each host, the tokens of a whole page.
        sources: How each source takes part.
        documents_each: Documents for one event at most.
        association_percent: Confidence from which an association is staged.
        habit_weeks: How many weeks back tells what is done on this day of the week.
        habit_days: On how many of them a kind of task must have been done.
        windows: Stretches of the past.
        window_percent: Importance from which something of a window is staged.
        landmark_percent: Importance from which an entry is a landmark.
    """

    lookahead_hours: int
    good_for_days: int
    line_characters: int
    budget_tokens: Mapping[str, int]
    sources: Mapping[Source, SourceRules]
    documents_each: int
    association_percent: int
    habit_weeks: int
    habit_days: int
    windows: tuple[WindowRules, ...]
    window_percent: int
    landmark_percent: int

    def budget_of(self, host: str) -> int:
        """Give the tokens of a page for a host; those of a generic one where it has none of its own."""
        return self.budget_tokens.get(host, self.budget_tokens[DEFAULT_HOST])


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
) -> Chosen:
    """Fill a budget.

    What ranks highest comes first, of each source so many lines at most. A line that does not fit is passed over, and a
    shorter one may still come in. Nothing comes in that says what a line on the page says already: the same wording, or
    lines of a file that overlap.

    Args:
        ranked: As :func:`rank` gives them.
        sources: How each source takes part.
        tokens: What may be spent.
        cost: Gives what a candidate's line costs, 1 or more.
    """
    fresh = list(_without_repeats(ranked))
    taken: dict[Candidate, int] = {}
    repeated: set[Candidate] = set()
    for one in fresh:
        price = cost(one)
        of_source = sum(other.source is one.source for other in taken)
        if of_source >= sources[one.source].most or sum(taken.values()) + price > tokens:
            continue
        if any(_overlap(one, other) for other in taken):
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

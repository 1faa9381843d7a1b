"""What may be staged, and what is: values that every part of staging shares."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Source(StrEnum):
    """Why something is looked for at all; each has its place in ``config/staging-rules.json``."""

    EVENT = "event"
    """Something in the calendar begins or goes on in the next hours."""
    DOCUMENT = "document"
    """Search finds it for such an event, or for a routine of the operator."""
    OPEN_ITEM = "open_item"
    """The handoff leaves it open."""
    LANDMARK = "landmark"
    """It matters at every start."""
    ASSOCIATION = "association"
    """It worked for the kind of task that comes about now, or for what was left open."""
    WORK = "work"
    """Older lines about what the newest log and the handoff are about."""
    SHOWN = "shown"
    """It was shown lately, and something came of it."""
    LONG_RANGE = "long_range"
    """The most important of an earlier time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Candidates that had no place, counted.

    Attributes:
        repeated: Something staged says the same.
        over_most: Their source has as many places as it gets.
        over_budget: They do not fit what is left of the tokens.
    """

    repeated: int = 0
    over_most: int = 0
    over_budget: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is staged.

    Attributes:
        lines: The best first.
        left_out: What had no place.
    """

    lines: tuple[Candidate, ...]
    left_out: LeftOut

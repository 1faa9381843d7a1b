"""What happens on which day, before anybody writes it down."""

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum


class Role(StrEnum):
    """What a sentence does in its topic; styles of writing differ in how they show it."""

    WORK = "work"
    RESULT = "result"
    TODO = "todo"
    SYMPTOM = "symptom"
    TRIED = "tried"
    GUESS = "guess"
    CAUSE = "cause"
    CURE = "cure"
    LESSON = "lesson"
    NOTED = "noted"
    QUOTE = "quote"
    REFLECTION = "reflection"


class Kind(StrEnum):
    """What sort of lasting statement it is."""

    LESSON = "lesson"
    CAUSE = "cause"
    RULE = "rule"
    PREFERENCE = "preference"
    CORRECTION = "correction"
    FACT = "fact"
    DECISION = "decision"
    CHANGED = "changed"


class Pace(StrEnum):
    """How much happens on a day."""

    MISSING = "missing"
    QUIET = "quiet"
    NORMAL = "normal"
    BUSY = "busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One sentence of a topic.

    Attributes:
        role: What it does there.
        text: The sentence.
        label: Stands before it in place of the style's own.
        before: Sentences on the same line before it.
        after: Sentences on the same line behind it.
    """

    role: Role
    text: str
    label: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a topic ended, for its outcome record."""

    task_type: str
    tags: tuple[str, ...]
    resolution: str
    outcome: str
    signal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One thing that the agent dealt with.

    Attributes:
        title: Its heading.
        beats: What is told of it.
        result: How it ended, where that is recorded.
        block: Lines that stand as they are, whatever the style.
    """

    title: str
    beats: tuple[Beat, ...]
    result: Result | None = None
    block: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Section:
    """A closing part of a day, with bullets of several topics: ``Key Decisions``."""

    title: str
    beats: list[Beat] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One line of a chat; ``speaker`` is user, assistant or system."""

    speaker: str
    text: str


@dataclass(slots=True, kw_only=True)
class Day:
    """One day while the plot fills it.

    Attributes:
        date: The log day.
        pace: How much happens.
        topics: For the daily log.
        sections: Close the daily log.
        turns: For a session export; none when empty.
    """

    date: date
    pace: Pace
    topics: list[Topic] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """All days, and what memory must hold for them."""

    days: tuple[Day, ...]
    remembered: tuple[str, ...]

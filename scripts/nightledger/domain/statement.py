"""A statement worth keeping: what a daily log says that holds beyond its day.

Invariant: a statement names the lines that it came from; its text holds words of those
lines and their headings only, so an operator can check it against the evidence.
"""

from datetime import date
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.proposal import Origin


class StatementKind(StrEnum):
    """What a statement does for its reader."""

    DECISION = "decision"
    RULE = "rule"
    PREFERENCE = "preference"
    CORRECTION = "correction"
    CAUSE = "cause"
    LESSON = "lesson"
    FACT = "fact"
    PROCEDURE = "procedure"


class Statement(Struct, frozen=True, kw_only=True):
    r"""What a log says, as it would stand in memory.

    Attributes:
        path: The log, relative to the home.
        day: The log day.
        lines: First and last line, counted from 1, split on ``\n`` only; five lines at most.
        text: The entry without its leading ``- ``; further lines are its children, indented by two.
        kind: What it does for its reader.
        origin: Who says it.
        score: Estimated chance that the owner is glad to find it in memory months later; 0..1,
            rounded to 4 decimals.
        reasons: Why, strongest first, for the operator.
        fails_when: What would change its mind.
        section: Heading of a memory file that suits it (a value of ``text.sections.Shelf``).
        key: Folded wording; equal keys are the same statement to suppression.
    """

    path: str
    day: date
    lines: tuple[int, int]
    text: str
    kind: StatementKind
    origin: Origin
    score: float
    reasons: tuple[str, ...]
    fails_when: str
    section: str
    key: str


class HeldLine(Struct, frozen=True, kw_only=True):
    """A line that would have been a candidate and that the scanners hold back.

    Attributes:
        path: The log, relative to the home.
        line: Counted from 1.
        rule: What the scanner saw: ``secret.github``.
    """

    path: str
    line: int
    rule: str


class Found(Struct, frozen=True, kw_only=True):
    """What one log gives.

    Attributes:
        statements: The best first.
        held: What was held back, in order of lines.
    """

    statements: tuple[Statement, ...]
    held: tuple[HeldLine, ...]

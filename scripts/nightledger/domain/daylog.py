r"""A daily log as it was read: every line with where it stands and who speaks; and the statements found in it.

Invariant: line numbers count from 1 and split on ``\n`` only, so a line can be found
again in the file's bytes; nothing is dropped, only classed.
"""

from datetime import date
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.proposal import Origin


class Region(StrEnum):
    """What kind of text a line stands in."""

    PROSE = "prose"
    """A sentence, a list item or a table row that somebody wrote: may be learned from."""
    HEADING = "heading"
    BLANK = "blank"
    RULE = "rule"
    """A thematic break or the line under a table's head."""
    FENCE = "fence"
    """Code, output, data."""
    GENERATED = "generated"
    """Written by a tool's consolidation or by ourselves: never learned from."""
    METADATA = "metadata"
    """Envelopes, keys of a session, front matter."""
    BANNER = "banner"
    """Text that a third party puts into every prompt, system notices, reminders of a timer."""
    PASTED = "pasted"
    """Bookmarks, articles, quoted text: somebody else's words."""


class LogLine(Struct, frozen=True, kw_only=True):
    r"""One line of a daily log in its place.

    Attributes:
        number: Counted from 1, split on ``\n`` only.
        text: As it stands, without the line end.
        region: What kind of text it stands in.
        content: The text without list marker, tick box and leading time.
        marker: ``-`` for a bullet, ``1`` for a numbered item, ``|`` for a table row, empty for prose.
        indent: Columns before the first character; a tab counts four.
        headings: Texts of the headings above, outermost first.
        lead: The line that introduces this one: a bold or colon-ended line, or the item above it
            in the tree; empty where there is none.
        origin: Who says it.
        turn: ``user`` or ``assistant`` inside a chat export, else empty.
        day: The date that the nearest dated heading gives, else the file's.
    """

    number: int
    text: str
    region: Region
    content: str
    marker: str
    indent: int
    headings: tuple[str, ...]
    lead: str
    origin: Origin
    turn: str
    day: date


class DayLog(Struct, frozen=True, kw_only=True):
    """One file of daily notes.

    Attributes:
        path: Relative to the home.
        day: The log day that the file is named for.
        lines: All lines, in order.
    """

    path: str
    day: date
    lines: tuple[LogLine, ...]


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

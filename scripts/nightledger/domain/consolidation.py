r"""What a consolidation reads, and what it tells of itself.

It reads daily logs: every line with where it stands and who speaks, and the statements found in them. It tells which logs
it read, what came of asking a model, what it proposed.

Invariant: line numbers count from 1 and split on ``\n`` only, so a line can be found
again in the file's bytes; nothing is dropped, only classed.
"""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct, field

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


class SelfContext(Struct, frozen=True, kw_only=True):
    """What a block is processed with.

    Attributes:
        tags: Canonical tags that outcomes of the home carry.
        principles: Texts of the constitution in force; a model reads them, the rules go by words of their own.
    """

    tags: Collection[str] = frozenset()
    principles: tuple[str, ...] = ()


class Block(Struct, frozen=True, kw_only=True):
    """What comes of one block.

    Attributes:
        alignment_score: How much it is about how the agent works, 0..1.
        tags: Canonical; those that outcomes carry first.
        summary: Whole sentences of the block, in its order and with its list marks; the block itself where it is short.
    """

    alignment_score: float
    tags: tuple[str, ...]
    summary: str


class Said(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model said of one block, as far as it may be believed.

    Attributes:
        sentences: Which sentences make the summary, counted from 1.
        tags: Canonical; each is offered by the home or stands in the block.
        alignment_score: 0..1.
    """

    sentences: tuple[int, ...]
    tags: tuple[str, ...]
    alignment_score: float


MILLION = 1_000_000


class AnalystRun(Struct, frozen=True, kw_only=True):
    """What came of asking a model in one consolidation.

    Attributes:
        model: Which one.
        calls: Questions that the server answered.
        replayed: Questions that had been answered before, word for word.
        tokens: What they cost, counted by the server, else estimated from their length.
        cost_millionths: The same in the operator's money, in millionths of it; 0 where no price is named.
        over_budget: Whether the budget of the night ended it.
        operations: What the model named.
        proposed: Of these, what was put to the gate.
        refused: Why the others were not, and how often.
        problem: Why notes were left to the rules; empty where none were.
        blocks: What became of blocks of memory that it was asked about, counted: ``said`` and why others were left to the rules.
    """

    model: str
    calls: int = 0
    replayed: int = 0
    tokens: int = 0
    cost_millionths: int = 0
    over_budget: bool = False
    operations: int = 0
    proposed: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""
    blocks: Mapping[str, int] = field(default_factory=dict)

    @property
    def cost(self) -> str:
        """What questions and answers cost, in words: ``9,120 tokens, 0.0137 in money``."""
        money = f", {self.cost_millionths / MILLION:.4f} in money" if self.cost_millionths else ""
        return f"{self.tokens:,} tokens{money}"


class SourceRead(Struct, frozen=True, kw_only=True):
    """A daily log, or the outcome records, as they were read.

    Attributes:
        path: Relative to the home.
        sha256: Hex SHA-256 of its bytes then.
        size_bytes: Their number.
    """

    path: str
    sha256: str
    size_bytes: int


class Consolidation(Struct, frozen=True, kw_only=True):
    """One consolidation; ``memory/system/consolidation-log.jsonl``.

    Attributes:
        v: Version of the record, 1.
        id: ``c-`` and 26 characters; derived from period and what was read.
        period: The log day, ``2026-02-28``.
        at: When it ran; aware, UTC.
        logs: Daily logs that it read.
        outcome_records: The outcomes' file as it was read; None where there was none.
        outcomes: How many outcomes of it count.
        statements: How many statements worth keeping it found.
        patterns: How many patterns it found in outcomes.
        proposal: Id of the proposal that it made; None when there was nothing worth keeping.
        proposed: How many changes that holds.
        suppressed: How many candidates had been proposed before.
        no_room: How many did not fit; they compete again.
        held: How many the scanners held back that they had not held back before.
        skipped: Files that could not be read, and why.
        reason: Why it proposed nothing, or not all that is good; empty where neither is so.
        analyst: What came of asking a model; None where none was asked.
        skill: Id of the proposal of a skill; None where none was due.
    """

    v: int
    id: str
    period: str
    at: datetime
    logs: tuple[SourceRead, ...]
    outcome_records: SourceRead | None
    outcomes: int
    statements: int
    patterns: int
    proposal: str | None
    proposed: int
    suppressed: int
    no_room: int
    held: int
    skipped: tuple[str, ...] = ()
    reason: str = ""
    analyst: AnalystRun | None = None
    skill: str | None = None

"""What a consolidation tells of itself: what it read, what came of asking a model, what it proposed."""

from collections.abc import Collection, Mapping
from datetime import datetime

from msgspec import Struct, field


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

"""The one seam for prose: a block goes in, its alignment, tags and summary come out.

A model may stand behind it later; what comes out passes the same validators. Here it is
extractive: no sentence is written, only chosen.

Invariant: the tags are known ones, the summary's sentences are the block's, and the same
block and context give the same analysis.
"""

from dataclasses import dataclass
from typing import Protocol

from nightledger.text.similar import containment
from nightledger.text.statements.cues import find_cues
from nightledger.text.summary import summarise

KNOWN_TAGS = ("constitutional", "constraint", "value", "style", "goal", "context")
"""The self tags that there are; anything else a model may say is dropped."""
UNRELATED, ADJACENT, NEAR_IDENTITY, CORE = 0.0, 0.3, 0.7, 1.0
"""The published scale: unrelated, adjacent, identity-adjacent, core."""
_SHARED_WITH_PRINCIPLE = 0.6
_SHARED_WITH_GOAL = 0.35
_TAGS: tuple[tuple[str, frozenset[str]], ...] = (
    ("constraint", frozenset({"ban", "duty", "absolute", "unable", "rule"})),
    ("value", frozenset({"lesson", "standing"})),
    ("style", frozenset({"wish"})),
    ("goal", frozenset({"plan"})),
    ("context", frozenset({"place", "person", "being"})),
)
_ABOUT_SELF = frozenset({"ban", "duty", "absolute", "wish", "rule", "standing", "lesson", "correct"})
_TOUCHES_SELF = frozenset({"self", "said", "decide", "scope"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfContext:
    """What the agent is and wants, as its operator signed it.

    Attributes:
        principles: Founding principles, one text each.
        goals: What it works for, one text each.
        summary_characters: Length of a summary at most.
    """

    principles: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    summary_characters: int = 320


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAnalysis:
    """What an analyst makes of a block.

    Attributes:
        alignment_score: How much it is about how the agent works: 0 unrelated, .3 adjacent,
            .7 identity-adjacent, 1 core; rounded to 4 decimals.
        tags: Of `KNOWN_TAGS`, in their order.
        summary: Sentences of the block; the block itself where none fits.
    """

    alignment_score: float
    tags: tuple[str, ...]
    summary: str


class Analyst(Protocol):
    """Whoever analyses prose: the extractive one here, a model later."""

    def process_block(self, block: str, self_context: SelfContext) -> BlockAnalysis:
        """Analyse one block in one call."""
        ...


class ExtractiveAnalyst:
    """Chooses sentences and tags by cues; deterministic, without key, network or model."""

    def process_block(self, block: str, self_context: SelfContext) -> BlockAnalysis:
        """Analyse one block by its cues and by what it shares with the principles and goals."""
        cues = find_cues(block)
        return validate(
            BlockAnalysis(
                alignment_score=_align(block, cues, self_context),
                tags=tuple(tag for tag, wanted in _TAGS if not wanted.isdisjoint(cues)),
                summary=summarise(block, self_context.summary_characters),
            ),
            block,
        )


def validate(analysis: BlockAnalysis, block: str) -> BlockAnalysis:
    """Give the analysis as the rest may trust it, whoever made it.

    The score is held to 0..1, unknown tags are dropped, an empty summary falls back to the
    block's content.
    """
    return BlockAnalysis(
        alignment_score=round(min(1.0, max(0.0, analysis.alignment_score)), 4),
        tags=tuple(tag for tag in KNOWN_TAGS if tag in analysis.tags),
        summary=analysis.summary.strip() or block.strip(),
    )


def _align(block: str, cues: frozenset[str], context: SelfContext) -> float:
    if any(containment(principle, block) >= _SHARED_WITH_PRINCIPLE for principle in context.principles):
        return CORE
    if len(cues & _ABOUT_SELF) > 1 and cues & _TOUCHES_SELF:
        return NEAR_IDENTITY
    if cues & _ABOUT_SELF or any(containment(goal, block) >= _SHARED_WITH_GOAL for goal in context.goals):
        return ADJACENT
    return UNRELATED

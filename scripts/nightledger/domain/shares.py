"""How many proposals like one that waits were signed in this home: of the same source, and stated as sure.

Invariant: pure; what nobody decided, or the operator asked for, counts for nothing.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.judge import AGENT, JOB, OPERATOR
from nightledger.domain.proposal import Change, Kind, Proposal
from nightledger.domain.states import ChangeState

MODEL_CHOSE = "a model chose it"
"""Begins the reason of a change that a model chose, also once its operator has put it into other words."""
ENOUGH = 30
"""Decided changes of a source from which a share of them is told."""
BAND_ENOUGH = 10
"""Of these, so many as sure as one that waits; else the share is of all of the source. Our choice: a tenth is then one of them."""
BANDS = 10
_SIGNED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED, ChangeState.UNDONE})
DECIDED = _SIGNED | {ChangeState.REJECTED}


class Source(StrEnum):
    """Who proposed a change."""

    RULES = "rules"
    MODEL = "model"
    OUTCOMES = "outcomes"
    CHECK_UP = "check-up"
    PRUNER = "pruner"
    AGENT = "agent"


class Share(Struct, frozen=True, kw_only=True):
    """What became of changes like one that waits.

    Attributes:
        source: Who proposed them.
        decided: How many the operator answered.
        signed: How many of these were signed; what was taken back later, too.
        reworded: How many of the signed ones in the operator's own words.
    """

    source: Source
    decided: int
    signed: int
    reworded: int

    @property
    def told(self) -> str:
        """It in words: ``you signed 12 of 41 such from the rules (4 reworded)``."""
        words = f" ({self.reworded} reworded)" if self.reworded else ""
        return f"you signed {self.signed} of {self.decided} such from the {self.source}{words}"


def source_of(proposal: Proposal, change: Change) -> Source | None:
    """Return who proposed a change; None for what the operator asked for or wrote, and for drift."""
    if proposal.lane == AGENT:
        return Source.AGENT
    if proposal.lane not in (JOB, OPERATOR):
        return None
    if proposal.kind is Kind.PRUNE:
        return Source.PRUNER if proposal.lane == JOB else Source.CHECK_UP
    if proposal.kind is not Kind.CONSOLIDATE:
        return None
    if any(one.outcome for one in change.evidence):
        return Source.OUTCOMES
    return Source.MODEL if change.reason.startswith(MODEL_CHOSE) else Source.RULES


class Shares:
    """What became of every change that was decided, by source and by how sure it was said to be.

    Args:
        decided: Each with its proposal and its state.
    """

    def __init__(self, decided: Iterable[tuple[Proposal, Change, ChangeState]] = ()) -> None:
        self._counts: dict[tuple[Source, int | None], Counter[str]] = {}
        for proposal, change, state in decided:
            source = source_of(proposal, change)
            if source is None or state not in DECIDED:
                continue
            signed = state in _SIGNED
            for band in (None, _band(change)):
                count = self._counts.setdefault((source, band), Counter())
                count += Counter(decided=1, signed=signed, reworded=signed and bool(proposal.supersedes))

    def of(self, proposal: Proposal, change: Change) -> Share | None:
        """Return what became of changes like this one; None before there are enough of its source."""
        source = source_of(proposal, change)
        if source is None or self._counts.get((source, None), Counter())["decided"] < ENOUGH:
            return None
        alike = self._counts.get((source, _band(change)), Counter())
        told = alike if alike["decided"] >= BAND_ENOUGH else self._counts[source, None]
        return Share(source=source, decided=told["decided"], signed=told["signed"], reworded=told["reworded"])


def _band(change: Change) -> int:
    return min(BANDS - 1, int(change.confidence * BANDS))

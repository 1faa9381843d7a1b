"""One resolution, held against all that happened in its situation.

Invariant: the verdict rests on recorded results in their order in time; what was not
recorded counts for nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nightledger.domain.outcome import Result
from nightledger.domain.pattern import Learning, PatternKind, Recorded, Tally
from nightledger.domain.situation import Situation, name_of, situation_of, without
from nightledger.domain.sources import Sources

MIN_WORKED = 3
"""What worked without a failure before it is worth a sentence from three times on: the published
example of a link that is shown as a prior has three co-occurrences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What speaks for a resolution and what against it.

    Attributes:
        resolution: An identifier.
        situation: What the outcomes in which it succeeded have in common.
        tally: Of the resolution in that situation.
        rivals: Of all others in that situation, most failures first.
        wins: Its successes there, oldest first.
        learned_at: When its successes had enough independent sources; None while they have not.
        relapses: Failures that say that what was learned is wrong, oldest first.
        confidence: 0..1, of its successes and failures there.
    """

    resolution: str
    situation: Situation
    tally: Tally
    rivals: tuple[Tally, ...]
    wins: tuple[Recorded, ...]
    learned_at: datetime | None
    relapses: tuple[Recorded, ...]
    confidence: float


def hold_trial(resolution: str, task: Sequence[Recorded], learning: Learning) -> Trial:
    """Hold a resolution against what happened around it.

    Args:
        resolution: One that succeeded at least once in ``task``.
        task: All outcomes of one task type, oldest first.
        learning: How a pattern is judged.
    """
    won = [r for r in task if name_of(r.outcome) == resolution and r.outcome.outcome is Result.SUCCESS]
    situation = situation_of(won, task)
    wins = tuple(record for record in won if record.outcome.id in situation.ids)
    tallies = situation.tallies()
    tally = next(tally for tally in tallies if tally.resolution == resolution)
    confidence = learning.confidence(tally.successes, tally.failures)
    learned_at = _learned_at(wins, learning)
    trusted = confidence >= learning.trusted
    relapses = (
        _relapses((resolution, situation, wins), learned_at, learning, trusted=trusted) if learned_at else ()
    )
    return Trial(
        resolution=resolution,
        situation=situation,
        tally=tally,
        rivals=tuple(tally for tally in tallies if tally.resolution != resolution),
        wins=wins,
        learned_at=learned_at,
        relapses=relapses,
        confidence=round(confidence, 4),
    )


def kind_of(trial: Trial, learning: Learning) -> PatternKind | None:
    """Say what kind of pattern a trial is; None when nothing recurs or too little speaks for it."""
    if trial.relapses:
        return PatternKind.RELAPSE
    if trial.tally.successes <= trial.tally.failures:
        return None
    before = failures_before(trial)
    if before and (trial.learned_at or _ended(trial, before, learning)):
        return PatternKind.RESOLVED_FAILURE
    if trial.learned_at and trial.tally.successes >= MIN_WORKED:
        return PatternKind.RECURRING_RESOLUTION
    return None


def failures_before(trial: Trial) -> tuple[Recorded, ...]:
    """Give the failures of everything else before the resolution first succeeded."""
    first = trial.wins[0].outcome.timestamp
    return tuple(
        record
        for record in _failures(trial.situation)
        if record.outcome.timestamp < first and name_of(record.outcome) != trial.resolution
    )


def _ended(trial: Trial, before: Sequence[Recorded], learning: Learning) -> bool:
    """Tell whether a failure that recurred was seen no more once this succeeded, even once."""
    first = trial.wins[0].outcome.timestamp
    again = any(record.outcome.timestamp >= first for record in _failures(trial.situation))
    return not again and learning.sources(before) >= learning.min_sources


def _learned_at(wins: Sequence[Recorded], learning: Learning) -> datetime | None:
    sources = Sources(learning.zone, learning.taught)
    for record in wins:
        if sources.add(record.outcome) >= learning.min_sources:
            return record.outcome.timestamp
    return None


def _relapses(
    trial: tuple[str, Situation, Sequence[Recorded]],
    learned_at: datetime,
    learning: Learning,
    *,
    trusted: bool,
) -> tuple[Recorded, ...]:
    """Give what says that the lesson was wrong.

    A failure of the resolution itself does, unless it stays trusted or was learned anew
    since. A failure for which nothing was named may only mean that the lesson was not
    followed: such failures count when they recur and no success of it came after them.
    """
    resolution, situation, wins = trial
    after = [record for record in _failures(situation) if record.outcome.timestamp > learned_at]
    failed = [] if trusted else [record for record in after if name_of(record.outcome) == resolution]
    if failed and learning.sources(_later(wins, failed[-1])) >= learning.min_sources:
        failed = []
    unnamed = [record for record in _later(after, wins[-1]) if not name_of(record.outcome)]
    if learning.sources(unnamed) < learning.min_sources:
        unnamed = []
    return without(after, without(after, (*failed, *unnamed)))


def _failures(situation: Situation) -> list[Recorded]:
    return [record for record in situation.records if record.outcome.outcome is Result.FAILURE]


def _later(records: Sequence[Recorded], than: Recorded) -> list[Recorded]:
    return [record for record in records if record.outcome.timestamp > than.outcome.timestamp]

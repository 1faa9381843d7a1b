"""One resolution, held against all that happened in its situation.

Invariant: the verdict rests on recorded results in their order in time; what was not
recorded counts for nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from nightledger.domain.outcome import Result
from nightledger.domain.pattern import Learning, PatternKind, Recorded, Tally, is_lesson
from nightledger.domain.situation import (
    SETTLED_DAYS,
    Situation,
    Task,
    name_of,
    situation_of,
    task_of,
    without,
)
from nightledger.domain.sources import Sources

LIKELY = 0.5
"""A lesson is more likely right than wrong."""
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
        wins: Its successes there, oldest first; at least one.
        learned_at: When its successes had enough independent sources; None while they have not.
        relapses: Failures that say that the lesson was wrong, oldest first.
        confidence: 0..1, of its successes and failures there, rounded to 4 decimals.
        settled: Whether the agent was active on enough days since it first succeeded.
        accident: Whether all else failed only once there, and with what works for this kind of task.
    """

    resolution: str
    situation: Situation
    tally: Tally
    rivals: tuple[Tally, ...]
    wins: tuple[Recorded, ...]
    learned_at: datetime | None
    relapses: tuple[Recorded, ...]
    confidence: float
    settled: bool
    accident: bool


def hold_trial(resolution: str, task: Task, learning: Learning) -> Trial:
    """Hold a resolution against what happened around it.

    Args:
        resolution: One that succeeded at least once in ``task``.
        task: All outcomes of its task type.
        learning: How a pattern is judged.
    """
    trial = _tried(resolution, task, learning)
    relapses = _relapses(trial, trial.learned_at, learning) if trial.learned_at else ()
    if not relapses or not _was_lesson(resolution, task, relapses[0], learning):
        return trial
    return replace(trial, relapses=relapses)


def kind_of(trial: Trial, learning: Learning) -> PatternKind | None:
    """Say what kind of pattern a trial is; None when nothing recurs or too little speaks for it."""
    if trial.relapses:
        return PatternKind.RELAPSE
    before = failures_before(trial)
    if not trial.learned_at:
        return PatternKind.RESOLVED_FAILURE if _ended(trial, before, learning) else None
    if before and trial.confidence >= LIKELY and _stands_out(trial) and not trial.accident:
        return PatternKind.RESOLVED_FAILURE
    usual = trial.tally.successes > sum(rival.successes for rival in trial.rivals)
    if usual and trial.tally.successes >= MIN_WORKED and trial.confidence >= learning.trusted:
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


def _tried(resolution: str, task: Task, learning: Learning) -> Trial:
    won = [
        r for r in task.records if name_of(r.outcome) == resolution and r.outcome.outcome is Result.SUCCESS
    ]
    situation = situation_of(won, task)
    wins = tuple(record for record in won if record.outcome.id in situation.ids)
    tallies = situation.tallies()
    tally = next(tally for tally in tallies if tally.resolution == resolution)
    rivals = tuple(tally for tally in tallies if tally.resolution != resolution)
    return Trial(
        resolution=resolution,
        situation=situation,
        tally=tally,
        rivals=rivals,
        wins=wins,
        learned_at=_learned_at(wins, learning),
        relapses=(),
        confidence=round(learning.confidence(tally.successes, tally.failures), 4),
        settled=task.days_since(learning.days(wins[:1])[0]) >= SETTLED_DAYS,
        accident=_is_accident(rivals, task),
    )


def _is_accident(rivals: Sequence[Tally], task: Task) -> bool:
    failed = [rival for rival in rivals if rival.failures]
    if sum(rival.failures for rival in failed) != 1:
        return False
    return any(
        name_of(record.outcome) == failed[0].resolution and record.outcome.outcome is Result.SUCCESS
        for record in task.records
    )


def _stands_out(trial: Trial) -> bool:
    """Tell whether everything else failed at least as often as it worked.

    Where most things work, a success after a failure says nothing about what was done.
    """
    return sum(rival.failures for rival in trial.rivals) >= sum(rival.successes for rival in trial.rivals)


def _ended(trial: Trial, before: Sequence[Recorded], learning: Learning) -> bool:
    """Tell whether a failure that recurred was seen no more once this succeeded, even once.

    It is given some active days first: to come back, or to be resolved in the same way again.
    """
    if learning.sources(before) < learning.min_sources or not (trial.settled and _stands_out(trial)):
        return False
    first = trial.wins[0].outcome.timestamp
    return all(record.outcome.timestamp < first for record in _failures(trial.situation))


def _learned_at(wins: Sequence[Recorded], learning: Learning) -> datetime | None:
    sources = Sources(learning.zone, learning.taught)
    for record in wins:
        if sources.add(record.outcome) >= learning.min_sources:
            return record.outcome.timestamp
    return None


def _relapses(trial: Trial, learned_at: datetime, learning: Learning) -> tuple[Recorded, ...]:
    """Give what would say that a lesson was wrong, oldest first.

    A failure of the resolution itself does, unless it stays trusted or was learned anew
    since. A failure for which nothing was named may only mean that the lesson was not
    followed: such failures count when they recur and no success of it came after them.
    """
    after = [record for record in _failures(trial.situation) if record.outcome.timestamp > learned_at]
    failed = [record for record in after if name_of(record.outcome) == trial.resolution]
    anew = failed and learning.sources(_later(trial.wins, failed[-1])) >= learning.min_sources
    if anew or trial.confidence >= learning.trusted:
        failed = []
    unnamed = [record for record in _later(after, trial.wins[-1]) if not name_of(record.outcome)]
    if learning.sources(unnamed) < learning.min_sources:
        unnamed = []
    return without(after, without(after, (*failed, *unnamed)))


def _was_lesson(resolution: str, task: Task, relapse: Recorded, learning: Learning) -> bool:
    """Tell whether the resolution was a lesson until then; else there was nothing to be wrong."""
    until = [record for record in task.records if record.outcome.timestamp < relapse.outcome.timestamp]
    day = learning.days([relapse])[0]
    active_days = tuple(active for active in task.active_days if active < day)
    trial = _tried(resolution, task_of(until, active_days), learning)
    kind = kind_of(trial, learning)
    return kind is not None and is_lesson(kind, trial.rivals)


def _failures(situation: Situation) -> list[Recorded]:
    return [record for record in situation.records if record.outcome.outcome is Result.FAILURE]


def _later(records: Sequence[Recorded], than: Recorded) -> list[Recorded]:
    return [record for record in records if record.outcome.timestamp > than.outcome.timestamp]

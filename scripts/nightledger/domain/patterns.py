"""Find what recurs in outcomes: failures, what resolved them, what works.

Invariant: only recorded results count. A failure after which nothing was heard is not
resolved; a pattern stands on at least two independent sources; a resolution that failed
after it was learned is said to be wrong, until it is learned anew.

Procedures: what one resolution did for one kind of task, again and again, without a failure since.

Invariant: a procedure stands on three independent sources, and no result that a tool, a web page or a group told counts
for one; against it every result counts.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.lessons import (
    lesson_scope,
    relapse_sentence,
    span,
    success_sentence,
    times,
    where,
)
from nightledger.domain.outcome import SHOWN_FROM, Result, confidence
from nightledger.domain.pattern import (
    SETTLED_DAYS,
    Learning,
    Pattern,
    PatternKind,
    Recorded,
    Situation,
    Sources,
    Tally,
    Task,
    is_lesson,
    mostly_same,
    situation_of,
    task_of,
    without,
)
from nightledger.domain.proposal import Origin, Scope

LIKELY = 0.5
"""A lesson is more likely right than wrong."""
MIN_WORKED = 3
"""What worked without a failure before it is worth a sentence from three times on: the published
example of a link that is shown as a prior has three co-occurrences."""


class Trial(Struct, frozen=True, kw_only=True):
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
    if usual and trial.tally.successes >= MIN_WORKED and trial.confidence >= SHOWN_FROM:
        return PatternKind.RECURRING_RESOLUTION
    return None


def failures_before(trial: Trial) -> tuple[Recorded, ...]:
    """Give the failures of everything else before the resolution first succeeded."""
    first = trial.wins[0].at
    return tuple(
        record
        for record in _failures(trial.situation)
        if record.at < first and record.name != trial.resolution
    )


def _tried(resolution: str, task: Task, learning: Learning) -> Trial:
    won = [r for r in task.records if r.name == resolution and r.result is Result.SUCCESS]
    situation = situation_of(won, task)
    wins = tuple(record for record in won if record.id in situation.ids)
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
        confidence=round(confidence(tally.successes, tally.failures), 4),
        settled=task.days_since(learning.days(wins[:1])[0]) >= SETTLED_DAYS,
        accident=_is_accident(rivals, task),
    )


def _is_accident(rivals: Sequence[Tally], task: Task) -> bool:
    failed = [rival for rival in rivals if rival.failures]
    if sum(rival.failures for rival in failed) != 1:
        return False
    return any(
        record.name == failed[0].resolution and record.result is Result.SUCCESS for record in task.records
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
    first = trial.wins[0].at
    return all(record.at < first for record in _failures(trial.situation))


def _learned_at(wins: Sequence[Recorded], learning: Learning) -> datetime | None:
    sources = Sources(learning.zone)
    for record in wins:
        if sources.add(record.outcome) >= learning.min_sources:
            return record.at
    return None


def _relapses(trial: Trial, learned_at: datetime, learning: Learning) -> tuple[Recorded, ...]:
    """Give what would say that a lesson was wrong, oldest first.

    A failure of the resolution itself does, unless it stays trusted or was learned anew
    since. A failure for which nothing was named may only mean that the lesson was not
    followed: such failures count when they recur and no success of it came after them.
    """
    after = [record for record in _failures(trial.situation) if record.at > learned_at]
    failed = [record for record in after if record.name == trial.resolution]
    anew = failed and learning.sources(_later(trial.wins, failed[-1])) >= learning.min_sources
    if anew or trial.confidence >= SHOWN_FROM:
        failed = []
    unnamed = [record for record in _later(after, trial.wins[-1]) if not record.name]
    if learning.sources(unnamed) < learning.min_sources:
        unnamed = []
    return without(after, without(after, (*failed, *unnamed)))


def _was_lesson(resolution: str, task: Task, relapse: Recorded, learning: Learning) -> bool:
    """Tell whether the resolution was a lesson until then; else there was nothing to be wrong."""
    until = [record for record in task.records if record.at < relapse.at]
    trial = _tried(resolution, task_of(until, task.active_days), learning)
    kind = kind_of(trial, learning)
    return kind is not None and is_lesson(kind, trial.rivals)


def _failures(situation: Situation) -> list[Recorded]:
    return [record for record in situation.records if record.result is Result.FAILURE]


def _later(records: Sequence[Recorded], than: Recorded) -> list[Recorded]:
    return [record for record in records if record.at > than.at]


MAX_TRIALS = 64
"""Bound on the work that forged records of one task type can cause; the most successful are tried."""


def find_patterns(
    records: Iterable[Recorded], learning: Learning, *, task_types: Collection[str] | None = None
) -> tuple[Pattern, ...]:
    """Find every pattern, the most worth an operator's time first.

    Args:
        records: Outcomes in any order; of equal ids the first counts.
        learning: How a pattern is judged.
        task_types: Look at these alone, such as those of which there are new outcomes; None
            looks at all. What is found about one of them is the same either way.
    """
    found = [
        pattern
        for task in by_task_type(records, learning)
        if task_types is None or task.task_type in task_types
        if learning.sources(task.records) >= learning.min_sources
        for pattern in _of_task(task, learning)
    ]
    return tuple(sorted(found, key=lambda pattern: (-pattern.rank, pattern.key)))


def by_task_type(records: Iterable[Recorded], learning: Learning) -> list[Task]:
    """Return outcomes by kind of task; of equal ids the first counts."""
    tasks: dict[str, dict[str, Recorded]] = {}
    for record in records:
        tasks.setdefault(record.outcome.task_type, {}).setdefault(record.id, record)
    days = {day for task in tasks.values() for day in learning.days(task.values())}
    active_days = tuple(sorted(days))
    return [task_of(task.values(), active_days) for _, task in sorted(tasks.items())]


def _of_task(task: Task, learning: Learning) -> list[Pattern]:
    """Find the patterns of one task type."""
    trials = [hold_trial(resolution, task, learning) for resolution in most_successful(task)]
    judged = [(trial, kind) for trial in trials if (kind := kind_of(trial, learning))]
    kept = _distinct(judged)
    return [_of_trial(trial, kind, task, learning) for trial, kind in kept]


def most_successful(task: Task) -> list[str]:
    """Name the resolutions that succeeded, the most successful first; of equals, the newest."""
    wins: dict[str, tuple[int, int]] = {}
    for place, record in enumerate(task.records):
        name = record.name
        if name and record.result is Result.SUCCESS:
            wins[name] = (wins.get(name, (0, 0))[0] + 1, place)
    return sorted(wins, key=lambda name: wins[name], reverse=True)[:MAX_TRIALS]


def _distinct(judged: Sequence[tuple[Trial, PatternKind]]) -> list[tuple[Trial, PatternKind]]:
    """Keep every relapse, and of the lessons about one situation the best."""
    kept = [(trial, kind) for trial, kind in judged if kind is PatternKind.RELAPSE]
    lessons: list[tuple[Trial, PatternKind]] = []
    for trial, kind in sorted(judged, key=lambda item: (-item[0].confidence, -item[0].tally.successes)):
        if kind is not PatternKind.RELAPSE and all(
            not mostly_same(trial.situation, better.situation) for better, _ in lessons
        ):
            lessons.append((trial, kind))
    return kept + lessons


def _of_trial(trial: Trial, kind: PatternKind, task: Task, learning: Learning) -> Pattern:
    situation = trial.situation
    first = trial.relapses if kind is PatternKind.RELAPSE else trial.wins
    records = _newest_first(first, situation)
    rivals = [rival.resolution for rival in trial.rivals if rival.resolution]
    obsolete = [_key(PatternKind.RESOLVED_FAILURE, situation, rival) for rival in rivals]
    if kind is PatternKind.RELAPSE:
        obsolete = [_key(PatternKind.RESOLVED_FAILURE, situation, trial.resolution)]
    return Pattern(
        kind=kind,
        key=_key(kind, situation, trial.resolution),
        tags=situation.tags,
        rivals=trial.rivals,
        sources=learning.sources(records),
        days=_days(records, learning),
        records=records,
        confidence=round(1 - trial.confidence, 4) if kind is PatternKind.RELAPSE else trial.confidence,
        sentence=_sentence(trial, kind, learning),
        scope=lesson_scope(trial.resolution, situation, task),
        replaces=tuple(obsolete),
    )


def _newest_first(first: Sequence[Recorded], situation: Situation) -> tuple[Recorded, ...]:
    """Give what shows a pattern, then all else: a proposal has room for some, and the newest are news."""
    return (*reversed(first), *reversed(without(situation.records, first)))


def _sentence(trial: Trial, kind: PatternKind, learning: Learning) -> str:
    if kind is PatternKind.RELAPSE:
        since = trial.relapses[0].at
        worked = [record for record in trial.wins if record.at < since]
        return relapse_sentence(
            trial.situation, trial.resolution, learning.days(worked), learning.days(trial.relapses)
        )
    verb = "resolved it" if kind is PatternKind.RESOLVED_FAILURE else "works"
    return success_sentence(trial.situation, trial.tally, verb, trial.rivals, learning.days(trial.wins))


def _days(records: Iterable[Recorded], learning: Learning) -> tuple[date, ...]:
    return tuple(sorted(set(learning.days(records))))


def _key(kind: PatternKind, situation: Situation, resolution: str) -> str:
    """Name a pattern so that more outcomes of the same kind do not make it a new one."""
    word = "relapse" if kind is PatternKind.RELAPSE else "lesson"
    return f"{word} {situation.task_type} {resolution}"


MIN_SOURCES = 3
"""Sessions, or days where none is told, in which it worked (issue 24)."""
_TOLD_BY = frozenset({None, Origin.UNKNOWN, Origin.AGENT, Origin.OWNER})


class Procedure(Struct, frozen=True, kw_only=True):
    """A resolution that is worth a skill, where somebody wrote down how it is done.

    Attributes:
        key: Names it however its counts grow; equal keys are one statement to suppression.
        resolution: The resolution.
        sources: Independent sources behind it.
        wins: Its successes since it last failed, the oldest first.
        failed: When it last failed itself; None for never. What failed is no procedure any more until it is due anew.
        applies: When it applies: ``publish_site with hugo + netlify``; empty where it is not due, as are the next two.
        reason: What speaks for it, for its operator.
        scope: What would speak against it.
    """

    key: str
    resolution: str
    sources: int
    wins: tuple[Recorded, ...]
    failed: Recorded | None = None
    applies: str = ""
    reason: str = ""
    scope: Scope = Scope()

    @property
    def is_due(self) -> bool:
        """Whether it worked often enough."""
        return self.sources >= MIN_SOURCES


def find_procedures(
    records: Iterable[Recorded], learning: Learning, *, task_types: Collection[str]
) -> tuple[Procedure, ...]:
    """Return every procedure of some kinds of task, that of most sources first; some may not be due any more.

    Args:
        records: Outcomes in any order; of equal ids the first counts.
        learning: How sources are counted.
        task_types: The kinds of task, such as those of which there are new outcomes.
    """
    tasks = [task for task in by_task_type(records, learning) if task.task_type in task_types]
    found = [_procedure(name, task, learning) for task in tasks for name in most_successful(task)]
    return tuple(sorted(found, key=lambda one: (-one.sources, one.key)))


def _procedure(name: str, task: Task, learning: Learning) -> Procedure:
    wins = _wins(name, task)
    failures = [r for r in task.records if r.result is Result.FAILURE and r.name == name]
    bare = Procedure(
        key=f"skill {task.task_type} {name}",
        resolution=name,
        sources=learning.sources(wins),
        wins=wins,
        failed=failures[-1] if failures else None,
    )
    if not bare.is_due:
        return bare
    situation, days = situation_of(wins, task), span(learning.days(wins))
    told = f"worked {times(len(wins))}, in {bare.sources} sessions or days, {days}, and has not failed since"
    return replace(
        bare,
        applies=where(situation),
        reason=f"{name} {told}",
        scope=lesson_scope(name, situation, task),
    )


def _wins(name: str, task: Task) -> tuple[Recorded, ...]:
    """Return what succeeded since the last failure of a resolution; one for which nothing is named may be its own."""
    failed = [r.at for r in task.records if r.result is Result.FAILURE and r.name in ("", name)]
    return tuple(
        record
        for record in task.records
        if record.name == name and record.result is Result.SUCCESS and record.outcome.origin in _TOLD_BY
        if not failed or record.at > failed[-1]
    )

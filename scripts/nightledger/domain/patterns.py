"""Find what recurs in outcomes: failures, what resolved them, what works, what comes again.

Invariant: only recorded results count. A failure after which nothing was heard is not
resolved; a pattern stands on at least two independent sources; a resolution that failed
after it was learned is said to be wrong, until it is learned anew.
"""

from collections.abc import Collection, Iterable, Sequence

from nightledger.domain import pattern_words as words
from nightledger.domain.outcome import Result
from nightledger.domain.pattern import MIN_FAILED, Learning, Pattern, PatternKind, Recorded, Tally, seen_in
from nightledger.domain.proposal import Scope
from nightledger.domain.situation import (
    SETTLED_DAYS,
    Situation,
    Task,
    mostly_same,
    name_of,
    narrow,
    situation_of,
    split_by_tag,
    task_of,
    without,
)
from nightledger.domain.trial import Trial, hold_trial, kind_of

MAX_TRIALS = 64
"""Bound on the work that forged records of one task type can cause; the most successful are tried."""
MIN_TASKS = 3


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
        for task in _by_task_type(records, learning)
        if task_types is None or task.task_type in task_types
        if learning.sources(task.records) >= learning.min_sources
        for pattern in _of_task(task, learning)
    ]
    return tuple(sorted(found, key=lambda pattern: (-pattern.rank, pattern.key)))


def _by_task_type(records: Iterable[Recorded], learning: Learning) -> list[Task]:
    tasks: dict[str, dict[str, Recorded]] = {}
    for record in records:
        tasks.setdefault(record.outcome.task_type, {}).setdefault(record.outcome.id, record)
    days = {day for task in tasks.values() for day in learning.days(task.values())}
    active_days = tuple(sorted(days))
    return [task_of(task.values(), active_days) for _, task in sorted(tasks.items())]


def _of_task(task: Task, learning: Learning) -> list[Pattern]:
    """Find the patterns of one task type; its bare count only where there is no other."""
    trials = [hold_trial(resolution, task, learning) for resolution in _most_successful(task)]
    judged = [(trial, kind) for trial in trials if (kind := kind_of(trial, learning))]
    kept = _distinct(judged)
    explained = frozenset[str]().union(*(trial.situation.ids for trial, _ in kept))
    left = [record for record in task.records if record.outcome.id not in explained]
    found = [_of_trial(trial, kind, task, learning) for trial, kind in kept] + _failures(left, task, learning)
    return found or _recurring_task(task, learning)


def _most_successful(task: Task) -> list[str]:
    """Name the resolutions that succeeded, the most successful first; of equals, the newest."""
    wins: dict[str, tuple[int, int]] = {}
    for place, record in enumerate(task.records):
        name = name_of(record.outcome)
        if name and record.outcome.outcome is Result.SUCCESS:
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
        task_type=situation.task_type,
        tags=situation.tags,
        tally=trial.tally,
        rivals=trial.rivals,
        seen=seen_in(records, learning),
        records=records,
        confidence=round(1 - trial.confidence, 4) if kind is PatternKind.RELAPSE else trial.confidence,
        sentence=_sentence(trial, kind, learning),
        scope=words.lesson_scope(trial.resolution, situation, task),
        replaces=(*obsolete, _key(PatternKind.RECURRING_FAILURE, situation, "")),
    )


def _newest_first(first: Sequence[Recorded], situation: Situation) -> tuple[Recorded, ...]:
    """Give what shows a pattern, then all else: a proposal has room for some, and the newest are news."""
    return (*reversed(first), *reversed(without(situation.records, first)))


def _sentence(trial: Trial, kind: PatternKind, learning: Learning) -> str:
    if kind is PatternKind.RELAPSE:
        since = trial.relapses[0].outcome.timestamp
        worked = [record for record in trial.wins if record.outcome.timestamp < since]
        return words.relapse_sentence(
            trial.situation, trial.resolution, learning.days(worked), learning.days(trial.relapses)
        )
    say = words.resolved_sentence if kind is PatternKind.RESOLVED_FAILURE else words.works_sentence
    return say(trial.situation, trial.tally, trial.rivals, learning.days(trial.wins))


def _failures(left: Sequence[Recorded], task: Task, learning: Learning) -> list[Pattern]:
    """Find failures that recur and that no lesson explains, by what their tags have in common."""
    failed = [record for record in left if record.outcome.outcome is Result.FAILURE]
    parts = split_by_tag(failed, task) if failed else []
    found = [_failure(situation_of(part, task), task, learning) for part in parts]
    return [pattern for pattern in found if pattern]


def _failure(situation: Situation, task: Task, learning: Learning) -> Pattern | None:
    failed = [record for record in situation.records if record.outcome.outcome is Result.FAILURE]
    last_failed = failed[-1].outcome.timestamp
    worked = [record for record in situation.records if record.outcome.outcome is Result.SUCCESS]
    ended = any(record.outcome.timestamp > last_failed for record in worked)
    if (
        ended
        or len(failed) < max(MIN_FAILED, len(worked) + 1)
        or learning.sources(failed) < learning.min_sources
    ):
        return None
    if task.days_since(min(learning.days(failed))) < SETTLED_DAYS:
        return None
    return Pattern(
        kind=PatternKind.RECURRING_FAILURE,
        key=_key(PatternKind.RECURRING_FAILURE, situation, ""),
        task_type=situation.task_type,
        tags=situation.tags,
        tally=_total(situation.records),
        rivals=situation.tallies(),
        seen=seen_in(failed, learning),
        records=_newest_first(failed, situation),
        confidence=round(learning.confidence(len(failed), len(worked)), 4),
        sentence=words.failure_sentence(situation, len(failed), situation.tallies(), learning.days(failed)),
        scope=words.failure_scope(situation),
    )


def _recurring_task(task: Task, learning: Learning) -> list[Pattern]:
    if len(task.records) < MIN_TASKS:
        return []
    situation = narrow(task, ())
    tally = _total(task.records)
    return [
        Pattern(
            kind=PatternKind.RECURRING_TASK,
            key=_key(PatternKind.RECURRING_TASK, situation, ""),
            task_type=task.task_type,
            tags=(),
            tally=tally,
            rivals=situation.tallies(),
            seen=seen_in(task.records, learning),
            records=task.records,
            confidence=0.0,
            sentence=words.task_sentence(task.task_type, tally, learning.days(task.records)),
            scope=Scope(),
        )
    ]


def _total(records: Sequence[Recorded]) -> Tally:
    results = [record.outcome.outcome for record in records]
    return Tally(
        resolution="",
        successes=results.count(Result.SUCCESS),
        partials=results.count(Result.PARTIAL),
        failures=results.count(Result.FAILURE),
    )


def _key(kind: PatternKind, situation: Situation, resolution: str) -> str:
    """Name a pattern so that more outcomes of the same kind do not make it a new one."""
    if kind in (PatternKind.RESOLVED_FAILURE, PatternKind.RECURRING_RESOLUTION):
        return f"lesson {situation.task_type} {resolution}"
    if kind is PatternKind.RELAPSE:
        return f"relapse {situation.task_type} {resolution}"
    return " ".join((kind.value, situation.task_type, *situation.tags))

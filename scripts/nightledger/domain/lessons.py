"""From what recurs in outcomes to drafts: the lessons that an operator may sign, and the procedures that are worth a skill.

Invariant: a pattern is made of identifiers, numbers and days only; nothing that an agent wrote freely (``note``) gets into
it. A lesson names every outcome that it rests on, up to a bound that the reason states; a pattern seen once, or only
counted, makes no draft.

Invariant: a procedure, what one resolution did for one kind of task again and again without a failure since, stands on
three independent sources, and no result that a tool, a web page or a group told counts for one; against it every result
counts.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.outcome import OutcomeEvidence, Result
from nightledger.domain.patterns import (
    Learning,
    PatternKind,
    Recorded,
    Situation,
    Tally,
    Task,
    Trial,
    by_task_type,
    hold_trial,
    is_lesson,
    kind_of,
    most_successful,
    mostly_same,
    shared_tags,
    situation_of,
    without,
)
from nightledger.domain.proposal import Draft, Evidence, Flag, Op, Origin, Scope, least_trusted
from nightledger.domain.words import count_of

MAX_RIVALS = 3
"""How many other resolutions a sentence names. Our choice."""
OUTCOMES_PATH = "memory/system/outcome-records.jsonl"
MAX_EVIDENCE = 12
"""Places shown for one lesson; its counts are exact whatever this is."""
MAX_LOOKED = 64
"""Places that are looked at for one lesson until one is found to be there."""
Holds = Callable[[OutcomeEvidence], bool]
MIN_SOURCES = 3
"""Sessions, or days where none is told, in which it worked (issue 24)."""
_TOLD_BY = frozenset({None, Origin.UNKNOWN, Origin.AGENT, Origin.OWNER})


class Pattern(Struct, frozen=True, kw_only=True):
    """Something that recurs in outcomes.

    Attributes:
        kind: What recurs.
        key: Names it however its counts grow; equal keys are one statement to suppression.
        tags: What its situation shares, sorted, at most three; with its kind of task the exact
            rule by which its outcomes were counted.
        is_lesson: Whether there is something to remember.
        sources: Independent sources behind it.
        days: Distinct log days on which it was seen, ascending.
        records: The outcomes behind it: what shows it first, then all else in its situation; the newest of each first.
        confidence: 0..1, rounded to 4 decimals.
        sentence: The entry to propose.
        scope: What would change its mind.
        replaces: Keys of patterns that it makes obsolete where they stand as entries.
    """

    kind: PatternKind
    key: str
    tags: tuple[str, ...]
    is_lesson: bool
    sources: int
    days: tuple[date, ...]
    records: tuple[Recorded, ...]
    confidence: float
    sentence: str
    scope: Scope
    replaces: tuple[str, ...] = ()

    @property
    def rank(self) -> float:
        """How much it is worth an operator's time, 0..1, rounded to 4 decimals."""
        base, weight = _RANKS[self.kind]
        return round(base + weight * self.confidence, 4)


_RANKS = {
    PatternKind.RELAPSE: (0.95, 0.05),
    PatternKind.RESOLVED_FAILURE: (0.6, 0.35),
    PatternKind.RECURRING_RESOLUTION: (0.35, 0.3),
}
"""A wrong lesson in memory comes first, then lessons, then warnings, then what works anyway. Our choice."""


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


def _of_task(task: Task, learning: Learning) -> list[Pattern]:
    """Find the patterns of one task type."""
    trials = [hold_trial(resolution, task, learning) for resolution in most_successful(task)]
    judged = [(trial, kind) for trial in trials if (kind := kind_of(trial, learning))]
    kept = _distinct(judged)
    return [_of_trial(trial, kind, task, learning) for trial, kind in kept]


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
        obsolete = [_key(PatternKind.RESOLVED_FAILURE, situation, trial.tally.resolution)]
    return Pattern(
        kind=kind,
        key=_key(kind, situation, trial.tally.resolution),
        tags=situation.tags,
        is_lesson=is_lesson(kind, trial.rivals),
        sources=learning.sources(records),
        days=tuple(sorted(set(learning.days(records)))),
        records=records,
        confidence=round(1 - trial.confidence, 4) if kind is PatternKind.RELAPSE else trial.confidence,
        sentence=lesson_sentence(trial, kind, learning),
        scope=lesson_scope(trial.tally.resolution, situation, task),
        replaces=tuple(obsolete),
    )


def _newest_first(first: Sequence[Recorded], situation: Situation) -> tuple[Recorded, ...]:
    """Give what shows a pattern, then all else: a proposal has room for some, and the newest are news."""
    return (*reversed(first), *reversed(without(situation.records, first)))


def _key(kind: PatternKind, situation: Situation, resolution: str) -> str:
    """Name a pattern so that more outcomes of the same kind do not make it a new one."""
    word = "relapse" if kind is PatternKind.RELAPSE else "lesson"
    return f"{word} {situation.task_type} {resolution}"


def where(situation: Situation) -> str:
    """Name a situation: ``debug_cron with cron + timezone``."""
    tags = " + ".join(situation.tags)
    return f"{situation.task_type} with {tags}" if tags else situation.task_type


def times(n: int) -> str:
    """Say a count: ``once``, ``3 times``."""
    return "once" if n == 1 else f"{n} times"


def span(days: Sequence[date]) -> str:
    """Say from when to when: ``2026-02-10 to 2026-02-28``, one day alone as it is."""
    first, last = min(days), max(days)
    return first.isoformat() if first == last else f"{first.isoformat()} to {last.isoformat()}"


def lesson_sentence(trial: Trial, kind: PatternKind, learning: Learning) -> str:
    """Say what resolved a failure, the lesson, or what works again and again; or that what was learned no longer holds."""
    head = f"{where(trial.situation)}: {trial.tally.resolution}"
    if kind is PatternKind.RELAPSE:
        worked = learning.days(record for record in trial.wins if record.at < trial.relapses[0].at)
        failed = learning.days(trial.relapses)
        then = f"then it failed {times(len(failed))} ({span(failed)}); do not rely on it."
        return f"{head} resolved it {times(len(worked))} ({span(worked)}), {then}"
    tally, days = trial.tally, learning.days(trial.wins)
    verb = "resolved it" if kind is PatternKind.RESOLVED_FAILURE else "works"
    share = f"{tally.successes} of {tally.successes + tally.partials + tally.failures}, {span(days)}"
    others = _others(trial.rivals)
    return f"{head} {verb} ({share}); {others}." if others else f"{head} {verb} ({share})."


def lesson_scope(resolution: str, situation: Situation, task: Task) -> Scope:
    """Say what speaks against a lesson, and where its rivals worked.

    Args:
        resolution: What the lesson recommends.
        situation: Where it holds.
        task: All outcomes of its task type.
    """
    ours = [record for record in task.records if record.name == resolution]
    failed = [record for record in ours if record.result is Result.FAILURE]
    others = [
        record
        for record in task.records
        if record.result is Result.SUCCESS and record.name not in ("", resolution)
    ]
    fails_when = (
        f"{resolution} failed {times(len(failed))}{_at(failed, task)}"
        if failed
        else (f"not seen; a failure of {resolution} in {where(situation)} would speak against it")
    )
    return Scope(fails_when=fails_when, fine_when="; ".join(_worked(others, task)))


def _others(rivals: Sequence[Tally]) -> str:
    named = [rival for rival in rivals if rival.resolution]
    parts = [_what_became(rival) for rival in named[:MAX_RIVALS]]
    rest = sum(rival.failures for rival in named[MAX_RIVALS:])
    if rest:
        parts.append(f"others failed {times(rest)}")
    unnamed = sum(rival.failures for rival in rivals if not rival.resolution)
    if unnamed:
        parts.append(f"it failed {times(unnamed)} with nothing named as tried")
    return ", ".join(parts)


def _what_became(tally: Tally) -> str:
    said = [
        f"{verb} {times(n)}"
        for verb, n in (
            ("failed", tally.failures),
            ("worked", tally.successes),
            ("helped in part", tally.partials),
        )
        if n
    ]
    return f"{tally.resolution} {' and '.join(said)}"


def _worked(records: Iterable[Recorded], task: Task) -> list[str]:
    by_name: dict[str, list[Recorded]] = {}
    for record in records:
        by_name.setdefault(record.name, []).append(record)
    most = sorted(by_name.items(), key=lambda item: (-len(item[1]), item[0]))
    return [f"{name} worked {times(len(worked))}{_at(worked, task)}" for name, worked in most[:MAX_RIVALS]]


def _at(records: Sequence[Recorded], task: Task) -> str:
    tags = shared_tags(records, task)
    return f" with {' + '.join(tags)}" if tags else ""


class Standing(Struct, frozen=True, kw_only=True):
    """A lesson that came through the gate and stands in the file now.

    Attributes:
        key: Key of the pattern that it was made of.
        text: Its exact lines.
        line: Its first line, from 1.
        section: Heading path.
        entry: Its id.
    """

    key: str
    text: str
    line: int
    section: tuple[str, ...]
    entry: str | None = None


def lesson_drafts(
    patterns: Iterable[Pattern],
    *,
    target: str,
    section: tuple[str, ...],
    standing: Sequence[Standing],
    holds: Holds,
) -> list[Draft]:
    """Give a draft for each pattern that is worth remembering.

    That a lesson was wrong is worth saying where that lesson stands, and nowhere else.

    Args:
        patterns: As ``find_patterns`` gives them.
        target: Gated file.
        section: Where lessons belong.
        standing: Lessons of earlier patterns that stand in the file now.
        holds: Tells whether the evidence that an outcome names is there.
    """
    known = {lesson.key for lesson in standing}
    return [
        _draft(pattern, target, section, standing, holds)
        for pattern in patterns
        if pattern.is_lesson and (pattern.kind is not PatternKind.RELAPSE or known & set(pattern.replaces))
    ]


def _draft(
    pattern: Pattern, target: str, section: tuple[str, ...], standing: Sequence[Standing], holds: Holds
) -> Draft:
    old = next((s for s in standing if s.key in pattern.replaces), None)
    return Draft(
        op=Op.REPLACE if old else Op.ADD,
        target=target,
        section=old.section if old else section,
        before=old.text if old else "",
        line=old.line if old else 0,
        after=f"- {pattern.sentence}",
        reason=_reason(pattern),
        evidence=tuple(outcome_evidence(record) for record in pattern.records[:MAX_EVIDENCE]),
        confidence=pattern.confidence,
        rank=pattern.rank,
        statement_key=pattern.key,
        scope=pattern.scope,
        flags=_flags(pattern, holds),
        entry=old.entry if old else None,
    )


def _reason(pattern: Pattern) -> str:
    first, last = pattern.days[0], pattern.days[-1]
    when = f"on {first}" if first == last else f"from {first} to {last}"
    outcomes = count_of(len(pattern.records), "outcome")
    return (
        f"{pattern.kind.value.replace('_', ' ')}: {outcomes} of {pattern.sources} independent sources, {when}"
    )


def outcome_evidence(record: Recorded) -> Evidence:
    """Return an outcome as the evidence that it is."""
    return Evidence(
        path=OUTCOMES_PATH,
        lines=(record.line, record.line),
        sha256=record.sha256,
        origin=least_trusted((Origin.AGENT, record.outcome.origin or Origin.UNKNOWN)),
        outcome=record.id,
    )


def _flags(pattern: Pattern, holds: Holds) -> tuple[Flag, ...]:
    named = [item for record in pattern.records for item in record.outcome.evidence]
    if any(map(holds, named[:MAX_LOOKED])):
        return ()
    these = "evidence named" if len(named) <= MAX_LOOKED else f"first {MAX_LOOKED} pieces of evidence named"
    what = f"none of the {these} is there as it says" if named else "no outcome behind it points to evidence"
    return (Flag(rule="unattested", message=f"{what}; it is the reporter's word"),)


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
        bare, applies=where(situation), reason=f"{name} {told}", scope=lesson_scope(name, situation, task)
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

"""From patterns in outcomes to drafts: the lessons that an operator may sign.

Invariant: a lesson names every outcome that it rests on, up to a bound that the reason
states; a pattern seen once, or only counted, makes no draft.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from msgspec import Struct

from nightledger.domain.outcome import OutcomeEvidence, Result
from nightledger.domain.pattern import (
    Pattern,
    PatternKind,
    Recorded,
    Situation,
    Tally,
    Task,
    shared_tags,
)
from nightledger.domain.proposal import Draft, Evidence, Flag, Op, Origin, Scope, least_trusted
from nightledger.domain.words import count_of

MAX_RIVALS = 3
"""How many other resolutions a sentence names. Our choice."""


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


def success_sentence(
    situation: Situation, tally: Tally, verb: str, rivals: Sequence[Tally], days: Sequence[date]
) -> str:
    """Say what resolved a failure, the lesson, or what works again and again.

    Args:
        situation: Where.
        tally: Of the resolution.
        verb: ``resolved it``, ``works``.
        rivals: Of the others tried there.
        days: Log days on which it succeeded.
    """
    share = f"{tally.successes} of {tally.successes + tally.partials + tally.failures}, {span(days)}"
    return _sentence(f"{where(situation)}: {tally.resolution} {verb} ({share})", _others(rivals))


def relapse_sentence(
    situation: Situation, resolution: str, worked: Sequence[date], failed: Sequence[date]
) -> str:
    """Say that a learned resolution no longer holds.

    Args:
        situation: Where.
        resolution: The resolution.
        worked: Log days on which it succeeded before; one for each success.
        failed: Log days of the failures since; one for each failure.
    """
    head = f"{where(situation)}: {resolution} resolved it {times(len(worked))} ({span(worked)})"
    return f"{head}, then it failed {times(len(failed))} ({span(failed)}); do not rely on it."


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


def _sentence(head: str, others: str) -> str:
    return f"{head}; {others}." if others else f"{head}."


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


OUTCOMES_PATH = "memory/system/outcome-records.jsonl"
MAX_EVIDENCE = 12
"""Places shown for one lesson; its counts are exact whatever this is."""

MAX_LOOKED = 64
"""Places that are looked at for one lesson until one is found to be there."""
Holds = Callable[[OutcomeEvidence], bool]


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

"""The sentences of patterns: short, exact, from identifiers, numbers and days alone.

Invariant: every number in a sentence can be counted again from the outcomes by the rule
that its first words name.
"""

from collections.abc import Iterable, Sequence
from datetime import date

from nightledger.domain.outcome import Result
from nightledger.domain.pattern import Recorded, Tally
from nightledger.domain.proposal import Scope
from nightledger.domain.situation import Situation, Task, name_of, shared_tags

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


def resolved_sentence(
    situation: Situation, tally: Tally, rivals: Sequence[Tally], days: Sequence[date]
) -> str:
    """Say what resolved a failure: the lesson.

    Args:
        situation: Where.
        tally: Of the resolution.
        rivals: Of the others tried there.
        days: Log days on which it succeeded.
    """
    share = f"{tally.successes} of {tally.tries}, {span(days)}"
    return _sentence(f"{where(situation)}: {tally.resolution} resolved it ({share})", _others(rivals))


def works_sentence(situation: Situation, tally: Tally, rivals: Sequence[Tally], days: Sequence[date]) -> str:
    """Say what works again and again; arguments as for :func:`resolved_sentence`."""
    share = f"{tally.successes} of {tally.tries}, {span(days)}"
    return _sentence(f"{where(situation)}: {tally.resolution} works ({share})", _others(rivals))


def failure_sentence(
    situation: Situation, failures: int, rivals: Sequence[Tally], days: Sequence[date]
) -> str:
    """Say what fails and is not resolved.

    Args:
        situation: Where.
        failures: How often it failed.
        rivals: What was tried.
        days: Log days on which it failed.
    """
    head = f"{where(situation)}: failed {times(failures)} ({span(days)}), still open"
    return _sentence(head, _others([rival for rival in rivals if rival.resolution]))


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


def task_sentence(task_type: str, tally: Tally, days: Sequence[date]) -> str:
    """Say that a kind of task comes again."""
    ended = f"{tally.successes} succeeded, {tally.partials} in part, {tally.failures} failed"
    return f"{task_type} comes again: {times(tally.tries)} ({span(days)}); {ended}."


def lesson_scope(resolution: str, situation: Situation, task: Task) -> Scope:
    """Say what speaks against a lesson, and where its rivals worked.

    Args:
        resolution: What the lesson recommends.
        situation: Where it holds.
        task: All outcomes of its task type.
    """
    ours = [record for record in task.records if name_of(record.outcome) == resolution]
    failed = [record for record in ours if record.outcome.outcome is Result.FAILURE]
    others = [
        record
        for record in task.records
        if record.outcome.outcome is Result.SUCCESS and name_of(record.outcome) not in ("", resolution)
    ]
    fails_when = (
        f"{resolution} failed {times(len(failed))}{_at(failed, task)}"
        if failed
        else (f"not seen; a failure of {resolution} in {where(situation)} would speak against it")
    )
    return Scope(fails_when=fails_when, fine_when="; ".join(_worked(others, task)))


def failure_scope(situation: Situation) -> Scope:
    """Say what would end an unresolved failure."""
    return Scope(fails_when=f"a success in {where(situation)} would say what resolves it")


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
        by_name.setdefault(name_of(record.outcome), []).append(record)
    most = sorted(by_name.items(), key=lambda item: (-len(item[1]), item[0]))
    return [f"{name} worked {times(len(worked))}{_at(worked, task)}" for name, worked in most[:MAX_RIVALS]]


def _at(records: Sequence[Recorded], task: Task) -> str:
    tags = shared_tags(records, task)
    return f" with {' + '.join(tags)}" if tags else ""

"""From patterns in outcomes to drafts: the lessons that an operator may sign.

Invariant: a lesson names every outcome that it rests on, up to a bound that the reason
states; a pattern seen once, or only counted, makes no draft.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nightledger.domain.outcome import OutcomeEvidence
from nightledger.domain.pattern import Pattern, PatternKind, Recorded
from nightledger.domain.proposal import Draft, Evidence, Flag, Op, Origin, least_trusted

OUTCOMES_PATH = "memory/system/outcome-records.jsonl"
MAX_EVIDENCE = 12
"""Places shown for one lesson; its counts are exact whatever this is."""

MAX_LOOKED = 64
"""Places that are looked at for one lesson until one is found to be there."""
Holds = Callable[[OutcomeEvidence], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
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
        holds: Tells whether the evidence that an outcome names is there; None where it was not looked at.
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
        evidence=tuple(_evidence(record) for record in pattern.records[:MAX_EVIDENCE]),
        confidence=pattern.confidence,
        rank=pattern.rank,
        statement_key=pattern.key,
        scope=pattern.scope,
        flags=_flags(pattern, holds),
        entry=old.entry if old else None,
    )


def _reason(pattern: Pattern) -> str:
    seen = pattern.seen
    when = f"on {seen.first_day}" if seen.days == 1 else f"from {seen.first_day} to {seen.last_day}"
    outcomes = f"{len(pattern.records)} outcome{'s' if len(pattern.records) > 1 else ''}"
    return f"{pattern.kind.value.replace('_', ' ')}: {outcomes} of {seen.sources} independent sources, {when}"


def _evidence(record: Recorded) -> Evidence:
    return Evidence(
        path=OUTCOMES_PATH,
        lines=(record.line, record.line),
        sha256=record.sha256,
        origin=least_trusted((Origin.AGENT, record.outcome.origin or Origin.UNKNOWN)),
        outcome=record.outcome.id,
    )


def _flags(pattern: Pattern, holds: Holds) -> tuple[Flag, ...]:
    named = [item for record in pattern.records for item in record.outcome.evidence]
    looked: list[bool | None] = []
    for item in named[:MAX_LOOKED]:
        looked.append(holds(item))
        if looked[-1]:
            return ()
    if not named:
        what = "no outcome behind it points to evidence"
    elif None in looked or len(named) > MAX_LOOKED:
        what = "not all of the evidence named was looked at, and none that was is there as it says"
    else:
        what = "none of the evidence named is there as it says"
    return (Flag(rule="unattested", message=f"{what}; it is the reporter's word"),)

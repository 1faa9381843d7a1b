"""Procedures: what one resolution did for one kind of task, again and again, without a failure since.

Invariant: a procedure stands on three independent sources, and no result that a tool, a web page or a group told counts
for one; against it every result counts.
"""

from collections.abc import Collection, Iterable

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.lessons import lesson_scope, span, times, where
from nightledger.domain.outcome import Result
from nightledger.domain.pattern import Learning, Recorded, Task, situation_of
from nightledger.domain.patterns import by_task_type, most_successful
from nightledger.domain.proposal import Origin, Scope

MIN_SOURCES = 3
"""Sessions, or days where none is told, in which it worked (issue 24)."""
STEPS = " steps "
"""Stands in the key of a revision behind that of its procedure, before the hash of the steps."""
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

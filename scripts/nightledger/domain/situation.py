"""Situations: which outcomes of one task type are about the same thing.

Invariant: a situation is an exact rule (task type and all of these tags), never a
degree, so that anyone can count its outcomes again.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from nightledger.domain.outcome import Outcome, Result
from nightledger.domain.outcome_words import MAX_IDENTIFIER_CHARACTERS
from nightledger.domain.pattern import UNNAMED, Recorded, Tally
from nightledger.domain.words import read_identifier

SHARED_OF_FIVE = 4
"""A tag belongs to a situation when four in five of its outcomes have it: one careless record
among five does not widen it. Our choice."""
MAX_TAGS = 3
"""Further tags make a sentence longer, not clearer. Our choice."""
SETTLED_DAYS = 3
"""Active days after which what is open counts as open and what is over as over; until then the
next day may say more, and a sentence that was proposed is not proposed again. Our choice."""
MAX_PARTS = 64
"""Bound on the work that forged records of one task type can cause; the largest parts are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """All outcomes of one task type.

    Attributes:
        task_type: The kind of task.
        records: Oldest first; at least one.
        tag_counts: How many of them carry each tag.
        active_days: Log days on which the agent recorded anything at all, ascending.
    """

    task_type: str
    records: tuple[Recorded, ...]
    tag_counts: Mapping[str, int]
    active_days: tuple[date, ...]

    def days_since(self, day: date) -> int:
        """Count the active days after a day."""
        return len(self.active_days) - bisect_right(self.active_days, day)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Outcomes of one task type that carry all of some tags.

    Attributes:
        task_type: The kind of task.
        tags: The tags, sorted; () is every outcome of the task type.
        records: Oldest first.
        ids: Ids of its outcomes.
    """

    task_type: str
    tags: tuple[str, ...]
    records: tuple[Recorded, ...]
    ids: frozenset[str]

    def tallies(self) -> tuple[Tally, ...]:
        """Count each resolution; most failures first, then most successes, then by name."""
        counts = Counter((name_of(record.outcome), record.outcome.outcome) for record in self.records)
        tallies = [
            Tally(
                resolution=name,
                successes=counts[name, Result.SUCCESS],
                partials=counts[name, Result.PARTIAL],
                failures=counts[name, Result.FAILURE],
            )
            for name in {name for name, _ in counts}
        ]
        return tuple(sorted(tallies, key=lambda t: (-t.failures, -t.successes, t.resolution)))


def task_of(records: Iterable[Recorded], active_days: tuple[date, ...]) -> Task:
    """Gather outcomes of one task type.

    Args:
        records: In any order; at least one.
        active_days: Log days on which the agent recorded anything at all, ascending.
    """
    ordered = tuple(sorted(records, key=lambda record: (record.outcome.timestamp, record.outcome.id)))
    return Task(
        task_type=ordered[0].outcome.task_type,
        records=ordered,
        tag_counts=_count_tags(ordered),
        active_days=active_days,
    )


def name_of(outcome: Outcome) -> str:
    """Give the resolution, or "" where the record only says that there was none."""
    return "" if outcome.resolution.casefold() in UNNAMED else outcome.resolution


def situation_of(examples: Collection[Recorded], task: Task) -> Situation:
    """Give the situation that the examples, outcomes of the task, have in common."""
    return narrow(task, shared_tags(examples, task))


def narrow(task: Task, tags: tuple[str, ...]) -> Situation:
    """Give the situation of a task type and these tags, sorted; () takes every outcome."""
    wanted = set(tags)
    records = tuple(record for record in task.records if wanted.issubset(record.outcome.context_tags))
    ids = frozenset(record.outcome.id for record in records)
    return Situation(task_type=task.task_type, tags=tags, records=records, ids=ids)


def without(records: Iterable[Recorded], others: Iterable[Recorded]) -> tuple[Recorded, ...]:
    """Give the records that are not among the others, in their order."""
    ids = {record.outcome.id for record in others}
    return tuple(record for record in records if record.outcome.id not in ids)


def shared_tags(examples: Collection[Recorded], task: Task) -> tuple[str, ...]:
    """Give the tags, at most three and sorted, that four in five of the examples carry.

    Where there are more than three, those that tell the examples best from the other
    outcomes of the task type are taken. Tags that are not plain identifiers are passed over:
    what goes into a sentence holds no markup.
    """
    shared = [
        (task.tag_counts[tag] / n, -n, tag)
        for tag, n in _count_tags(examples).items()
        if 5 * n >= SHARED_OF_FIVE * len(examples) and _is_plain(tag)
    ]
    return tuple(sorted(tag for _, _, tag in sorted(shared)[:MAX_TAGS]))


def split_by_tag(examples: Iterable[Recorded], task: Task) -> list[list[Recorded]]:
    """Part outcomes of a task by their most frequent telling tag, the largest part first.

    A tag that four in five outcomes of the task type carry tells nothing; outcomes without
    a telling tag stay together, as the last part.
    """
    enough = SHARED_OF_FIVE * len(task.records)
    common = {tag for tag, n in task.tag_counts.items() if 5 * n >= enough}
    left = list(examples)
    parts: list[list[Recorded]] = []
    while left and len(parts) < MAX_PARTS:
        telling = Counter(tag for record in left for tag in record.outcome.context_tags if tag not in common)
        if not telling:
            return [*parts, left]
        best = min(telling, key=lambda tag: (-telling[tag], tag))
        parts.append([record for record in left if best in record.outcome.context_tags])
        left = [record for record in left if best not in record.outcome.context_tags]
    return parts


def mostly_same(one: Situation, other: Situation) -> bool:
    """Tell whether two situations share at least half of all their outcomes."""
    return 2 * len(one.ids & other.ids) >= len(one.ids | other.ids)


def _count_tags(records: Iterable[Recorded]) -> Counter[str]:
    return Counter(tag for record in records for tag in record.outcome.context_tags)


def _is_plain(tag: str) -> bool:
    try:
        return read_identifier(tag, MAX_IDENTIFIER_CHARACTERS) == tag
    except ValueError:
        return False

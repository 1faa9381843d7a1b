"""Situations: which outcomes of one task type are about the same thing.

Invariant: a situation is an exact rule (task type and all of these tags), never a
degree, so that anyone can count its outcomes again.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from nightledger.domain.outcome import Outcome, Result
from nightledger.domain.outcome_words import MAX_IDENTIFIER_CHARACTERS
from nightledger.domain.pattern import UNNAMED, Recorded, Tally
from nightledger.domain.words import read_identifier

SHARED = Fraction(4, 5)
"""A tag belongs to a situation when four in five of its outcomes have it: one careless record
among five does not widen it. Our choice."""
MAX_TAGS = 3
"""Further tags make a sentence longer, not clearer. Our choice."""


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
        results: dict[str, Counter[Result]] = {}
        for record in self.records:
            results.setdefault(name_of(record.outcome), Counter())[record.outcome.outcome] += 1
        tallies = [
            Tally(
                resolution=resolution,
                successes=counts[Result.SUCCESS],
                partials=counts[Result.PARTIAL],
                failures=counts[Result.FAILURE],
            )
            for resolution, counts in results.items()
        ]
        return tuple(sorted(tallies, key=lambda t: (-t.failures, -t.successes, t.resolution)))


def name_of(outcome: Outcome) -> str:
    """Give the resolution, or "" where the record only says that there was none."""
    return "" if outcome.resolution.casefold() in UNNAMED else outcome.resolution


def situation_of(examples: Collection[Recorded], task: Sequence[Recorded]) -> Situation:
    """Give the situation that the examples have in common.

    Args:
        examples: Outcomes of one task type; at least one.
        task: All outcomes of that task type, oldest first.
    """
    return narrow(task, shared_tags(examples, task))


def narrow(task: Sequence[Recorded], tags: Sequence[str]) -> Situation:
    """Give the situation of a task type and these tags.

    Args:
        task: All outcomes of the task type, oldest first; at least one.
        tags: Sorted; () takes every outcome.
    """
    wanted = set(tags)
    records = tuple(record for record in task if wanted.issubset(record.outcome.context_tags))
    return Situation(
        task_type=task[0].outcome.task_type,
        tags=tuple(tags),
        records=records,
        ids=frozenset(record.outcome.id for record in records),
    )


def without(records: Iterable[Recorded], others: Iterable[Recorded]) -> tuple[Recorded, ...]:
    """Give the records that are not among the others, in their order."""
    ids = {record.outcome.id for record in others}
    return tuple(record for record in records if record.outcome.id not in ids)


def shared_tags(examples: Collection[Recorded], task: Collection[Recorded]) -> tuple[str, ...]:
    """Give the tags, at most three and sorted, that four in five of the examples carry.

    Where there are more than three, those that tell the examples best from the other
    outcomes of the task type are taken. Tags that are not plain identifiers are passed over:
    what goes into a sentence holds no markup.
    """
    here, everywhere = _count_tags(examples), _count_tags(task)
    shared = [tag for tag, n in here.items() if n >= SHARED * len(examples) and _is_plain(tag)]
    telling = sorted(shared, key=lambda tag: (Fraction(everywhere[tag], here[tag]), -here[tag], tag))
    return tuple(sorted(telling[:MAX_TAGS]))


def split_by_tag(examples: Iterable[Recorded], task: Collection[Recorded]) -> list[list[Recorded]]:
    """Part examples of one task type by their most frequent telling tag, largest part first.

    A tag that four in five outcomes of the task type carry tells nothing; where none tells,
    the examples stay together.
    """
    everywhere = _count_tags(task)
    common = {tag for tag, n in everywhere.items() if n >= SHARED * len(task)}
    left = list(examples)
    parts: list[list[Recorded]] = []
    while left:
        telling = Counter(tag for record in left for tag in record.outcome.context_tags if tag not in common)
        if not telling:
            return [*parts, left]
        best = min(telling, key=lambda tag: (-telling[tag], tag))
        parts.append([record for record in left if best in record.outcome.context_tags])
        left = [record for record in left if best not in record.outcome.context_tags]
    return parts


def overlap(one: Situation, other: Situation) -> Fraction:
    """Give the share of outcomes that two situations have in common, 0..1 (Jaccard index)."""
    return Fraction(len(one.ids & other.ids), len(one.ids | other.ids))


def _count_tags(records: Iterable[Recorded]) -> Counter[str]:
    return Counter(tag for record in records for tag in record.outcome.context_tags)


def _is_plain(tag: str) -> bool:
    try:
        return read_identifier(tag, MAX_IDENTIFIER_CHARACTERS) == tag
    except ValueError:
        return False

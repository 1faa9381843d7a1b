"""What recurs in outcomes: the value; ``domain/patterns.py`` finds it.

Invariant: a pattern is made of identifiers, numbers and days only; nothing that an
agent wrote freely (``note``) gets into it.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from datetime import date, datetime, tzinfo
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.outcome import DisjointSets, Outcome, Result
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Scope
from nightledger.domain.words import MAX_IDENTIFIER_CHARACTERS, read_identifier

UNNAMED = frozenset({
    "none", "null", "nil", "nothing", "no", "na", "n/a", "n.a.", "unknown", "unresolved", "unsolved", "not_resolved",
    "pending", "open", "todo", "tbd",
})  # fmt: skip
"""What agents write as the resolution of a failure when they tried nothing that has a name."""


MIN_FAILED = 2
"""One failure is an accident."""


class PatternKind(StrEnum):
    """What recurs, the most urgent first."""

    RELAPSE = "relapse"
    """A learned resolution failed afterwards: the lesson was wrong."""
    RESOLVED_FAILURE = "resolved_failure"
    """A failure, and what resolved it: the lesson."""
    RECURRING_RESOLUTION = "recurring_resolution"
    """What works again and again, without a failure before it."""


class Recorded(Struct, frozen=True, kw_only=True):
    r"""An outcome and where it stands.

    Attributes:
        outcome: The outcome.
        line: Its line in ``outcome-records.jsonl``, from 1.
        sha256: Hex SHA-256 of that line without ``\\n``.
    """

    outcome: Outcome
    line: int
    sha256: str

    @property
    def id(self) -> str:
        """The outcome's id."""
        return self.outcome.id

    @property
    def at(self) -> datetime:
        """When the result was known."""
        return self.outcome.timestamp

    @property
    def result(self) -> Result:
        """How the task ended."""
        return self.outcome.outcome

    @property
    def tags(self) -> tuple[str, ...]:
        """What the task was about."""
        return self.outcome.context_tags

    @property
    def name(self) -> str:
        """The resolution, or "" where the record only says that there was none."""
        return "" if self.outcome.resolution.casefold() in UNNAMED else self.outcome.resolution


class Tally(Struct, frozen=True, kw_only=True):
    """What became of one resolution in one situation.

    Attributes:
        resolution: An identifier; "" stands for tries without a name.
        successes: How often it succeeded.
        partials: How often it helped in part; counts as neither.
        failures: How often it failed.
    """

    resolution: str
    successes: int = 0
    partials: int = 0
    failures: int = 0


class Learning(Struct, frozen=True, kw_only=True):
    """How a pattern is judged.

    Attributes:
        zone: The home's zone.
        min_sources: Independent sessions or days that make a pattern, 2 or more.
    """

    zone: tzinfo
    min_sources: int = 2

    def sources(self, records: Iterable[Recorded]) -> int:
        """Count the independent sources behind records."""
        sources = Sources(self.zone)
        for record in records:
            sources.add(record.outcome)
        return sources.count

    def days(self, records: Iterable[Recorded]) -> tuple[date, ...]:
        """Give the log day of each record."""
        return tuple(log_day(record.at, self.zone) for record in records)


def is_lesson(kind: PatternKind, rivals: Iterable[Tally]) -> bool:
    """Tell whether a pattern is something to remember.

    What works where nothing else keeps failing is routine, which the links show anyway.

    Args:
        kind: What recurs.
        rivals: Of the other resolutions in its situation.
    """
    if kind is not PatternKind.RECURRING_RESOLUTION:
        return True
    tallies = tuple(rivals)
    failures = sum(tally.failures for tally in tallies)
    return failures >= max(MIN_FAILED, sum(tally.successes for tally in tallies))


class Pattern(Struct, frozen=True, kw_only=True):
    """Something that recurs in outcomes.

    Attributes:
        kind: What recurs.
        key: Names it however its counts grow; equal keys are one statement to suppression.
        tags: What its situation shares, sorted, at most three; with its kind of task the exact
            rule by which its outcomes were counted.
        rivals: Of the other resolutions in the same situation, most failures first.
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
    rivals: tuple[Tally, ...]
    sources: int
    days: tuple[date, ...]
    records: tuple[Recorded, ...]
    confidence: float
    sentence: str
    scope: Scope
    replaces: tuple[str, ...] = ()

    @property
    def is_lesson(self) -> bool:
        """Whether there is something to remember."""
        return is_lesson(self.kind, self.rivals)

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


SHARED_OF_FIVE = 4
"""A tag belongs to a situation when four in five of its outcomes have it: one careless record
among five does not widen it. Our choice."""
MAX_TAGS = 3
"""Further tags make a sentence longer, not clearer. Our choice."""
SETTLED_DAYS = 3
"""Active days after which what is open counts as open and what is over as over; until then the
next day may say more, and a sentence that was proposed is not proposed again. Our choice."""


class Task(Struct, frozen=True, kw_only=True):
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


class Situation(Struct, frozen=True, kw_only=True):
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
        counts = Counter((record.name, record.result) for record in self.records)
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
    ordered = tuple(sorted(records, key=lambda record: (record.at, record.id)))
    return Task(
        task_type=ordered[0].outcome.task_type,
        records=ordered,
        tag_counts=_count_tags(ordered),
        active_days=active_days,
    )


def situation_of(examples: Collection[Recorded], task: Task) -> Situation:
    """Give the situation that the examples, outcomes of the task, have in common."""
    tags = shared_tags(examples, task)
    records = tuple(record for record in task.records if set(tags).issubset(record.tags))
    ids = frozenset(record.id for record in records)
    return Situation(task_type=task.task_type, tags=tags, records=records, ids=ids)


def without(records: Iterable[Recorded], others: Iterable[Recorded]) -> tuple[Recorded, ...]:
    """Give the records that are not among the others, in their order."""
    ids = {record.id for record in others}
    return tuple(record for record in records if record.id not in ids)


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


def mostly_same(one: Situation, other: Situation) -> bool:
    """Tell whether two situations share at least half of all their outcomes."""
    return 2 * len(one.ids & other.ids) >= len(one.ids | other.ids)


def _count_tags(records: Iterable[Recorded]) -> Counter[str]:
    return Counter(tag for record in records for tag in record.tags)


def _is_plain(tag: str) -> bool:
    try:
        return read_identifier(tag, MAX_IDENTIFIER_CHARACTERS) == tag
    except ValueError:
        return False


class Sources:
    """Counts independent sources as outcomes come in.

    What two outcomes share makes them one source: a session, a day without one, a place in a log, evidence,
    and that we ourselves had shown something before.
    """

    __slots__ = ("_marks", "_zone")

    def __init__(self, zone: tzinfo) -> None:
        """Begin with none; days are those of the home's zone."""
        self._zone = zone
        self._marks: DisjointSets[Hashable] = DisjointSets()

    @property
    def count(self) -> int:
        """Independent sources so far."""
        return self._marks.count

    def add(self, outcome: Outcome) -> int:
        """Take in an outcome; return how many sources there are now."""
        first, *others = self._marks_of(outcome)
        self._marks.root(first)
        for mark in others:
            self._marks.join(first, mark)
        return self.count

    def _marks_of(self, outcome: Outcome) -> Iterator[Hashable]:
        if outcome.session is None:
            yield "day", log_day(outcome.timestamp, self._zone)
        else:
            yield "session", outcome.host, outcome.session
        if "#" in outcome.source_file:  # a place; a daily log as a whole holds a day's sessions
            yield "place", outcome.source_file
        yield from (("evidence", item.sha256) for item in outcome.evidence)
        if outcome.shown:
            yield "shown"

"""What recurs in outcomes: the value; ``domain/patterns.py`` finds it.

Invariant: a pattern is made of identifiers, numbers and days only; nothing that an
agent wrote freely (``note``) gets into it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from enum import StrEnum

from nightledger.domain.confidence import SHOWN_FROM
from nightledger.domain.confidence import confidence as evidence_confidence
from nightledger.domain.outcome import Outcome
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Origin, Scope
from nightledger.domain.sources import Taught, count_sources, was_shown

UNNAMED = frozenset(
    (
        "none",
        "null",
        "nil",
        "nothing",
        "no",
        "na",
        "n/a",
        "n.a.",
        "unknown",
        "unresolved",
        "unsolved",
        "not_resolved",
        "pending",
        "open",
        "todo",
        "tbd",
    )
)
"""What agents write as the resolution of a failure when they tried nothing that has a name."""


MIN_FAILED = 2
"""One failure is an accident."""


class PatternKind(StrEnum):
    """What recurs, the most urgent first."""

    RELAPSE = "relapse"
    """A learned resolution failed afterwards: the lesson was wrong."""
    RESOLVED_FAILURE = "resolved_failure"
    """A failure, and what resolved it: the lesson."""
    RECURRING_FAILURE = "recurring_failure"
    """A failure that nothing resolved so far."""
    RECURRING_RESOLUTION = "recurring_resolution"
    """What works again and again, without a failure before it."""
    RECURRING_TASK = "recurring_task"
    """A kind of task that comes again; a count for reports, nothing to remember."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    r"""An outcome and where it stands.

    Attributes:
        outcome: The outcome.
        line: Its line in ``outcome-records.jsonl``, from 1.
        sha256: Hex SHA-256 of that line without ``\\n``.
    """

    outcome: Outcome
    line: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
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

    @property
    def tries(self) -> int:
        """How often it was tried."""
        return self.successes + self.partials + self.failures


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """How a pattern is judged.

    Attributes:
        zone: The home's zone.
        confidence: Gives 0..1 for successes and failures (``domain/confidence.py``).
        min_sources: Independent sessions or days that make a pattern, 2 or more.
        trusted: Confidence from which a resolution is shown as a prior, DESIGN section 4; one
            failure of a resolution that stays above it is an exception, not a relapse.
        taught: Tells whether an outcome followed a showing of ours.
    """

    zone: tzinfo
    confidence: Callable[[int, int], float] = evidence_confidence
    min_sources: int = 2
    trusted: float = SHOWN_FROM
    taught: Taught = was_shown

    def sources(self, records: Iterable[Recorded]) -> int:
        """Count the independent sources behind records."""
        return count_sources((record.outcome for record in records), self.zone, self.taught)

    def days(self, records: Iterable[Recorded]) -> tuple[date, ...]:
        """Give the log day of each record."""
        return tuple(log_day(record.outcome.timestamp, self.zone) for record in records)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Where and when outcomes were seen.

    Attributes:
        sources: Independent sources.
        sessions: Distinct sessions; outcomes without one count in ``days`` alone.
        days: Distinct log days.
        first_day: Log day of the oldest.
        last_day: Log day of the newest.
        newest_at: When the last of them was received; aware, UTC.
        origins: Who said them, sorted; none named is unknown.
    """

    sources: int
    sessions: int
    days: int
    first_day: date
    last_day: date
    newest_at: datetime
    origins: tuple[Origin, ...]


def seen_in(records: Sequence[Recorded], learning: Learning) -> Seen:
    """Sum up where and when outcomes were seen.

    Args:
        records: At least one.
        learning: How a pattern is judged.
    """
    outcomes = [record.outcome for record in records]
    days = learning.days(records)
    return Seen(
        sources=learning.sources(records),
        sessions=len({(o.host, o.session) for o in outcomes if o.session is not None}),
        days=len(set(days)),
        first_day=min(days),
        last_day=max(days),
        newest_at=max(o.received_at for o in outcomes),
        origins=tuple(sorted({o.origin or Origin.UNKNOWN for o in outcomes})),
    )


def is_lesson(kind: PatternKind, rivals: Iterable[Tally]) -> bool:
    """Tell whether a pattern is something to remember.

    A task that comes again is only counted, and so is what works where nothing else keeps
    failing: routine, which the links show anyway.

    Args:
        kind: What recurs.
        rivals: Of the other resolutions in its situation.
    """
    if kind is not PatternKind.RECURRING_RESOLUTION:
        return kind is not PatternKind.RECURRING_TASK
    tallies = tuple(rivals)
    failures = sum(tally.failures for tally in tallies)
    return failures >= max(MIN_FAILED, sum(tally.successes for tally in tallies))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Something that recurs in outcomes.

    Attributes:
        kind: What recurs.
        key: Names it however its counts grow; equal keys are one statement to suppression.
        task_type: The kind of task.
        tags: What its situation shares, sorted, at most three; with ``task_type`` the exact
            rule by which its outcomes were counted.
        tally: Of the resolution that it is about; of all tries for a failure or a task.
        rivals: Of the other resolutions in the same situation, most failures first.
        seen: Where and when.
        records: The outcomes behind it: what shows it first, then all else in its situation; the newest of each first.
        confidence: 0..1, rounded to 4 decimals.
        sentence: The entry to propose.
        scope: What would change its mind.
        replaces: Keys of patterns that it makes obsolete where they stand as entries.
    """

    kind: PatternKind
    key: str
    task_type: str
    tags: tuple[str, ...]
    tally: Tally
    rivals: tuple[Tally, ...]
    seen: Seen
    records: tuple[Recorded, ...]
    confidence: float
    sentence: str
    scope: Scope
    replaces: tuple[str, ...] = ()

    @property
    def resolution(self) -> str:
        """The resolution that it is about; "" for a failure or a task."""
        return self.tally.resolution

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
    PatternKind.RECURRING_FAILURE: (0.45, 0.3),
    PatternKind.RECURRING_RESOLUTION: (0.35, 0.3),
    PatternKind.RECURRING_TASK: (0.0, 0.0),
}
"""A wrong lesson in memory comes first, then lessons, then warnings, then what works anyway. Our choice."""

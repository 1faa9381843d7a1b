"""What recurs in outcomes: failures, what resolved them, what works; how a resolution is held against what happened around it.

Invariant: only recorded results count. A failure after which nothing was heard is not
resolved; a pattern stands on at least two independent sources; a resolution that failed
after it was learned is said to be wrong, until it is learned anew.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, tzinfo
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.outcome import SHOWN_FROM, Outcome, Result, confidence
from nightledger.domain.periods import log_day
from nightledger.domain.words import MAX_IDENTIFIER_CHARACTERS, read_identifier

UNNAMED = frozenset({
    "none", "null", "nil", "nothing", "no", "na", "n/a", "n.a.", "unknown", "unresolved", "unsolved", "not_resolved",
    "pending", "open", "todo", "tbd",
})  # fmt: skip
"""What agents write as the resolution of a failure when they tried nothing that has a name."""
MIN_FAILED = 2
"""One failure is an accident."""
LIKELY = 0.5
"""A lesson is more likely right than wrong."""
MIN_WORKED = 3
"""What worked without a failure before it is worth a sentence from three times on: the published
example of a link that is shown as a prior has three co-occurrences."""
SHARED_OF_FIVE = 4
"""A tag belongs to a situation when four in five of its outcomes have it: one careless record
among five does not widen it. Our choice."""
MAX_TAGS = 3
"""Further tags make a sentence longer, not clearer. Our choice."""
SETTLED_DAYS = 3
"""Active days after which what is open counts as open and what is over as over; until then the
next day may say more, and a sentence that was proposed is not proposed again. Our choice."""
MAX_TRIALS = 64
"""Bound on the work that forged records of one task type can cause; the most successful are tried."""


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

    __slots__ = ("_groups", "_zone", "count")

    def __init__(self, zone: tzinfo) -> None:
        """Begin with none; days are those of the home's zone."""
        self._zone = zone
        self._groups: dict[Hashable, set[Hashable]] = {}
        self.count = 0

    def add(self, outcome: Outcome) -> int:
        """Take in an outcome; return how many sources there are now."""
        marks = set(self._marks_of(outcome))
        known = {id(group): group for mark in marks if (group := self._groups.get(mark))}
        largest, *smaller = sorted(known.values(), key=len, reverse=True) or [set()]
        moved = marks.union(*smaller)
        largest |= moved
        self._groups.update(dict.fromkeys(moved, largest))
        self.count += 1 - len(known)
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


class Trial(Struct, frozen=True, kw_only=True):
    """What speaks for a resolution and what against it.

    Attributes:
        situation: What the outcomes in which it succeeded have in common.
        tally: Of the resolution, an identifier, in that situation.
        rivals: Of all others in that situation, most failures first.
        wins: Its successes there, oldest first; at least one.
        learned_at: When its successes had enough independent sources; None while they have not.
        relapses: Failures that say that the lesson was wrong, oldest first.
        confidence: 0..1, of its successes and failures there, rounded to 4 decimals.
        settled: Whether the agent was active on enough days since it first succeeded.
        accident: Whether all else failed only once there, and with what works for this kind of task.
    """

    situation: Situation
    tally: Tally
    rivals: tuple[Tally, ...]
    wins: tuple[Recorded, ...]
    learned_at: datetime | None
    relapses: tuple[Recorded, ...]
    confidence: float
    settled: bool
    accident: bool


def hold_trial(resolution: str, task: Task, learning: Learning) -> Trial:
    """Hold a resolution against what happened around it.

    Args:
        resolution: One that succeeded at least once in ``task``.
        task: All outcomes of its task type.
        learning: How a pattern is judged.
    """
    trial = _tried(resolution, task, learning)
    relapses = _relapses(trial, trial.learned_at, learning) if trial.learned_at else ()
    if not relapses or not _was_lesson(resolution, task, relapses[0], learning):
        return trial
    return replace(trial, relapses=relapses)


def kind_of(trial: Trial, learning: Learning) -> PatternKind | None:
    """Say what kind of pattern a trial is; None when nothing recurs or too little speaks for it."""
    if trial.relapses:
        return PatternKind.RELAPSE
    before = failures_before(trial)
    if not trial.learned_at:
        return PatternKind.RESOLVED_FAILURE if _ended(trial, before, learning) else None
    if before and trial.confidence >= LIKELY and _stands_out(trial) and not trial.accident:
        return PatternKind.RESOLVED_FAILURE
    usual = trial.tally.successes > sum(rival.successes for rival in trial.rivals)
    if usual and trial.tally.successes >= MIN_WORKED and trial.confidence >= SHOWN_FROM:
        return PatternKind.RECURRING_RESOLUTION
    return None


def failures_before(trial: Trial) -> tuple[Recorded, ...]:
    """Give the failures of everything else before the resolution first succeeded."""
    first = trial.wins[0].at
    return tuple(
        record
        for record in _failures(trial.situation)
        if record.at < first and record.name != trial.tally.resolution
    )


def _tried(resolution: str, task: Task, learning: Learning) -> Trial:
    won = [r for r in task.records if r.name == resolution and r.result is Result.SUCCESS]
    situation = situation_of(won, task)
    wins = tuple(record for record in won if record.id in situation.ids)
    tallies = situation.tallies()
    tally = next(tally for tally in tallies if tally.resolution == resolution)
    rivals = tuple(tally for tally in tallies if tally.resolution != resolution)
    return Trial(
        situation=situation,
        tally=tally,
        rivals=rivals,
        wins=wins,
        learned_at=_learned_at(wins, learning),
        relapses=(),
        confidence=round(confidence(tally.successes, tally.failures), 4),
        settled=task.days_since(learning.days(wins[:1])[0]) >= SETTLED_DAYS,
        accident=_is_accident(rivals, task),
    )


def _is_accident(rivals: Sequence[Tally], task: Task) -> bool:
    failed = [rival for rival in rivals if rival.failures]
    if sum(rival.failures for rival in failed) != 1:
        return False
    return any(
        record.name == failed[0].resolution and record.result is Result.SUCCESS for record in task.records
    )


def _stands_out(trial: Trial) -> bool:
    """Tell whether everything else failed at least as often as it worked.

    Where most things work, a success after a failure says nothing about what was done.
    """
    return sum(rival.failures for rival in trial.rivals) >= sum(rival.successes for rival in trial.rivals)


def _ended(trial: Trial, before: Sequence[Recorded], learning: Learning) -> bool:
    """Tell whether a failure that recurred was seen no more once this succeeded, even once.

    It is given some active days first: to come back, or to be resolved in the same way again.
    """
    if learning.sources(before) < learning.min_sources or not (trial.settled and _stands_out(trial)):
        return False
    first = trial.wins[0].at
    return all(record.at < first for record in _failures(trial.situation))


def _learned_at(wins: Sequence[Recorded], learning: Learning) -> datetime | None:
    sources = Sources(learning.zone)
    for record in wins:
        if sources.add(record.outcome) >= learning.min_sources:
            return record.at
    return None


def _relapses(trial: Trial, learned_at: datetime, learning: Learning) -> tuple[Recorded, ...]:
    """Give what would say that a lesson was wrong, oldest first.

    A failure of the resolution itself does, unless it stays trusted or was learned anew
    since. A failure for which nothing was named may only mean that the lesson was not
    followed: such failures count when they recur and no success of it came after them.
    """
    after = [record for record in _failures(trial.situation) if record.at > learned_at]
    failed = [record for record in after if record.name == trial.tally.resolution]
    anew = failed and learning.sources(_later(trial.wins, failed[-1])) >= learning.min_sources
    if anew or trial.confidence >= SHOWN_FROM:
        failed = []
    unnamed = [record for record in _later(after, trial.wins[-1]) if not record.name]
    if learning.sources(unnamed) < learning.min_sources:
        unnamed = []
    return without(after, without(after, (*failed, *unnamed)))


def _was_lesson(resolution: str, task: Task, relapse: Recorded, learning: Learning) -> bool:
    """Tell whether the resolution was a lesson until then; else there was nothing to be wrong."""
    until = [record for record in task.records if record.at < relapse.at]
    trial = _tried(resolution, task_of(until, task.active_days), learning)
    kind = kind_of(trial, learning)
    return kind is not None and is_lesson(kind, trial.rivals)


def _failures(situation: Situation) -> list[Recorded]:
    return [record for record in situation.records if record.result is Result.FAILURE]


def _later(records: Sequence[Recorded], than: Recorded) -> list[Recorded]:
    return [record for record in records if record.at > than.at]


def by_task_type(records: Iterable[Recorded], learning: Learning) -> list[Task]:
    """Return outcomes by kind of task; of equal ids the first counts."""
    tasks: dict[str, dict[str, Recorded]] = {}
    for record in records:
        tasks.setdefault(record.outcome.task_type, {}).setdefault(record.id, record)
    days = {day for task in tasks.values() for day in learning.days(task.values())}
    active_days = tuple(sorted(days))
    return [task_of(task.values(), active_days) for _, task in sorted(tasks.items())]


def most_successful(task: Task) -> list[str]:
    """Name the resolutions that succeeded, the most successful first; of equals, the newest."""
    wins: dict[str, tuple[int, int]] = {}
    for place, record in enumerate(task.records):
        name = record.name
        if name and record.result is Result.SUCCESS:
            wins[name] = (wins.get(name, (0, 0))[0] + 1, place)
    return sorted(wins, key=lambda name: wins[name], reverse=True)[:MAX_TRIALS]

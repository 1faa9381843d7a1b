"""What outcomes and exposures say of each memory: shown, useful, harmful, and what to expect without it.

Repeating is not confirming: one session counts once a day for each kind of task and result,
however many outcomes it records. Whether a memory helps is asked against the same kinds of
task where it was not shown; of what is shown always, nothing can be told, and nothing is.

Invariant: pure, and a fold: records in any grouping of their order give the same counts.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field

from nightledger.domain.retention import PRIOR

HOUR_S = 3600


def hour_of(at: datetime) -> int:
    """Give the UTC hour that a time lies in, as whole hours since 1970.

    Args:
        at: Aware.
    """
    return int(at.timestamp() // HOUR_S)


def active_hours(hours: Iterable[int]) -> tuple[int, ...]:
    """Give the distinct hours of outcomes and exposures, ascending.

    An active hour is a UTC hour with at least one outcome or exposure record (FACTS, elfmem:
    "only active hours count").
    """
    return tuple(sorted(set(hours)))


def active_hours_until(hours: Sequence[int], until: int) -> int:
    """Give how many active hours there were up to an hour, that hour included.

    Args:
        hours: As :func:`active_hours` gives them.
        until: An hour since 1970.
    """
    return bisect_right(hours, until)


SUCCESS = "success"
FAILURE = "failure"
_SIGNS = {SUCCESS: 1, FAILURE: -1}


class Use(Struct, frozen=True, kw_only=True):
    """What is known of one memory.

    Attributes:
        shown: Times it was shown: exposures, and outcomes that name it.
        useful: Sessions that succeeded after it was shown, once a day for each kind of task.
        harmful: The same for those that failed.
        expected: Share of such tasks that succeed where it was not shown, 0..1, both excluded.
        shown_hour: Newest hour, since 1970, in which it was shown; None where it never was.
        used_hour: Newest hour of a success after it was shown.
        last: Newest outcome after it was shown: 1, 0 or -1.
    """

    shown: int = 0
    useful: int = 0
    harmful: int = 0
    expected: float = 0.5
    shown_hour: int | None = None
    used_hour: int | None = None
    last: int = 0


NO_USE = Use()


class Tally:
    """The running counts of one memory; lives only inside a fold."""

    __slots__ = ("last", "last_at", "shown", "shown_at", "tasks", "used_at")

    def __init__(self) -> None:
        self.shown = 0
        self.last = 0
        self.shown_at = self.used_at = self.last_at = ""
        self.tasks: dict[str, list[int]] = {}

    def show(self, hour: str) -> None:
        """Count that it was shown in an hour."""
        self.shown += 1
        if hour > self.shown_at:  # noqa: PLR1730 - for each of hundreds of thousands: max() costs four times as much
            self.shown_at = hour

    def judge(self, result: str, at: str) -> None:
        """Take in how a task ended after it was shown."""
        if result == SUCCESS and at > self.used_at:
            self.used_at = at
        if at >= self.last_at:
            self.last_at, self.last = at, _SIGNS.get(result, 0)

    def count(self, task_type: str, result: str) -> None:
        """Count an independent result."""
        counts = self.tasks.setdefault(task_type, [0, 0])
        counts[result == FAILURE] += 1


class Tallies(Struct):
    """Everything that outcomes and exposures add up to.

    Attributes:
        names: The id that an edited entry keeps, by its others.
        hours: Each hour in which something was recorded, ``2026-03-01T06``.
        tasks: Successes and failures of each kind of task, over independent sources.
        of: By the id that what was shown keeps.
        bad_lines: Lines that are none.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    hours: set[str] = field(default_factory=set)
    tasks: dict[str, list[int]] = field(default_factory=dict)
    of: dict[str, Tally] = field(default_factory=dict)
    bad_lines: int = 0
    _counted: dict[tuple[str, str, str], set[str]] = field(default_factory=dict)

    def outcome(
        self, hour: str, at: str, source: str, task_type: str, result: str, shown: tuple[str, ...]
    ) -> None:
        """Take in one outcome.

        Args:
            hour: In which it was received.
            at: When it was received.
            source: Session and day that it comes from.
            task_type: Kind of task.
            result: success, partial or failure.
            shown: What the agent had been shown.
        """
        self.hours.add(hour)
        seen: set[str] | None = None
        if result in _SIGNS:
            key = (task_type, source, result)
            seen = self._counted.get(key)
            if seen is None:
                seen = self._counted[key] = set()
                self.tasks.setdefault(task_type, [0, 0])[result == FAILURE] += 1
        for name in self._kept(shown):
            tally = self.of.setdefault(name, Tally())
            tally.show(hour)
            tally.judge(result, at)
            if seen is not None and name not in seen:
                seen.add(name)
                tally.count(task_type, result)

    def exposure(self, hour: str, shown: Iterable[str]) -> None:
        """Take in one exposure."""
        self.hours.add(hour)
        for name in self._kept(shown):
            self.of.setdefault(name, Tally()).show(hour)

    def _kept(self, shown: Iterable[str]) -> Iterable[str]:
        return dict.fromkeys(self.names.get(name, name) for name in shown)


def expected_without(tally: Tally, tasks: Mapping[str, list[int]], overall: float) -> float:
    """Give the share of a memory's kinds of task that succeed where it was not shown.

    Indirect standardisation: each kind's share without it, smoothed with :data:`PRIOR` outcomes
    of the share overall, weighted by how often the memory was shown in that kind.

    Args:
        tally: Of the memory; with at least one result.
        tasks: Successes and failures of each kind of task, those with the memory among them.
        overall: Share of all tasks that succeed, 0..1, both excluded.
    """
    weighted = total = 0.0
    for task_type, (successes, failures) in tally.tasks.items():
        all_successes, all_failures = tasks[task_type]
        others = all_successes - successes + all_failures - failures
        share = (all_successes - successes + PRIOR * overall) / (others + PRIOR)
        weighted += (successes + failures) * share
        total += successes + failures
    return weighted / total


def overall_share(tasks: Mapping[str, list[int]]) -> float:
    """Give the share of all tasks that succeed, with one of each kind added (Laplace's rule)."""
    successes = sum(counts[0] for counts in tasks.values())
    failures = sum(counts[1] for counts in tasks.values())
    return (successes + 1) / (successes + failures + 2)

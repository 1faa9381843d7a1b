"""Half a year of an invented agent: what retention keeps of what helps, harms, or does nothing.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.retention_months [SEEDS]``; some seconds. Everything
is drawn from seeds and judged by the pure rules (``domain/retention.py``), as a home
would: outcomes name what had been shown, and each Friday what has faded is archived and shown no more.

Every memory is made in the first hour. A task is of one of eight kinds, which succeed in 45 to 85 of 100
cases by themselves. In half of the tasks the agent is shown one memory of that kind, which changes the
chance of success by its effect; beside it, memories that change nothing are shown.
"""

import random  # noqa: TID251 - an invented half-year comes from a seed
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean

from nightledger.domain.retention import (
    FAILURE,
    SUCCESS,
    Memory,
    Tallies,
    Tally,
    expected_without,
    has_faded,
    overall_share,
)

WEEKS = 26
DAYS_A_WEEK = 5
HOURS_A_DAY = 6
EACH = 12
"""Memories of a kind."""
KINDS = 8
SHOWN_AT = (4, 8, 13, 26)
SEEDS = 5
CHANGE = 9
"""Week from which on what helped before is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Memories of one kind.

    Attributes:
        name: What the table calls them.
        weekly: How often a week each is shown.
        effect: What it adds to the chance of success.
        later: The same from week :data:`CHANGE` on.
        beside: Whether it is shown beside others, in tasks of every kind.
    """

    name: str
    weekly: float
    effect: float
    later: float
    beside: bool = False


GROUPS = (
    Group(name="helps, shown often", weekly=15, effect=0.25, later=0.25),
    Group(name="helps, shown once a week", weekly=1, effect=0.25, later=0.25),
    Group(name="harms, shown often", weekly=15, effect=-0.25, later=-0.25),
    Group(name="harms, shown once a week", weekly=1, effect=-0.25, later=-0.25),
    Group(name="helped, then turned wrong", weekly=6, effect=0.25, later=-0.35),
    Group(name="no effect, shown once a week", weekly=1, effect=0, later=0, beside=True),
    Group(name="no effect, shown 10 times a week", weekly=10, effect=0, later=0, beside=True),
    Group(name="no effect, shown 100 times a week", weekly=100, effect=0, later=0, beside=True),
    Group(name="never shown", weekly=0, effect=0, later=0, beside=True),
)


@dataclass(slots=True)
class World:
    """One half-year."""

    dice: random.Random
    tallies: Tallies = field(default_factory=Tallies)
    standing: dict[str, Group] = field(default_factory=dict)
    session: int = 0

    def live(self, weeks: int) -> list[dict[str, float]]:
        """Live so many weeks; give after each what share of every group still stands."""
        self.standing = {f"{group.name} {n}": group for group in GROUPS for n in range(EACH)}
        shares = []
        for week in range(weeks):
            for day in range(DAYS_A_WEEK):
                for hour in range(HOURS_A_DAY):
                    self._work(week, week * 7 + day, hour)
            self._let_go()
            kept = [group.name for group in self.standing.values()]
            shares.append({group.name: kept.count(group.name) / EACH for group in GROUPS})
        return shares

    def _work(self, week: int, day: int, hour: int) -> None:
        """Do the tasks of one active hour: half with a memory that matters, half without."""
        at = f"{day:04d}T{hour:02d}"
        self.tallies.hours.add(at)
        each = 1 / (DAYS_A_WEEK * HOURS_A_DAY)
        matters = [
            name
            for name, group in self.standing.items()
            if not group.beside and self.dice.random() < group.weekly * each
        ]
        for name in matters:
            group = self.standing[name]
            effect = group.effect if week < CHANGE else group.later
            self._task(at, kind_of(name), [name], effect)
            self._task(at, kind_of(name), [], 0)
        for name, group in self.standing.items():
            if group.beside:
                for _ in range(self._times(group.weekly * each)):
                    self._task(at, self.dice.randrange(KINDS), [name], 0)

    def _times(self, expected: float) -> int:
        return int(expected) + (self.dice.random() < expected % 1)

    def _task(self, at: str, kind: int, shown: Sequence[str], effect: float) -> None:
        self.session += 1
        chance = min(0.98, max(0.02, 0.45 + 0.4 * kind / (KINDS - 1) + effect))
        result = SUCCESS if self.dice.random() < chance else FAILURE
        self.tallies.outcome(at, at, str(self.session), f"kind {kind}", result, tuple(shown))

    def _let_go(self) -> None:
        """Archive on Friday evening what has faded."""
        overall = overall_share(self.tallies.tasks)
        order = sorted(self.tallies.hours)
        index = {at: n for n, at in enumerate(order, 1)}
        memories = [self._memory(name, index, overall) for name in self.standing]
        for memory in memories:
            goes = has_faded(memory, len(order))
            if goes:
                del self.standing[memory.id]

    def _memory(self, name: str, index: dict[str, int], overall: float) -> Memory:
        tally = self.tallies.of.get(name, Tally())
        return Memory(
            id=name,
            used_hour=index.get(tally.used_at, 0),
            useful=sum(counts[0] for counts in tally.tasks.values()),
            harmful=sum(counts[1] for counts in tally.tasks.values()),
            expected=expected_without(tally, self.tallies.tasks, overall) if tally.tasks else overall,
        )


def kind_of(name: str) -> int:
    """Give the kind of task that a memory is about."""
    return int(name.rpartition(" ")[2]) % KINDS


def main() -> None:
    """Print what stands after some weeks."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    print(f"kept of {EACH} memories each, mean of {seeds} seeds, after weeks {', '.join(map(str, SHOWN_AT))}")
    print(f"({DAYS_A_WEEK * HOURS_A_DAY} active hours a week; 'turned wrong' from week {CHANGE} on)\n")
    lives = [World(random.Random(seed)).live(WEEKS) for seed in range(seeds)]
    print(f"{'':34}" + "".join(f"{week:>6}" for week in SHOWN_AT))
    for group in GROUPS:
        cells = (f"{mean(life[week - 1][group.name] for life in lives):>6.0%}" for week in SHOWN_AT)
        print(f"{group.name:34}{''.join(cells)}")


if __name__ == "__main__":
    main()

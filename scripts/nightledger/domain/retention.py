"""What to keep: tiers, recency, and what says which memories have decayed.

The rule is one bounded formula::

    utility = exp(-rate * 10 ** -lean * idle)

*rate* is the tier's. *lean*, -1..1, is what outcomes say: how far the Beta posterior of
"succeeds with it" lies from what succeeds without it. *idle* is active
hours: since the memory was made or shown mercy, and the more it has proved useful, since it
was last of use. Being shown counts for nothing, and the more often a memory was shown
without telling, the nearer its lean is to 0.

Invariant: pure; the same memory at the same active hour has the same utility, however often
it is asked for.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from math import exp, log, sqrt

from msgspec import Struct, field

# ------------------------------------------------------------ constants and where they come from


class Tier(Struct, frozen=True):
    """How fast a memory fades.

    Attributes:
        name: ``permanent``, ``durable``, ``standard`` or ``ephemeral``.
        rate: Decay an active hour.
    """

    name: str
    rate: float


PERMANENT = Tier("permanent", 0.00001)
DURABLE = Tier("durable", 0.001)
STANDARD = Tier("standard", 0.010)
EPHEMERAL = Tier("ephemeral", 0.050)
"""FACTS, elfmem: half-lives of about 69,315, 693, 69 and 14 active hours."""
CONSTITUTIONAL = "self/constitutional"
OBSERVATION = "observation"
_DURABLE_TAGS = frozenset({"self/value", "self/constraint", "self/goal"})
SELF_TAGS = ("self/value", "self/constraint", "self/goal", "self/style", "self/context")
ENTRY_TAGS = (*SELF_TAGS, OBSERVATION)
"""What an operator can tag an entry with. FACTS, elfmem: the known self tags but the constitution's, and what fades soon."""

PRIOR = 2.0
"""FACTS, elfmem: strength of the Beta prior, in outcomes."""
SURE_SD = 2.0
"""So many standard deviations from chance count as proved (one chance in 44 by luck alone). Our choice."""
TIER_STEP = 10.0
"""What is proved useful fades as if one tier up, what is proved harmful as if one tier down: the step from
standard to durable in the table above."""
MEASURED_THRESHOLD = 0.05
"""FACTS, elfmem, curate: archived at recency below 0.05, three half-lives and a third."""


# ------------------------------------------------------------ values


class Memory(Struct, frozen=True, kw_only=True):
    """One entry or principle, with all that it is judged by.

    Attributes:
        id: Of the entry.
        tier: See :func:`tier_of`.
        pinned: Whether an operator signed that it stays.
        created_hour: Count of active hours when it was made, or when mercy was shown, if later.
        used_hour: Count of active hours when it was last of use: an outcome it helped to, a
            reinforcement. 0 where it never was.
        useful: Independent sources that succeeded with it.
        harmful: Independent sources that failed with it.
        expected: Share of such tasks that succeed without it, 0..1, both excluded.
    """

    id: str
    tier: Tier = STANDARD
    pinned: bool = False
    created_hour: int = 0
    used_hour: int = 0
    useful: int = 0
    harmful: int = 0
    expected: float = 0.5

    @property
    def immune(self) -> bool:
        """Whether it never decays: it is pinned, or its tier is permanent."""
        return self.pinned or self.tier.rate <= PERMANENT.rate


# ------------------------------------------------------------ rules


def tier_of(tags: Collection[str]) -> Tier:
    """Give the tier that an entry's tags make, the first match (FACTS, elfmem)."""
    if CONSTITUTIONAL in tags:
        return PERMANENT
    if not _DURABLE_TAGS.isdisjoint(tags):
        return DURABLE
    return EPHEMERAL if OBSERVATION in tags else STANDARD


def recency(rate: float, active_hours: float) -> float:
    """Give how fresh something is, 0..1: ``exp(-rate * active_hours)``; hours below 0 count as 0."""
    return exp(-rate * max(0.0, active_hours))


def lean(useful: int, harmful: int, expected: float) -> float:
    """Give what outcomes say of a memory, -1..1; 0 where there are none or they are as without it.

    The posterior is Beta with a prior of strength :data:`PRIOR` around ``expected`` (Gelman and
    others, Bayesian Data Analysis, 2.4). Its mean's distance from ``expected`` is counted in the
    standard deviations of a Beta of that strength around ``expected`` (a score test, not a Wald
    test: twenty of twenty say little where 95 of 100 succeed anyway). Where the memory changes
    nothing that distance spreads alike however many outcomes there are: being shown often
    proves nothing.

    Args:
        useful: Successes with it.
        harmful: Failures with it.
        expected: Share of successes without it, 0..1, both excluded.
    """
    count = useful + harmful
    if not count:
        return 0.0
    strength = PRIOR + count
    mean = (PRIOR * expected + useful) / strength
    distance = (mean - expected) / (SURE_SD * sqrt(expected * (1 - expected) / (strength + 1)))
    return 1.0 if distance > 1 else -1.0 if distance < -1 else distance


def measured_utility(memory: Memory, now_hour: int) -> float:
    """Return how far a memory is still worth its place, 0..1.

    Args:
        memory: With its counts.
        now_hour: Count of active hours up to now.
    """
    age: float = max(0, now_hour - memory.created_hour)
    leans = lean(memory.useful, memory.harmful, memory.expected)
    since = max(0, now_hour - memory.used_hour)
    if leans > 0 and since < age:
        age -= leans * (age - since)
    return exp(-memory.tier.rate * TIER_STEP**-leans * age)


def hours_left(memory: Memory, now_hour: int) -> float:
    """Return after how many more active hours a memory has faded if nothing is heard of it; 0 where it has.

    Args:
        memory: With its counts; not immune.
        now_hour: Count of active hours up to now.
    """
    rate = memory.tier.rate * TIER_STEP ** -lean(memory.useful, memory.harmful, memory.expected)
    now = measured_utility(memory, now_hour)
    return log(now / MEASURED_THRESHOLD) / rate if now > MEASURED_THRESHOLD else 0.0


def has_faded(memory: Memory, now_hour: int) -> bool:
    """Tell whether a memory that stands is to be let go; one that is immune never is."""
    return measured_utility(memory, now_hour) < MEASURED_THRESHOLD and not memory.immune


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


class Use(Struct, frozen=True, kw_only=True):
    """What is known of one memory.

    Attributes:
        shown: Times it was shown: exposures, and outcomes that name it.
        useful: Sessions that succeeded after it was shown, once a day for each kind of task.
        harmful: The same for those that failed.
        expected: Share of such tasks that succeed where it was not shown, 0..1, both excluded.
        used_hour: Newest hour of a success after it was shown.
    """

    shown: int = 0
    useful: int = 0
    harmful: int = 0
    expected: float = 0.5
    used_hour: int | None = None


NO_USE = Use()


class Tally(Struct):
    """The running counts of one memory; lives only inside a fold."""

    shown: int = 0
    used_at: str = ""
    tasks: dict[str, list[int]] = field(default_factory=dict)

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
        if result in (SUCCESS, FAILURE):
            key = (task_type, source, result)
            seen = self._counted.get(key)
            if seen is None:
                seen = self._counted[key] = set()
                self.tasks.setdefault(task_type, [0, 0])[result == FAILURE] += 1
        for name in self._kept(shown):
            tally = self.of.setdefault(name, Tally())
            tally.shown += 1
            if result == SUCCESS and at > tally.used_at:
                tally.used_at = at
            if seen is not None and name not in seen:
                seen.add(name)
                tally.count(task_type, result)

    def exposure(self, hour: str, shown: Iterable[str]) -> None:
        """Take in one exposure."""
        self.hours.add(hour)
        for name in self._kept(shown):
            self.of.setdefault(name, Tally()).shown += 1

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


TOP_SHARE = 5
"""One in so many is among the best connected (FACTS, elfmem, curate: top fifth)."""


def well_connected_from(degrees: Collection[int]) -> int:
    """Give the degree from which one is in the top fifth: at least 1, for no link is no connection.

    Equals of the last in the fifth are in it, too.
    """
    ranked = sorted(degrees, reverse=True)
    last = len(ranked) // TOP_SHARE - 1
    return max(1, ranked[last] if last >= 0 else ranked[0] + 1 if ranked else 1)


PERIOD_HOURS = 40
"""Active hours between two passes (FACTS, elfmem: curate each 40 active hours)."""
REINFORCED = 5
"""Entries that a period reinforces (FACTS: top 5 reinforced)."""
ARCHIVED_BELOW = 0.05
"""Recency under which an entry is proposed for the archive (FACTS: archive at recency < .05)."""
MOST_ARCHIVED = 20
"""Entries that one pass proposes for the archive (FACTS, after months of use: at most 20 proposals)."""


def periods_due(now_hour: int, last: int | None) -> tuple[int, ...]:
    """Give the periods that are over and were not curated, by the count of active hours at their end.

    Before the first pass only the newest one counts: what a home did before it was curated is not
    made up for.

    Args:
        now_hour: Count of active hours up to now.
        last: End of the newest period that was curated; None before the first.
    """
    newest = now_hour // PERIOD_HOURS * PERIOD_HOURS
    if not newest or (last is not None and newest <= last):
        return ()
    first = newest if last is None else last // PERIOD_HOURS * PERIOD_HOURS + PERIOD_HOURS
    return tuple(range(first, newest + 1, PERIOD_HOURS))


class Proof(Struct):
    """What outcomes of one period say of one entry, each session once a day and kind of task.

    Attributes:
        useful: Successes after it was shown.
        harmful: Failures after it was shown.
    """

    useful: int = 0
    harmful: int = 0


def most_useful(proofs: Mapping[str, Proof], utilities: Mapping[str, float]) -> tuple[str, ...]:
    """Give the entries that a period reinforces: those that proved most useful in it, five at most.

    An entry that failed as often as it helped is none of them, however often it was shown.

    Args:
        proofs: By id.
        utilities: Of every entry that stands; ties go to the higher, then to the smaller id.
    """
    proved = [
        (proof.harmful - proof.useful, -utilities[name], name)
        for name, proof in proofs.items()
        if name in utilities and proof.useful > proof.harmful
    ]
    return tuple(name for *_, name in sorted(proved)[:REINFORCED])


def fades(memories: Sequence[Memory], degrees: Sequence[int], now_hour: int) -> list[int]:
    """Give the places of the entries that have faded, the most faded first.

    Args:
        memories: Entries that stand.
        degrees: How well each is connected.
        now_hour: Count of active hours up to now.
    """
    least = well_connected_from(degrees)
    faded = []
    for at, (memory, degree) in enumerate(zip(memories, degrees, strict=True)):
        fresh = recency(memory.tier.rate, now_hour - max(memory.created_hour, memory.used_hour))
        if fresh < ARCHIVED_BELOW and not memory.immune and degree < least:
            faded.append((fresh, at))
    return [at for _, at in sorted(faded)]


class ReinforcementKind(StrEnum):
    """Who reinforced."""

    CURATE = "curate"
    """The nightly job, once in each period of active hours."""
    MERCY = "mercy"
    """The operator, in ``curate --ask``: the entries stay and count as made anew."""


class Reinforcement(Struct, frozen=True, kw_only=True):
    """Entries and principles reinforced together; ``memory/system/reinforcements.jsonl``.

    Attributes:
        v: Version of the record, 1.
        kind: Who reinforced.
        period: What it was done for: a count of active hours, or the time of an answer. Each kind
            writes a period once.
        active_hours: Count of the home's active hours then.
        ids: Entries (``e-...``) and principles (``constitution#care``), sorted.
    """

    v: int
    kind: ReinforcementKind
    period: str
    active_hours: int
    ids: tuple[str, ...]

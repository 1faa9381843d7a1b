"""What to keep: tiers, recency, and two policies that say which memories have decayed.

``classic`` is the published utility of the retention judge, kept exact to be compared with.
``measured``, the default, is one bounded formula::

    utility = exp(-rate * 10 ** -lean * idle)

*rate* is the tier's. *lean*, -1..1, is what outcomes say: how far the Beta posterior of
"succeeds with it" lies from what succeeds without it. *idle* is active
hours: since the memory was made or shown mercy, and the more it has proved useful, since it
was last of use. Being shown counts for nothing, and the more often a memory was shown
without telling, the nearer its lean is to 0.

Invariant: pure; the same memory at the same active hour has the same utility, however often
it is asked for.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from math import exp, log, sqrt

from msgspec import Struct

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
TIERS = (PERMANENT, DURABLE, STANDARD, EPHEMERAL)
CONSTITUTIONAL = "self/constitutional"
OBSERVATION = "observation"
_DURABLE_TAGS = frozenset({"self/value", "self/constraint", "self/goal"})
SELF_TAGS = ("self/value", "self/constraint", "self/goal", "self/style", "self/context")
ENTRY_TAGS = (*SELF_TAGS, OBSERVATION)
"""What an operator can tag an entry with. FACTS, elfmem: the known self tags but the constitution's, and what fades soon."""

ACCESS_WEIGHT = 0.4
RECENCY_WEIGHT = 0.4
OUTCOME_WEIGHT = 0.2
CLASSIC_THRESHOLD = 0.15
"""FACTS, Vidurai: 0.4 ln(access + 1) + 0.4 / (days + 1) + 0.2 outcome; below 0.15 it decays."""

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


class Status(StrEnum):
    """What a memory is; names as published (FACTS, Vidurai)."""

    ACTIVE = "ACTIVE"
    PENDING_DECAY = "PENDING_DECAY"
    """The policy would let it go; the operator has not said."""
    ARCHIVED = "ARCHIVED"
    """It was taken out and stands in the archive."""
    DECAYED = "DECAYED"
    """It was taken out for good: forgotten or removed."""


class Policy(StrEnum):
    """Which rule judges."""

    MEASURED = "measured"
    CLASSIC = "classic"


class Memory(Struct, frozen=True, kw_only=True):
    """One entry or principle, with all that a policy looks at.

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
        access: Times it was retrieved or reinforced; ``classic`` alone reads it.
        days: Days since its last access; ``classic`` alone reads it.
        outcome: -1, 0 or 1, what the last outcome with it was; ``classic`` alone reads it.
    """

    id: str
    tier: Tier = STANDARD
    pinned: bool = False
    created_hour: int = 0
    used_hour: int = 0
    useful: int = 0
    harmful: int = 0
    expected: float = 0.5
    access: int = 0
    days: int = 0
    outcome: int = 0

    @property
    def immune(self) -> bool:
        """Whether no policy lets it go: it is pinned, or its tier is permanent."""
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


def classic_utility(*, access: int, days: int, outcome: int) -> float:
    """Give the published utility; days below 0, of a clock that was set back, count as 0."""
    return ACCESS_WEIGHT * log(access + 1) + RECENCY_WEIGHT / (max(0, days) + 1) + OUTCOME_WEIGHT * outcome


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


def utility_of(memory: Memory, policy: Policy, now_hour: int) -> float:
    """Return what a policy makes of a memory; pins do not enter here."""
    if policy is Policy.MEASURED:
        return measured_utility(memory, now_hour)
    return classic_utility(access=memory.access, days=memory.days, outcome=memory.outcome)


THRESHOLDS: Mapping[Policy, float] = {
    Policy.MEASURED: MEASURED_THRESHOLD,
    Policy.CLASSIC: CLASSIC_THRESHOLD,
}


def status_of(memory: Memory, policy: Policy, now_hour: int) -> Status:
    """Return what a policy says of a memory that stands: active, or pending decay; one that is immune is active."""
    fades = utility_of(memory, policy, now_hour) < THRESHOLDS[policy] and not memory.immune
    return Status.PENDING_DECAY if fades else Status.ACTIVE

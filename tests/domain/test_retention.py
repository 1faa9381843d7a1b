from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from nightledger.domain.retention import (
    DURABLE,
    EPHEMERAL,
    PERMANENT,
    STANDARD,
    TIERS,
    Memory,
    Policy,
    Status,
    Tier,
    lean,
    measured_utility,
    recency,
    status_of,
    tier_of,
)

memories = st.builds(
    Memory,
    id=st.just("e-1"),
    tier=st.sampled_from(TIERS),
    pinned=st.booleans(),
    created_hour=st.integers(0, 5000),
    used_hour=st.integers(0, 5000),
    useful=st.integers(0, 300),
    harmful=st.integers(0, 300),
    expected=st.floats(0.01, 0.99),
    access=st.integers(0, 50),
    days=st.integers(-3, 400),
    outcome=st.sampled_from((-1, 0, 1)),
)


def first_day_of_decay(access: int, outcome: int) -> int | None:
    """Give the day on which the classic policy would let go; None within ten years."""
    for day in range(3650):
        memory = Memory(id="e-1", access=access, days=day, outcome=outcome)
        if status_of(memory, Policy.CLASSIC, 0) is Status.PENDING_DECAY:
            return day
    return None


# ---------------------------------------------------------------- what was published


@pytest.mark.parametrize(
    ("tier", "half_life"), [(PERMANENT, 69_315), (DURABLE, 693), (STANDARD, 69), (EPHEMERAL, 14)]
)
def test_the_tiers_have_the_published_half_lives(tier: Tier, half_life: int) -> None:
    assert round(log(2) / tier.rate) == half_life
    assert recency(tier.rate, half_life) == pytest.approx(0.5, abs=0.006)


@pytest.mark.parametrize(
    ("tags", "tier"),
    [
        (("self/constitutional", "self/value"), PERMANENT),
        (("self/value",), DURABLE),
        (("self/constraint", "observation"), DURABLE),
        (("self/goal",), DURABLE),
        (("observation",), EPHEMERAL),
        (("self/style",), STANDARD),
        (("self/context",), STANDARD),
        ((), STANDARD),
    ],
)
def test_the_first_tag_that_matches_makes_the_tier(tags: tuple[str, ...], tier: Tier) -> None:
    assert tier_of(tags) is tier


@pytest.mark.parametrize(
    ("access", "outcome", "day"),
    [
        (0, 0, 2),
        (0, -1, 1),
        (0, 1, None),
        (1, 0, None),
        (1, -1, 5),
        (1, 1, None),
        (2, 0, None),
        (2, -1, None),
        (9, -1, None),
    ],
)
def test_classic_has_the_published_worked_values(access: int, outcome: int, day: int | None) -> None:
    assert first_day_of_decay(access, outcome) == day


@pytest.mark.parametrize("policy", list(Policy))
def test_a_pin_is_an_absolute_veto(policy: Policy) -> None:
    lost = Memory(id="e-1", tier=EPHEMERAL, harmful=500, days=9999, outcome=-1)
    assert status_of(lost, policy, 100_000) is Status.PENDING_DECAY
    assert status_of(replace(lost, pinned=True), policy, 100_000) is Status.ACTIVE


# ---------------------------------------------------------------- what measured mends


def last_hour(memory: Memory) -> int:
    """Give the last active hour on which a memory made at hour 0 is active."""
    low, high = 0, 10_000_000
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if status_of(memory, Policy.MEASURED, middle) is Status.ACTIVE
            else (low, middle - 1)
        )
    return low


def test_what_nothing_is_known_of_fades_with_its_tier() -> None:
    assert [last_hour(Memory(id="e-1", tier=tier)) for tier in (DURABLE, STANDARD, EPHEMERAL)] == [
        2995,
        299,
        59,
    ]


def test_what_proves_useful_fades_a_tier_slower_and_from_its_last_use() -> None:
    proved = Memory(id="e-1", useful=20, expected=0.5, used_hour=1000)
    assert last_hour(proved) == 1000 + 2995


def test_what_proves_harmful_fades_a_tier_faster_and_its_use_counts_for_nothing() -> None:
    assert last_hour(Memory(id="e-1", harmful=20, expected=0.5, used_hour=25)) == 29


@given(memories, st.integers(0, 10_000), st.integers(0, 1000))
def test_access_and_days_count_for_nothing(memory: Memory, now: int, access: int) -> None:
    other = replace(memory, access=access, days=0, outcome=1)
    assert measured_utility(memory, now) == measured_utility(other, now)


@given(memories, st.integers(0, 10_000), st.integers(0, 10_000))
def test_utility_is_bounded_and_never_grows_with_time(memory: Memory, now: int, later: int) -> None:
    early, late = (measured_utility(memory, hour) for hour in sorted((now, later)))
    assert 0.0 <= late <= early <= 1.0


@given(memories, st.integers(0, 10_000))
def test_a_success_more_never_lowers_it_and_a_failure_more_never_raises_it(memory: Memory, now: int) -> None:
    here = measured_utility(memory, now)
    assert measured_utility(replace(memory, useful=memory.useful + 1), now) >= here - 1e-12
    assert measured_utility(replace(memory, harmful=memory.harmful + 1), now) <= here + 1e-12


def test_one_outcome_alone_proves_nothing_and_a_few_clear_ones_do() -> None:
    assert lean(1, 0, 0.5) < 0.5
    assert lean(6, 0, 0.5) == 1.0
    assert lean(0, 6, 0.5) == -1.0
    assert lean(0, 0, 0.9) == 0.0
    assert lean(20, 0, 0.95) < lean(20, 0, 0.5)  # where all succeed, a success says little

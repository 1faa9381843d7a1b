import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.retention import (
    DURABLE,
    EPHEMERAL,
    PERIOD_HOURS,
    PERMANENT,
    STANDARD,
    Memory,
    Proof,
    fades,
    most_useful,
    periods_due,
)


@pytest.mark.parametrize(
    ("now_hour", "last", "due"),
    [
        (0, None, ()),
        (39, None, ()),
        (40, None, (40,)),
        (79, 40, ()),
        (80, 40, (80,)),
        (205, 80, (120, 160, 200)),
        (4000, None, (4000,)),
        (39, 40, ()),
        (130, 93, (120,)),
    ],
)
def test_each_forty_active_hours_are_one_period(
    now_hour: int, last: int | None, due: tuple[int, ...]
) -> None:
    assert periods_due(now_hour, last) == due


@given(st.lists(st.integers(0, 60), max_size=30))
def test_however_passes_fall_each_period_comes_once_and_in_order(steps: list[int]) -> None:
    now, last, seen = 0, None, []
    for step in steps:
        now += step
        for period in periods_due(now, last):
            last = period
            seen.append(period)
        assert periods_due(now, last) == ()
    assert seen == sorted(set(seen))
    if seen:
        assert seen == list(range(seen[0], now // PERIOD_HOURS * PERIOD_HOURS + 1, PERIOD_HOURS))


def test_the_five_that_proved_most_useful_are_reinforced() -> None:
    proofs = {f"e-{n}": Proof(useful=n) for n in range(1, 8)}
    assert most_useful(proofs, dict.fromkeys(proofs, 0.5)) == ("e-7", "e-6", "e-5", "e-4", "e-3")


def test_of_equals_the_one_of_more_worth_comes_first_then_the_smaller_id() -> None:
    proofs = {name: Proof(useful=2, harmful=1) for name in ("e-a", "e-b", "e-c")}
    assert most_useful(proofs, {"e-a": 0.2, "e-b": 0.9, "e-c": 0.2}) == ("e-b", "e-a", "e-c")


def test_what_failed_as_often_or_is_gone_is_not_reinforced_however_often_it_was_shown() -> None:
    proofs = {"e-a": Proof(useful=50, harmful=50), "e-b": Proof(useful=9), "e-c": Proof(harmful=1)}
    assert most_useful(proofs, {"e-a": 1.0, "e-c": 1.0}) == ()
    assert most_useful({}, {}) == ()


def test_what_faded_is_proposed_the_most_faded_first() -> None:
    memories = [
        Memory(id="fresh", created_hour=490),
        Memory(id="old", created_hour=0),
        Memory(id="useful", created_hour=0, used_hour=480),
        Memory(id="older", created_hour=0, tier=EPHEMERAL),
        Memory(id="pinned", created_hour=0, pinned=True),
        Memory(id="permanent", created_hour=0, tier=PERMANENT),
        Memory(id="durable", created_hour=0, tier=DURABLE),
    ]
    assert [memories[at].id for at in fades(memories, [0] * 7, 500)] == ["older", "old"]


def test_below_five_hundredths_is_three_hundred_active_hours_of_a_standard_entry() -> None:
    memory = Memory(id="a", created_hour=0, tier=STANDARD)
    assert [fades([memory], [0], hour) for hour in (299, 300)] == [[], [0]]


def test_the_top_fifth_by_degree_stays() -> None:
    memories = [Memory(id=str(n)) for n in range(10)]
    degrees = [0, 9, 1, 1, 1, 1, 1, 1, 5, 0]
    assert fades(memories, degrees, 10_000) == [0, 2, 3, 4, 5, 6, 7, 9]


def test_nothing_fades_without_active_hours() -> None:
    assert fades([Memory(id="a")], [0], 0) == []

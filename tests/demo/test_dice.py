from hypothesis import given
from hypothesis import strategies as st

from nightledger.demo.dice import Dice

SEEDS = st.integers()


def test_the_sequence_of_a_seed_is_the_one_that_python_promises() -> None:
    dice = Dice(1, "home")
    assert [dice.between(0, 99) for _ in range(6)] == [7, 64, 19, 12, 8, 54]


@given(seed=SEEDS)
def test_the_same_seed_and_name_give_the_same_draws(seed: int) -> None:
    first, again = Dice(seed, "a"), Dice(seed, "a")
    assert [first.between(0, 1000) for _ in range(5)] == [again.between(0, 1000) for _ in range(5)]


def test_draws_of_one_part_leave_another_part_alone() -> None:
    quiet, busy = Dice(3, "home"), Dice(3, "home")
    busy.child("a").some(range(100), 50)
    assert quiet.child("b").letters("abcdef", 20) == busy.child("b").letters("abcdef", 20)


@given(seed=SEEDS, low=st.integers(-50, 50), width=st.integers(0, 20))
def test_between_stays_within_its_bounds(seed: int, low: int, width: int) -> None:
    assert low <= Dice(seed, "x").between(low, low + width) <= low + width


@given(seed=SEEDS, count=st.integers(0, 12))
def test_some_gives_different_options_and_never_more_than_there_are(seed: int, count: int) -> None:
    drawn = Dice(seed, "x").some("abcdefgh", count)
    assert len(drawn) == len(set(drawn)) == min(count, 8)


def test_weights_decide_how_often_an_option_comes() -> None:
    dice = Dice(5, "x")
    drawn = [dice.weighted((("often", 9), ("rare", 1), ("never", 0))) for _ in range(1000)]
    assert 850 < drawn.count("often") < 950
    assert "never" not in drawn

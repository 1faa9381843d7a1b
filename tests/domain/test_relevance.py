import math

from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.exposure import EARLIER, information, weigh

counts = st.integers(min_value=0, max_value=10_000)


@given(chunks=counts, holding=counts)
def test_a_rarer_word_tells_more_and_none_tells_less_than_nothing(chunks: int, holding: int) -> None:
    assert information(chunks, holding) > 0
    assert information(chunks, holding) >= information(chunks, min(holding + 1, max(chunks, holding)))


def test_half_of_what_a_prompt_says_scores_a_quarter() -> None:
    holding = {"a": 5, "b": 5, "c": 5, "d": 5}
    asked = weigh(["a", "b", "c", "d"], [], holding, 1000)
    whole = asked.score(["a", "b", "c", "d"])
    assert math.isclose(whole, 4 * information(1000, 5), abs_tol=1e-4)
    assert math.isclose(asked.score(["a", "c"]), whole / 4, abs_tol=1e-4)
    assert asked.score([]) == 0


def test_words_that_nothing_holds_speak_against_every_line() -> None:
    known = weigh(["a", "b"], [], {"a": 5, "b": 5}, 1000).score(["a"])
    unknown = weigh(["a", "x"], [], {"a": 5, "x": 0}, 1000).score(["a"])
    assert unknown < known
    assert weigh(["x"], [], {"x": 0}, 1000).words == {}


def test_an_earlier_word_counts_a_part_and_is_nothing_that_the_prompt_says() -> None:
    holding = {"a": 5, "b": 5}
    alone, after = weigh(["a"], [], holding, 1000), weigh(["a"], ["b"], holding, 1000)
    assert after.own == alone.own
    assert math.isclose(after.words["b"], EARLIER * after.words["a"])
    assert after.score(["a", "b"]) > after.score(["a"]) == alone.score(["a"])
    assert weigh(["a"], ["a"], holding, 1000).words == alone.words

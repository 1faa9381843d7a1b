import math

from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.exposure import EARLIER, LEAST_CHUNKS, MOST_TERMS, information, weigh

counts = st.integers(min_value=0, max_value=10_000)


@given(chunks=counts, holding=counts)
def test_a_rarer_word_tells_more_and_none_tells_less_than_nothing(chunks: int, holding: int) -> None:
    assert information(chunks, holding) > 0
    assert information(chunks, holding) >= information(chunks, min(holding + 1, max(chunks, holding)))


def test_the_formula_is_that_of_bm25() -> None:
    assert math.isclose(information(10_000, 3), math.log(1 + 9_997.5 / 3.5))
    assert information(5, 1) == information(LEAST_CHUNKS, 1)


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


def test_many_unknown_words_count_as_twelve() -> None:
    own = [f"x{n}" for n in range(40)]
    holding = {**dict.fromkeys(own, 0), "a": 5}
    forty = weigh([*own, "a"], [], holding, 1000).score(["a"])
    twelve = weigh([*own[:12], "a"], [], holding, 1000).score(["a"])
    assert forty == twelve


def test_the_twelve_most_telling_words_are_looked_for() -> None:
    own = [f"w{n:02}" for n in range(30)]
    asked = weigh(own, [], {word: n + 1 for n, word in enumerate(own)}, 1000)
    assert list(asked.words) == own[:MOST_TERMS]


def test_an_earlier_word_counts_a_part_and_is_nothing_that_the_prompt_says() -> None:
    holding = {"a": 5, "b": 5}
    alone, after = weigh(["a"], [], holding, 1000), weigh(["a"], ["b"], holding, 1000)
    assert after.own == alone.own
    assert math.isclose(after.words["b"], EARLIER * after.words["a"])
    assert after.score(["a", "b"]) > after.score(["a"]) == alone.score(["a"])
    assert weigh(["a"], ["a"], holding, 1000).words == alone.words


def test_a_prompt_that_says_nothing_itself_scores_nothing() -> None:
    assert weigh([], ["b"], {"b": 5}, 1000).score(["b"]) == 0

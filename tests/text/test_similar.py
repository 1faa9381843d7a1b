from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.text.similar import NEAR, Overlaps, dice, fold, is_negated, same_claim, shingles


def alike(first: str, second: str) -> float:
    return dice(shingles(first), shingles(second))


WORDS = ["red", "blue", "green", "tea", "cup", "pot", "7", "42", "kettle", "茶杯", "水壶", "Ключ"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@from_corpus("text-similar")
def test_folding_keeps_the_wording_and_drops_the_dress(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_changed_word_stays_near_and_a_changed_subject_does_not() -> None:
    base = "The backup of the photo server runs before the nightly restart"
    assert alike(base, "The backup of the photo server runs before each nightly restart") >= NEAR
    assert alike(base, "The mail gateway drops attachments above ten megabytes") < NEAR / 2


@from_corpus("text-similar")
def test_near_wording_with_another_number_or_a_negation_is_not_the_same_claim(
    first: str, second: str
) -> None:
    assert alike(first, second) >= NEAR - 0.1
    assert not same_claim(first, second, near=0.5)


@from_corpus("text-similar")
def test_negation_is_seen_in_several_languages(text: str) -> None:
    assert is_negated(text)


@given(st.lists(TEXTS, max_size=15), TEXTS, st.sampled_from([0.4, 0.5, 2 / 3, 0.8, 0.9, 1.0]))
def test_the_index_finds_exactly_what_comparing_all_pairs_finds(
    texts: list[str], query: str, near: float
) -> None:
    index = Overlaps()
    for text in texts:
        index.add(shingles(text))
    assert sorted(index.near(shingles(query), near)) == [
        place for place, text in enumerate(texts) if alike(query, text) >= near
    ]

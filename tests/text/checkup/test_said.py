"""What is worked out once an item is what comparing each pair the plain way gives."""

from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.checkup.said import MEANING, STEM, WIDE, Said, in_one_order, is_form
from nightledger.text.checkup.units import Unit, UnitKind
from nightledger.text.similar import contained, containment, dice, similarity

words = st.text("abst言葉", min_size=1, max_size=8)
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)


def said(text: str) -> Said:
    return Said(Unit(kind=UnitKind.ITEM, first=1, last=1, own_last=1, text=text), text)


def differs_in_its_ending(word: str, other: str) -> bool:
    if word == other or len(word) < STEM or WIDE.search(word):
        return word == other
    return other.startswith(word[: max(STEM, len(word) - 3)])


@given(word=words, other=words)
def test_a_form_of_a_word_differs_in_its_ending_at_most(word: str, other: str) -> None:
    assert is_form(word, other) == differs_in_its_ending(word, other)


@given(word=words, text=texts)
def test_a_word_is_held_where_any_word_there_is_a_form_of_it(word: str, text: str) -> None:
    one = said(text)
    plainly = any(differs_in_its_ending(word, other) for other in one.words)
    assert one.holds(word) == (word in one.words or len(word) < MEANING or plainly)


@given(first=texts, second=texts)
def test_fingerprints_kept_are_as_alike_as_the_texts(first: str, second: str) -> None:
    assert dice(said(first).pieces, said(second).pieces) == similarity(first, second)
    assert contained(said(first).pieces, said(second).pieces) == containment(first, second)


def test_an_item_tells_its_words_names_and_capitals() -> None:
    one = said("Anna asks for `a/b.py`, then Bruno, then Anna at srv/notes")
    assert one.names == {"a/b.py", "srv/notes"}
    assert list(one.capitals) == ["anna", "bruno"]
    assert list(said("plan 計画書 plan").words) == ["plan", "計画", "画書"]


def test_names_that_change_places_are_in_another_order() -> None:
    anna, bruno = said("Anna before Bruno").capitals, said("Bruno before Anna").capitals
    assert not in_one_order(anna, bruno)
    assert in_one_order(anna, said("Anna and Carla before Bruno").capitals)


def test_long_items_of_many_forms_are_compared_in_one_look_a_word() -> None:
    longer = said(" ".join(f"w{number:06}s" for number in range(60_000)))
    assert all(longer.holds(f"w{number:06}") for number in range(60_000))

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.checkup.reworded import MORE, WORDS, says_again


def again(shorter: str, longer: str) -> bool:
    return says_again(shorter.split(), longer.split(), lambda word, other: word == other)


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [
        (
            "in hall lamps burn from dusk in yard they do not",
            "lamps in hall burn from dusk in yard they do not",
        ),
        ("the press starts at nine on every working day", "press runs at nine on every working day"),
        ("mail anna the plan of the hall each week", "anna wants the plan of the hall each week"),
        ("anna prefers the plan of the hall each week", "anna wants the plan of the hall each week"),
        ("die presse beginnt um neun an jedem werktag", "presse startet um neun an jedem werktag"),
    ],
)
def test_words_turned_round_say_the_same(shorter: str, longer: str) -> None:
    assert again(shorter, longer)


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [
        ("send plans of the hall to anna before bruno", "send plans of the hall to bruno before anna"),
        ("copy the plans of may from atlas to zeno", "copy the plans of may from zeno to atlas"),
        ("turn the lamps on in the hall at nine", "turn the lamps off in the hall at nine"),
        ("drafts of the plans live on the left shelf", "prints of the plans live on the left shelf"),
        ("mail anna the plan of the hall each week", "anna loses the plan of the hall each week"),
        ("lamps in the hall", "in the hall lamps"),
        (
            "lamps burn in the hall all night",
            "lamps burn in the hall all night unless bruno or carla or dora asks",
        ),
        ("the the the", "anna wants the plan"),
    ],
)
def test_what_means_another_thing_is_not_said_again(shorter: str, longer: str) -> None:
    assert not again(shorter, longer)


def test_a_form_of_a_word_is_that_word_where_the_caller_says_so() -> None:
    shorter, longer = "lamp burns in hall all night", "lamps burn in hall all night"
    assert not again(shorter, longer)
    assert says_again(shorter.split(), longer.split(), lambda word, other: word[:4] == other[:4])


def stands_in_order(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Say whether some choice of words of the other item gives these words, form for form."""
    return any(
        all(word[0] == other[0] for word, other in zip(inner, chosen, strict=True))
        for chosen in combinations(outer, len(inner))
    )


@given(
    inner=st.lists(st.sampled_from(["ba", "bb", "ca", "da", "fa", "ga", "ha"]), max_size=7),
    outer=st.lists(st.sampled_from(["ba", "ca", "cb", "da", "db", "fa", "ga", "ha"]), max_size=9),
)
def test_one_pass_finds_what_trying_every_choice_of_words_finds(inner: list[str], outer: list[str]) -> None:
    plainly = (
        len(inner) >= WORDS
        and len(set(outer) - set(inner)) <= MORE
        and all(any(word[0] == other[0] for other in outer) for word in inner)
        and any(stands_in_order(inner[:at] + inner[at + 1 :], outer) for at in range(len(inner)))
    )
    assert says_again(inner, outer, lambda word, other: word[0] == other[0]) == plainly


def test_two_items_of_many_words_are_compared_in_one_pass() -> None:
    words = [f"word{number}" for number in range(60_000)]
    moved = [*words[1:], words[0]]
    assert says_again(words, moved, lambda word, other: word == other)
    assert not says_again(words, [*words[2:], *words[1::-1]], lambda word, other: word == other)

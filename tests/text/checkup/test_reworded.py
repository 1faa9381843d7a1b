import pytest

from nightledger.text.checkup.reworded import says_again


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

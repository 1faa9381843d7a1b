import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nightledger.text.phrases import Phrases, is_telling, phrase

SAID = "The relay is fed from the attic."


def found(said: str, *lines: str) -> dict[int, str]:
    return Phrases({phrase(said): "said"}).find(enumerate(lines, 1))


@pytest.mark.parametrize(
    ("lines", "numbers"),
    [
        (["- **The RELAY** is fed from [the attic](x.md)!"], [1]),
        (["Ada: the relay is fed from the attic, they say"], [1]),
        (["The relay is", "", "  > fed from", "the attic. More.", "Else."], [1, 2, 3, 4]),
        (["The relay is fed from the attic.", "Else.", "The relay is fed", "from the attic."], [1, 3, 4]),
        (["The relay is fed from the attics."], []),
        (["Bathe relay is fed from the attic."], []),
        (["The relay is not fed from the attic."], []),
        ([], []),
    ],
)
def test_lines_that_say_a_phrase_are_found_however_they_are_wrapped(
    lines: list[str], numbers: list[int]
) -> None:
    assert sorted(found(SAID, *lines)) == numbers


@pytest.mark.parametrize(
    ("said", "lines", "numbers"),
    [
        ("钥匙在阁楼。", ["她说钥匙在阁楼里"], [1]),
        ("钥匙在阁楼。", ["钥匙", "在阁", "楼"], [1, 2, 3]),
        ("钥匙 在 阁楼", ["钥匙在阁楼"], [1]),
        ("the key 在阁楼", ["open the key在阁楼", "monthe key在阁楼"], [1]),
        ("在阁楼 the key", ["在阁楼the key", "在阁楼the keys"], [1]),
        ("在阁楼 the key", ["在阁楼the keyある"], [1]),
        ("the key lies", ["在the key lies在"], [1]),
    ],
)
def test_scripts_without_spaces_are_found_within_a_run(
    said: str, lines: list[str], numbers: list[int]
) -> None:
    assert sorted(found(said, *lines)) == numbers


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("the keys are", True),
        ("the keys ar", False),
        ("钥匙在阁", True),
        ("钥匙在", False),
        ("käse und br", False),
        ("", False),
    ],
)
def test_a_phrase_tells_from_so_many_letters_on(text: str, *, telling: bool) -> None:
    assert is_telling(phrase(text)) is telling


def test_no_phrase_is_found_nowhere() -> None:
    assert Phrases({}).find([(1, SAID)]) == {}
    assert Phrases({"": "said"}).find([(1, SAID)]) == {}


@given(st.lists(st.sampled_from(["key", "relay", "钥匙", "在", "阁楼", "émeu", "7"]), min_size=1), st.data())
def test_a_phrase_is_found_wherever_its_lines_end(words: list[str], data: st.DataObject) -> None:
    ends = data.draw(
        st.lists(st.sampled_from([" ", "\n", "\n  - "]), min_size=len(words), max_size=len(words))
    )
    text = "".join(word + end for word, end in zip(words, ends, strict=True))
    assume(is_telling(phrase(" ".join(words))))
    assert found(" ".join(words), *text.split("\n"))

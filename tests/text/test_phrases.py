import time
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nightledger.text.phrases import Phrases, is_telling, phrase, phrases_of

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


@pytest.mark.parametrize(
    "line",
    [
        "The relay is fed&nbsp;from the &#97;ttic.",
        "The re<wbr>lay is <b>fed</b> from the attic.",
        "The rel\u00ady is fed from the at\u00adtic.".replace("rel\u00ady", "rel\u00aday"),
        "The r\u00e9lay is fed from the atti\ufe0fc \U0001f3e0\ufe0f.",
        "[The relay](http://a.example/(x)) is fed[^1] from [the attic][b].",
        "![x](http://a.example/the-relay-is-fed-from-the-attic)",
        "the%20relay%20is%20fed%20from%20the%20attic",
        "[[Relay|The relay]] is fed <!-- x --> from [[the attic]].",
        "TheRelayIsFedFromTheAttic",
        "3. [ ] 10:15 Assistant: The relay is fed from the attic.",
        "**[Sat 2026-03-28 21:48 GMT]** the relay is fed from the attic",
    ],
)
def test_what_stands_between_letters_hides_no_phrase(line: str) -> None:
    assert found(SAID, "Else.", line) == {2: "said"}


@pytest.mark.parametrize(
    "lines",
    [
        ["The relay is fed from the at-", "tic."],
        ["1. The relay is fed", "2. from the attic."],
        ["- [x] The relay is fed", "- [ ] from the attic."],
        ["- 9:59 The relay is fed", "", "- 10:00 from the attic."],
        ["**User:** The relay is fed", "**User:** from the attic."],
    ],
)
def test_nor_does_what_begins_a_line(lines: list[str]) -> None:
    assert sorted(found(SAID, *lines, "Else.")) == list(range(1, len(lines) + 1))


def test_all_of_a_text_and_what_a_reader_sees_of_it_are_its_wordings() -> None:
    assert phrases_of("- [The relay](http://a.example)") == ("the relay", "the relay http a example")
    assert phrases_of("The relay.") == ("the relay",)
    assert phrases_of("- **") == ()


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("- **Eve** is ill.", [1]),
        ("1. [x] Eve is ill", [1]),
        ("Eve is ill today.", []),
        ("Steve is ill.", []),
    ],
)
def test_a_phrase_that_tells_little_is_found_where_it_is_a_whole_line(line: str, numbers: list[int]) -> None:
    assert sorted(found("Eve is ill.", line)) == numbers


@pytest.mark.slow
def test_a_line_that_begins_a_thousand_marks_is_read_in_time() -> None:
    started = time.process_time()
    for mark in ("<!--", "[x](", "[^", "[[a|", "<a ", "&#", "%", "* ", "*", "*>", "1:00*"):
        assert found(SAID, mark * 50_000 + SAID) in ({}, {1: "said"})
    assert time.process_time() - started < 10


WRITTEN = [
    str, str.upper, str.title,
    lambda word: f"**{word[:2]}**{word[2:]}",
    lambda word: f"&#{ord(word[0])};{word[1:]}",
    lambda word: f"<b class='a'>{word}</b>",
    lambda word: f"[{word}](http://a.example/b_(c))",
    lambda word: f"[{word}][note][^2]",
    lambda word: f"[[page|{word}]]",
    "\u00ad".join,
    lambda word: "\u200b".join(word) + "\ufe0f",
    lambda word: word.replace("e", "\u00e9"),
    lambda word: "".join(chr(ord(letter) + 0xFEE0) for letter in word),
]  # fmt: skip
BETWEEN = [
    " ",
    "\n",
    "\n- ",
    "\n1. ",
    "\n- [x] ",
    "\n- 10:22 ",
    "\r\n> ",
    "&nbsp;",
    "<br>",
    " <!-- n --> ",
    " | ",
    "-\n",
]


@given(st.lists(st.tuples(st.sampled_from(WRITTEN), st.sampled_from(BETWEEN)), min_size=7, max_size=7))
def test_no_mixture_of_writings_hides_a_phrase(ways: list[tuple[Callable[[str], str], str]]) -> None:
    words = SAID.rstrip(".").split()
    text = "".join(write(word) + between for word, (write, between) in zip(words, ways, strict=True))
    assert found(SAID, *text.split("\n"))

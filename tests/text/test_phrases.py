from collections.abc import Callable

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.text.phrases import Phrases, is_telling, phrase

SAID = "The relay is fed from the attic."


def found(said: str, *lines: str) -> dict[int, str]:
    return Phrases({phrase(said): "said"}).find(enumerate(lines, 1))


@from_corpus("text-phrases")
def test_lines_that_say_a_phrase_are_found_however_they_are_wrapped(
    lines: list[str], numbers: list[int]
) -> None:
    assert sorted(found(SAID, *lines)) == numbers


@from_corpus("text-phrases")
def test_scripts_without_spaces_are_found_within_a_run(
    said: str, lines: list[str], numbers: list[int]
) -> None:
    assert sorted(found(said, *lines)) == numbers


@given(st.lists(st.sampled_from(["key", "relay", "钥匙", "在", "阁楼", "émeu", "7"]), min_size=1), st.data())
def test_a_phrase_is_found_wherever_its_lines_end(words: list[str], data: st.DataObject) -> None:
    ends = data.draw(
        st.lists(st.sampled_from([" ", "\n", "\n  - "]), min_size=len(words), max_size=len(words))
    )
    text = "".join(word + end for word, end in zip(words, ends, strict=True))
    assume(is_telling(phrase(" ".join(words))))
    assert found(" ".join(words), *text.split("\n"))


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
    " ", "\n", "\n- ", "\n1. ", "\n- [x] ", "\n- 10:22 ", "\r\n> ", "&nbsp;", "<br>", " <!-- n --> ", " | ",
    "-\n",
]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(WRITTEN), st.sampled_from(BETWEEN)), min_size=7, max_size=7))
def test_no_mixture_of_writings_hides_a_phrase(ways: list[tuple[Callable[[str], str], str]]) -> None:
    words = SAID.rstrip(".").split()
    text = "".join(write(word) + between for word, (write, between) in zip(words, ways, strict=True))
    assert found(SAID, *text.split("\n"))

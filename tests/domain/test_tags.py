import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row, from_corpus
from tests.whole import part

from nightledger.domain.words import MAX_TAG_CHARACTERS, canonical_tag, read_tag


@from_corpus("domain-tags")
def test_one_thing_has_one_spelling(text: str, tag: str) -> None:
    assert canonical_tag(text) == read_tag(text) == tag


def test_the_canonical_form_of_every_character_is_its_own() -> None:
    characters = (chr(code) for code in part(range(0x110000), 11) if not 0xD800 <= code < 0xE000)
    assert all(canonical_tag(tag) == tag for tag in map(canonical_tag, characters))


@given(text=st.text(max_size=80))
def test_a_tag_that_is_accepted_is_accepted_again_unchanged(text: str) -> None:
    assert canonical_tag(canonical_tag(text)) == canonical_tag(text)
    try:
        tag = read_tag(text)
    except ValueError:
        return
    assert read_tag(tag) == tag
    assert 1 <= len(tag) <= MAX_TAG_CHARACTERS


@each_row(
    "value, problem",
    [
        *((text, "is empty") for text in ("", "   ", "-/-", "_")),
        *((text, "longer than 64") for text in ("x" * 65, "x" * 10_000, "ß" * 33)),
        ("a\u200bb", r"U\+200B"),
        ("a\0b", r"U\+0000"),
        ("cr\u200con", r"U\+200C"),
        (5, "must be text"),
        (None, "must be text"),
    ],
)
def test_what_is_no_tag_says_why(value: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_tag(value)

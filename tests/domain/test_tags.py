import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.whole import part

from nightledger.domain.words import MAX_TAG_CHARACTERS, canonical_tag, read_tag


@each_row(
    "text, tag",
    [
        *(
            (text, "time_zone")
            for text in ("time zone", "time-zone", "time/zone", "  Time \t-/ Zone ", "time\u3000zone")
        ),
        ("a__b", "a__b"),
        ("/etc/cron", "_etc_cron"),
        ("Straße", "strasse"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("ﬁx", "fix"),
        (unicodedata.normalize("NFD", "Ünïcode"), "ünïcode"),
        ("İstanbul", unicodedata.normalize("NFC", "i\u0307stanbul")),
        ("时区", "时区"),
        ("c++", "c++"),
        ("x" * 64, "x" * 64),
        ("می\u200cخواهم", "می\u200cخواهم"),  # noqa: RUF001 - Persian, where the joiner is part of the spelling
    ],
)
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

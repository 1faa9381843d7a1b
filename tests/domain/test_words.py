"""What counts as text, an identifier, a label, a path, a tag and a moment; and what is refused with what to write instead."""

import json
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus, each_row, from_corpus
from tests.whole import part

from nightledger.domain import words
from nightledger.domain.outcome import Result, Signal
from nightledger.domain.proposal import Origin


def read_word(value: object) -> str:
    return words.read_identifier(value, 80)


def read_place(value: object) -> str:
    return words.read_path(value, anchor=True)


READERS: list[Callable[[object], str]] = [
    words.read_text,
    read_word,
    words.read_label,
    words.read_path,
    read_place,
    words.read_tag,
]
PROBLEMS: dict[object, str] = {
    **dict.fromkeys((None, 5, 1.5, True, (), b"x"), "must be text"),
    "": "is empty",
    "\ud800": "surrogate|U\\+D800",
    "é\udfff": "surrogate|U\\+DFFF",
}
NAMED = {
    "identifier": read_word,
    "label": words.read_label,
    "path": words.read_path,
    "place": read_place,
    "tag": words.read_tag,
    "time": words.read_moment,
}


@each_row("read", READERS)
@each_row("value, problem", PROBLEMS.items())
def test_only_text_that_utf8_can_write_is_text(
    read: Callable[[object], str], value: object, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        read(value)


@pytest.mark.parametrize("read", READERS)
@given(text=st.text(max_size=90))
def test_what_is_accepted_is_given_back_unchanged(read: Callable[[object], str], text: str) -> None:
    try:
        stored = read(text)
    except ValueError:
        return
    assert read(stored) == stored


@from_corpus("domain-words")
def test_what_is_none_of_its_kind_says_why_and_what_to_write(kind: str, text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        NAMED[kind](text)


@from_corpus("domain-words")
def test_labels_and_paths_are_kept_as_they_are(kind: str, text: str) -> None:
    assert NAMED[kind](text) == text


@from_corpus("domain-words")
def test_identifiers_of_any_script_are_identifiers(word: str) -> None:
    assert read_word(word) == word
    assert read_word(unicodedata.normalize("NFD", word)) == unicodedata.normalize("NFC", word)


@each_row(
    "digits, number", [("0042", 42), ("9" * 18, 10**18 - 1), ("1" + "0" * 18, 10**18), ("9" * 5_000, 10**18)]
)
def test_a_number_of_too_many_digits_is_the_largest(digits: str, number: int) -> None:
    assert words.number_of(digits) == number


@each_row("path", json.loads(corpus("domain-words-away.json")))
@each_row("anchor", ["", "#place"])
def test_a_path_that_leads_elsewhere_is_refused(path: str, anchor: str) -> None:
    for text, anchored in ((path + anchor, True), (path, False)):
        with pytest.raises(ValueError, match=r"absolute|plain path|cannot be seen|at most 512"):
            words.read_path(text, anchor=anchored)


@from_corpus("domain-words")
def test_a_time_with_a_zone_is_one_instant(text: str, stored: str) -> None:
    """In Berlin 02:30 did not exist on 2026-03-29; with an offset it is one instant all the same."""
    assert (
        words.dump_moment(words.read_moment(text)) == words.dump_moment(words.read_moment(stored)) == stored
    )
    assert words.read_moment(text).tzinfo is UTC


@given(moment=st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001 - zone beside
def test_every_moment_survives_being_written_and_read(moment: datetime) -> None:
    assert words.read_moment(words.dump_moment(moment)) == moment


def test_messages_repeat_little_and_escape_it() -> None:
    assert (words.show("x\x1b[31m"), words.show(5)) == (r"'x\x1b[31m'", "5")
    for long in ("y" * 10_000, ["z" * 10_000]):
        assert re.fullmatch(r".{40,50}\.\.\. \(\d+ characters\)", words.show(long))


def test_the_words_of_the_fast_path_are_those_of_the_enums() -> None:
    assert (tuple(Result), tuple(Signal), tuple(Origin)) == (words.RESULTS, words.SIGNALS, words.ORIGINS)


# ---------------------------------------------------------------- tags


@from_corpus("domain-words")
def test_one_thing_has_one_spelling(text: str, tag: str) -> None:
    assert words.canonical_tag(text) == words.read_tag(text) == tag


def test_the_canonical_form_of_every_character_is_its_own() -> None:
    characters = (chr(code) for code in part(range(0x110000), 11) if not 0xD800 <= code < 0xE000)
    assert all(words.canonical_tag(tag) == tag for tag in map(words.canonical_tag, characters))


@given(text=st.text(max_size=80))
def test_a_canonical_tag_is_its_own_and_a_tag_has_its_bounds(text: str) -> None:
    assert words.canonical_tag(words.canonical_tag(text)) == words.canonical_tag(text)
    try:
        assert 1 <= len(words.read_tag(text)) <= words.MAX_TAG_CHARACTERS
    except ValueError:
        return

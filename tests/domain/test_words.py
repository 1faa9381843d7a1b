import json
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus, each_row, from_corpus

from nightledger.domain.words import (
    dump_moment,
    number_of,
    read_identifier,
    read_label,
    read_moment,
    read_path,
    read_text,
    show,
)


def read_word(value: object) -> str:
    return read_identifier(value, 80)


def read_place(value: object) -> str:
    return read_path(value, anchor=True)


READERS: list[Callable[[object], str]] = [read_text, read_word, read_label, read_path, read_place]
PROBLEMS: dict[object, str] = {
    **dict.fromkeys((None, 5, 1.5, True, (), b"x"), "must be text"),
    "": "is empty",
    "\ud800": "surrogate",
    "é\udfff": "surrogate",
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
def test_identifiers_of_any_script_are_identifiers(word: str) -> None:
    assert read_word(word) == word
    assert read_word(unicodedata.normalize("NFD", word)) == unicodedata.normalize("NFC", word)


@from_corpus("domain-words")
def test_prose_is_refused_with_an_identifier_to_write_instead(word: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_word(word)


@each_row(
    "digits, number", [("0042", 42), ("9" * 18, 10**18 - 1), ("1" + "0" * 18, 10**18), ("9" * 5_000, 10**18)]
)
def test_a_number_of_too_many_digits_is_the_largest(digits: str, number: int) -> None:
    assert number_of(digits) == number


@each_row("label", ["build-box", "agent:main:7", "Atlas (new site)", "كتاب", "👩\u200d💻 desk", "x" * 128])
def test_a_label_is_one_visible_line(label: str) -> None:
    assert read_label(label) == label


@each_row(
    "label, problem",
    [
        *(
            (f"a{character}b", f"U\\+{ord(character):04X}")
            for character in "\n\t\u200b\u200d\u202e\ue000\u2028\x7f"
        ),
        *(
            (f"a{character}b", f"U\\+{ord(character):04X}")
            for character in "\U000e0041\U000e0100\u3164\u2800"
        ),
        (" x", "begins or ends with a space"),
        ("x\u3000", "begins or ends with a space"),
        ("x" * 129, "has 129 characters; at most 128"),
    ],
)
def test_what_cannot_be_seen_or_is_too_long_is_no_label(label: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_label(label)


@each_row("path", ["MEMORY.md", "memory/daily/2026-02-28.md", "a b/ü.md", "..hidden", "a...b", "x" * 512])
def test_a_path_inside_the_home_is_kept_as_it_is(path: str) -> None:
    assert read_path(path) == path


AWAY = json.loads(corpus("domain-words-away.json"))


@each_row("path", AWAY)
@each_row("anchor", ["", "#place"])
def test_a_path_that_leads_elsewhere_is_refused(path: str, anchor: str) -> None:
    for text, anchored in ((path + anchor, True), (path, False)):
        with pytest.raises(ValueError, match=r"absolute|plain path|cannot be seen|at most 512"):
            read_path(text, anchor=anchored)


def test_a_place_in_a_file_stands_behind_a_hash() -> None:
    for place in ("memory/x.md#cron-fix", "memory/x.md#a/../b", "memory/x.md"):
        assert read_place(place) == place
    for place, problem in (("memory/x.md#", "names no place"), ("#cron-fix", "plain path")):
        with pytest.raises(ValueError, match=problem):
            read_place(place)


@from_corpus("domain-words")
def test_a_time_with_a_zone_is_one_instant(text: str, stored: str) -> None:
    """In Berlin 02:30 did not exist on 2026-03-29; with an offset it is one instant all the same."""
    assert dump_moment(read_moment(text)) == dump_moment(read_moment(stored)) == stored
    assert read_moment(text).tzinfo is UTC


NO_DAY = ["2026-02-29T00", "2026-13-01T00", "2026-02-28T24", "0000-01-01T00"]
ODD = [
    "2026-02-28",
    "yesterday",
    "1772247900",
    "2026-W09-6T03:05:00Z",
    "٢٠٢٦-02-28T03:05:00Z",
    "2026-02-28T03:05:00Z\n",
]


@each_row(
    "text, problem",
    [
        ("2026-02-28T03:05:00", "has no zone"),
        *((f"{day}:00:00Z", "does not exist") for day in NO_DAY),
        ("2026-06-30T23:59:60Z", "does not exist"),
        ("2026-02-28T03:05:00+25:00", "does not exist"),
        ("0001-01-01T00:00:00+01:00", "does not exist"),
        *((text, "is not a time") for text in ODD),
    ],
)
def test_a_time_that_is_none_says_why(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_moment(text)


@given(moment=st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001 - zone beside
def test_every_moment_survives_being_written_and_read(moment: datetime) -> None:
    assert read_moment(dump_moment(moment)) == moment


def test_messages_repeat_little_and_escape_it() -> None:
    assert (show("x\x1b[31m"), show(5)) == (r"'x\x1b[31m'", "5")
    for long in ("y" * 10_000, ["z" * 10_000]):
        assert re.fullmatch(r".{40,50}\.\.\. \(\d+ characters\)", show(long))

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

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


@each_row("read", READERS)
@each_row("value", [None, 5, 1.5, True, [], {}, b"x"])
def test_only_text_is_text(read: Callable[[object], str], value: object) -> None:
    with pytest.raises(ValueError, match="must be text"):
        read(value)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("half", ["\ud800", "é\udfff"])
def test_half_a_surrogate_pair_is_refused(read: Callable[[object], str], half: str) -> None:
    with pytest.raises(ValueError, match="surrogate"):
        read(half)


@pytest.mark.parametrize("read", READERS)
@given(text=st.text(max_size=90))
def test_what_is_accepted_is_given_back_unchanged(read: Callable[[object], str], text: str) -> None:
    try:
        stored = read(text)
    except ValueError:
        return
    assert read(stored) == stored


@pytest.mark.parametrize(
    "word",
    [
        "set_tz",
        "a",
        "v1.2.3",
        "pip:install@latest",
        "a/b-c+d",
        "9lives",
        "über",
        "重启网关",
        "हिन्दी",
        "x" * 80,
    ],
)
def test_identifiers_of_any_script_are_identifiers(word: str) -> None:
    assert read_word(word) == word


@pytest.mark.parametrize(
    ("word", "instead"),
    [
        ("Set the zone, please!", "write set_the_zone_please"),
        ("restart gateway", "write restart_gateway"),
        ("_x", "write x"),
        ("é è", "write é_è"),
        ("重启。网关", "write 重启_网关"),
    ],
)
def test_prose_is_refused_with_an_identifier_to_write_instead(word: str, instead: str) -> None:
    with pytest.raises(ValueError, match="is not an identifier") as caught:
        read_word(word)
    assert str(caught.value).endswith(instead)


@pytest.mark.parametrize(
    ("digits", "number"),
    [("0", 0), ("0042", 42), ("9" * 18, 10**18 - 1), ("1" + "0" * 18, 10**18), ("9" * 5_000, 10**18)],
)
def test_a_number_of_too_many_digits_is_the_largest(digits: str, number: int) -> None:
    assert number_of(digits) == number


@pytest.mark.parametrize(
    "label", ["build-box", "agent:main:7", "Atlas (new site)", "كتاب", "👩\u200d💻 desk", "x" * 128]
)
def test_a_label_is_one_visible_line(label: str) -> None:
    assert read_label(label) == label


@each_row(
    ("label", "problem"),
    [
        ("two\nlines", "U\\+000A"),
        ("tab\there", "U\\+0009"),
        ("zero\u200bwidth", "U\\+200B"),
        ("a\u200db", "U\\+200D"),
        ("bidi\u202e", "U\\+202E"),
        ("private\ue000", "U\\+E000"),
        ("tag\U000e0041", "U\\+E0041"),
        ("selector\U000e0100", "U\\+E0100"),
        ("hangul\u3164filler", "U\\+3164"),
        ("braille\u2800blank", "U\\+2800"),
        (" x", "begins or ends with a space"),
        ("x\u3000", "begins or ends with a space"),
        ("x" * 129, "has 129 characters; at most 128"),
    ],
)
def test_what_cannot_be_seen_or_is_too_long_is_no_label(label: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_label(label)


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "memory/daily/2026-02-28.md", "a b/ü.md", "..hidden", "a...b", "x" * 512]
)
def test_a_path_inside_the_home_is_kept_as_it_is(path: str) -> None:
    assert read_path(path) == path


@each_row(
    "path",
    [
        "/etc/passwd",
        "../x",
        "a/../b",
        "./a",
        "a//b",
        "a/",
        "a/.",
        ".",
        "..",
        "a\\b",
        "a\0b",
        "x" * 513,
        "a\nb",
    ],
)
@each_row("anchor", ["", "#place"])
def test_a_path_that_leads_elsewhere_is_refused(path: str, anchor: str) -> None:
    with pytest.raises(ValueError, match=r"absolute|plain path|cannot be seen|at most 512"):
        read_path(path + anchor, anchor=True)
    with pytest.raises(ValueError, match=r"absolute|plain path|cannot be seen|at most 512"):
        read_path(path)


def test_a_place_in_a_file_stands_behind_a_hash() -> None:
    assert read_place("memory/x.md#cron-fix") == "memory/x.md#cron-fix"
    assert read_place("memory/x.md#a/../b") == "memory/x.md#a/../b"
    assert read_place("memory/x.md") == "memory/x.md"
    with pytest.raises(ValueError, match="names no place"):
        read_place("memory/x.md#")
    with pytest.raises(ValueError, match="plain path"):
        read_place("#cron-fix")


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2026-02-28T03:05:00Z", "2026-02-28T03:05:00Z"),
        ("2026-02-28t03:05:00z", "2026-02-28T03:05:00Z"),
        ("2026-02-28 03:05:00+01:00", "2026-02-28T02:05:00Z"),
        ("2026-02-28T03:05:00-00:00", "2026-02-28T03:05:00Z"),
        ("2026-02-28T03:05:00.5Z", "2026-02-28T03:05:00.500000Z"),
        ("2026-02-28T03:05:00.000Z", "2026-02-28T03:05:00Z"),
        ("2026-02-28T03:05:00.1234567Z", "2026-02-28T03:05:00.123456Z"),
        ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"),
        ("2025-12-31T23:59:59-05:00", "2026-01-01T04:59:59Z"),
        # In Berlin 02:30 did not exist that night; with an offset it is one instant all the same.
        ("2026-03-29T02:30:00+01:00", "2026-03-29T01:30:00Z"),
        ("2026-03-29T02:30:00+02:00", "2026-03-29T00:30:00Z"),
    ],
)
def test_a_time_with_a_zone_is_one_instant(text: str, stored: str) -> None:
    moment = read_moment(text)
    assert dump_moment(moment) == stored
    assert moment.tzinfo is UTC
    assert dump_moment(read_moment(stored)) == stored


@each_row(
    ("text", "problem"),
    [
        ("2026-02-28T03:05:00", "has no zone"),
        ("2026-02-29T00:00:00Z", "does not exist"),
        ("2026-13-01T00:00:00Z", "does not exist"),
        ("2026-02-28T24:00:00Z", "does not exist"),
        ("2026-06-30T23:59:60Z", "does not exist"),
        ("2026-02-28T03:05:00+25:00", "does not exist"),
        ("0001-01-01T00:00:00+01:00", "does not exist"),
        ("9999-12-31T23:59:59-01:00", "does not exist"),
        ("0000-01-01T00:00:00Z", "does not exist"),
        ("2026-02-28", "is not a time"),
        ("yesterday", "is not a time"),
        ("1772247900", "is not a time"),
        ("2026-W09-6T03:05:00Z", "is not a time"),
        ("٢٠٢٦-02-28T03:05:00Z", "is not a time"),
        ("2026-02-28T03:05:00Z\n", "is not a time"),
    ],
)
def test_a_time_that_is_none_says_why(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_moment(text)


@given(
    moment=st.datetimes(timezones=st.just(UTC)).filter(
        lambda moment: 1 < moment.year < 9999
    )  # any offset fits
)
def test_every_moment_survives_being_written_and_read(moment: datetime) -> None:
    assert read_moment(dump_moment(moment)) == moment


def test_messages_repeat_little_and_escape_it() -> None:
    assert show("x\x1b[31m") == r"'x\x1b[31m'"
    assert show(5) == "5"
    assert show("y" * 10_000).endswith("... (10000 characters)")
    assert len(show("y" * 10_000)) < 80
    assert len(show(["z" * 10_000])) < 80

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.event import Actor, Event
from nightledger.trust.event import (
    MAX_LEAF_BYTES,
    EventError,
    LineError,
    NewEvent,
    dump_event,
    parse_event,
    path_word,
)
from nightledger.trust.scan import is_entry

NOW = datetime(2026, 3, 1, 3, 5, tzinfo=UTC)
LINE = b'{"actor":"cron","at":"2026-03-01T03:05:00Z","event":"run.finished","proposal":"p-a","seq":3,"v":1}'

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "schemas" / "audit-event.schema.json").read_text(encoding="utf-8")
)
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in SCHEMA["properties"]  # those have values of their own
)
WORDS = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xD7FF, exclude_categories=["Cc", "Zl", "Zp"]),
    max_size=20,
).map(path_word)
NUMBERS = st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
SCALARS = st.booleans() | NUMBERS | WORDS
VALUES = SCALARS | st.lists(
    SCALARS | st.dictionaries(NAMES, SCALARS | st.lists(SCALARS, max_size=2), max_size=3), max_size=3
)
EVENTS = st.builds(
    Event,
    v=st.just(1),
    seq=st.integers(min_value=0, max_value=10**9),
    event=st.from_regex(r"[a-z]{1,6}(\.[a-z_]{1,6})?", fullmatch=True)
    .filter(lambda name: not name.endswith("._"))
    .filter(lambda name: "._" not in name),
    actor=st.sampled_from(Actor),
    at=st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1)).map(  # noqa: DTZ001 - made aware here
        lambda at: at.replace(microsecond=0, tzinfo=UTC)
    ),
    fields=st.dictionaries(NAMES, VALUES, max_size=4),
)


def event(**fields: Any) -> Event:
    return NewEvent(event="run.finished", actor=Actor.CRON, at=NOW, fields=fields).placed(3)


@given(event=EVENTS, hours=st.integers(-12, 14), microsecond=st.integers(0, 999_999))
def test_a_line_is_the_same_before_its_event_is_placed(event: Event, hours: int, microsecond: int) -> None:
    at = event.at.astimezone(timezone(timedelta(hours=hours))).replace(microsecond=microsecond)
    new = NewEvent(event=event.event, actor=event.actor, at=at, fields=event.fields)
    assert new.line(event.seq) == dump_event(new.placed(event.seq)) == dump_event(event)


def test_an_event_is_one_flat_canonical_line() -> None:
    placed = NewEvent(event="run.finished", actor=Actor.CRON, at=NOW, fields={"proposal": "p-a"}).placed(3)
    assert dump_event(placed) == LINE
    assert parse_event(LINE) == placed


@given(EVENTS)
def test_every_event_comes_back_and_counts_as_an_entry(placed: Event) -> None:
    line = dump_event(placed)
    assert parse_event(line) == placed
    assert is_entry(line, placed.seq)
    assert not is_entry(line, placed.seq + 1)


@given(placed=EVENTS)
def test_every_event_fits_the_published_schema(placed: Event, audit_schema: Any) -> None:
    assert not list(audit_schema.iter_errors(json.loads(dump_event(placed))))


def test_every_described_property_is_taken_by_the_log_as_its_example_has_it(audit_schema: Any) -> None:
    for name, described in SCHEMA["properties"].items():
        assert described["description"]
        for example in described["examples"]:
            if name not in {"v", "seq", "event", "actor", "at"}:
                audit_schema.validate(json.loads(dump_event(event(**{name: example}))))


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(0), "Z")])
def test_a_year_has_four_digits_whatever_the_zone_of_utc_is_called(zone: timezone) -> None:
    event = NewEvent(
        event="heartbeat", actor=Actor.CRON, at=datetime(7, 3, 1, 4, 5, 6, tzinfo=zone), fields={}
    )
    assert b'"at":"0007-03-01T04:05:06Z"' in event.line(0)
    assert dump_event(replace(event.placed(0), at=event.at)) == event.line(0)


def test_times_are_whole_seconds_utc() -> None:
    at = datetime(2026, 3, 1, 5, 35, 1, 999_999, tzinfo=timezone(timedelta(hours=2, minutes=30)))
    placed = NewEvent(event="run.finished", actor=Actor.CRON, at=at).placed(0)
    assert placed.at == datetime(2026, 3, 1, 3, 5, 1, tzinfo=UTC)
    assert b'"at":"2026-03-01T03:05:01Z"' in dump_event(placed)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"seq": 1}, "a name that every event has"),
        ({"Path": "x"}, "not a field name"),
        ({"a b": "x"}, "not a field name"),
        ({"a": {"MEMORY.md": "00"}}, "not a field name"),
        ({"a": 1.0}, "float is not a type"),
        ({"a": None}, "NoneType is not a type"),
        ({"a": b"x"}, "bytes is not a type"),
        ({"a": 2**53}, "beyond 2"),
        ({"a": "two\nlines"}, "holds text"),
        ({"a": "x" * 1_025}, "holds text"),
        ({"a": "e\u0301"}, "holds text"),
        ({"a": "\u2028"}, "holds text"),
        ({"a": "\ud800"}, "holds text"),
        ({"a": [[[[1]]]]}, "nested too deeply"),
        ({"a": {"b": {"c": {"d": {"e": 1}}}}}, "nested too deeply"),
        ({"a": ["x" * 1_000] * 66}, "go to blobs"),
    ],
)
def test_what_is_no_id_hash_count_or_word_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(EventError, match=problem):
        dump_event(NewEvent(event="e", actor=Actor.CRON, at=NOW, fields=fields).placed(0))


@pytest.mark.parametrize("value", [[[[1]]], {"b": {"c": {"d": 1}}}, [{"b": [1]}], {"b": [{"c": 1}]}])
def test_fields_are_nested_three_deep_and_no_deeper(value: Any) -> None:
    def dumped(fields: dict[str, Any]) -> bytes:
        return dump_event(NewEvent(event="e", actor=Actor.CRON, at=NOW, fields=fields).placed(0))

    assert parse_event(dumped({"a": value})).fields["a"] == value
    for deeper in ([value], {"z": value}):
        with pytest.raises(EventError, match="nested too deeply"):
            dumped({"a": deeper})


@pytest.mark.parametrize("seq", [-1, True, "3"])
def test_a_place_is_a_number_from_0(seq: Any) -> None:
    with pytest.raises(EventError, match="not a place in the log"):
        dump_event(Event(v=1, seq=seq, event="e", actor=Actor.CRON, at=NOW))


@pytest.mark.parametrize("name", ["", "Apply", "apply.", ".apply", "apply done", "apply..done"])
def test_event_names_are_words(name: str) -> None:
    with pytest.raises(EventError, match="not an event name"):
        dump_event(NewEvent(event=name, actor=Actor.CRON, at=NOW).placed(0))


@pytest.mark.parametrize(
    "at",
    [
        NOW.replace(tzinfo=None),
        NOW.replace(microsecond=1),
        NOW.astimezone(timezone(timedelta(hours=5))),
        NOW.astimezone(timezone(timedelta(seconds=-1))),
    ],
)
def test_an_event_that_was_not_placed_by_us_must_have_our_time(at: datetime) -> None:
    with pytest.raises(EventError, match="whole seconds"):
        dump_event(Event(v=1, seq=0, event="e", actor=Actor.CRON, at=at))


def test_the_longest_leaf_is_taken() -> None:
    room = MAX_LEAF_BYTES - len(dump_event(event(a=["x" * 1_000] * 65)))
    assert len(dump_event(event(a=["x" * 1_000] * 65, b="y" * (room - len('"b":"",'))))) == MAX_LEAF_BYTES


NEARLY = [
    LINE.replace(b'"actor"', b' "actor"'),
    LINE.replace(b'"v":1', b'"v":1.0'),
    LINE.replace(b'"v":1', b'"v":2'),
    LINE.replace(b'"v":1', b'"v":true'),
    LINE.replace(b'"seq":3', b'"seq":true'),
    LINE.replace(b'"seq":3', b'"seq":"3"'),
    LINE.replace(b'"cron"', b'"daemon"'),
    LINE.replace(b'"cron"', b'["cron"]'),
    LINE.replace(b"03:05:00Z", b"03:05:00+00:00"),
    LINE.replace(b"03:05:00Z", b"03:05:00.5Z"),
    LINE.replace(b"03-01", b"02-30"),
    LINE.replace(b"03:05:00Z", b"24:00:00Z"),
    LINE.replace(b"03:05:00Z", b"24:05:00Z"),
    LINE.replace(b'"run.finished"', b'"Proposal"'),
    LINE.replace(b'"run.finished"', b"[]"),
    LINE.replace(b'"p-a"', b'"p\\u002da"'),
    LINE.replace(b'"p-a"', b"null"),
    LINE.replace(b'"p-a"', b"1e3"),
    LINE.replace(b'"p-a"', b"9007199254740992"),
    LINE.replace(b'"p-a"', b"[[[[1]]]]"),
    LINE.replace(b'"p-a"', b'"\xff"'),
    LINE.replace(b'"seq":3', b'"seq":3,"seq":3'),
    LINE.replace(b',"seq":3', b""),
    b'{"v":1,' + LINE[1:].replace(b',"v":1', b""),
    LINE + b" ",
    LINE[:-1],
    b"",
    b"{}",
    b"[]",
    b"null",
    b"\0" * 40,
    b"[" * 3_000,
]


@pytest.mark.parametrize("line", NEARLY)
def test_any_other_spelling_is_no_entry_to_either_reader(line: bytes) -> None:
    with pytest.raises(LineError):
        parse_event(line)
    assert not is_entry(line, 3)


def test_the_line_that_they_were_made_from_is_one() -> None:
    parse_event(LINE)
    assert is_entry(LINE, 3)


@given(st.text(min_size=1, max_size=60))
def test_any_path_becomes_a_word_and_comes_back(path: str) -> None:
    word = path_word(path)
    dump_event(event(path=word))
    assert unquote(word, errors="surrogateescape") == path


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("memory/daily/2026-03-01.md", "memory/daily/2026-03-01.md"),
        ("notes/ein schöner Tag.md", "notes/ein schöner Tag.md"),
        ("a\nb", "a%0Ab"),
        ("100%.md", "100%25.md"),
        ("e\u0301.md", "e%CC%81.md"),
        ("\udcff.md", "%FF.md"),
    ],
)
def test_plain_paths_stay_readable(path: str, word: str) -> None:
    assert path_word(path) == word


def test_a_path_that_the_log_cannot_take_is_an_error() -> None:
    with pytest.raises(EventError, match="1025 characters"):
        path_word("x" * 1_025)

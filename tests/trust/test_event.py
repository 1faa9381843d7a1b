import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.rows import from_corpus

from nightledger.domain.decision import Actor
from nightledger.trust.event import EventError, NewEvent, is_entry, path_word

NOW = datetime(2026, 3, 1, 3, 5, tzinfo=UTC)
LINE = b'{"actor":"cron","at":"2026-03-01T03:05:00Z","event":"run.finished","proposal":"p-a","seq":3,"v":1}'

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "schemas" / "audit-event.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
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
    NewEvent,
    event=st.from_regex(r"[a-z]{1,6}(\.[a-z_]{1,6})?", fullmatch=True)
    .filter(lambda name: not name.endswith("._"))
    .filter(lambda name: "._" not in name),
    actor=st.sampled_from(Actor),
    at=st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1)).map(  # noqa: DTZ001 - made aware here
        lambda at: at.replace(microsecond=0, tzinfo=UTC)
    ),
    fields=st.dictionaries(NAMES, VALUES, max_size=4),
)


def line_of(**fields: Any) -> bytes:
    return NewEvent(event="run.finished", actor=Actor.CRON, at=NOW, fields=fields).line(3)


def test_an_event_is_one_flat_canonical_line() -> None:
    assert line_of(proposal="p-a") == LINE
    assert is_entry(LINE, 3)


@given(event=EVENTS, seq=st.integers(min_value=0, max_value=10**9))
def test_every_event_is_an_entry_of_its_place_and_fits_the_published_schema(
    event: NewEvent, seq: int
) -> None:
    line = event.line(seq)
    assert is_entry(line, seq)
    assert not is_entry(line, seq + 1)
    assert not list(VALIDATOR.iter_errors(json.loads(line)))
    assert json.loads(line) == {
        "v": 1,
        "seq": seq,
        "event": event.event,
        "actor": str(event.actor),
        "at": f"{event.placed(seq).at:%Y-%m-%dT%H:%M:%SZ}",
        **event.fields,
    }


def test_every_described_property_is_taken_by_the_log_as_its_example_has_it() -> None:
    for name, described in SCHEMA["properties"].items():
        assert described["description"]
        for example in described["examples"]:
            if name not in {"v", "seq", "event", "actor", "at"}:
                VALIDATOR.validate(json.loads(line_of(**{name: example})))


@from_corpus("trust-event")
def test_what_is_no_id_hash_count_or_word_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(EventError, match=problem):
        line_of(**fields)


@given(st.text(min_size=1, max_size=60))
def test_any_path_becomes_a_word_and_comes_back(path: str) -> None:
    word = path_word(path)
    line_of(path=word)
    assert unquote(word, errors="surrogateescape") == path
    plain = "notes/ein schöner Tag.md"
    assert path_word(plain) == plain

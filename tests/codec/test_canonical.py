"""JSON as it is written, by the values that RFC 8785 publishes, and as it is read."""

import json
import math
import struct
from typing import Any

import pytest
from tests.rows import corpus, each_row, from_corpus

from nightledger.codec import canonical as canon
from nightledger.domain.errors import RecordError

# RFC 8785 appendix B: IEEE 754 bits and their text; sections 3.2.2 and 3.2.3: a document, and names by UTF-16 code units.
NUMBERS = json.loads(corpus("rfc8785-numbers.json"))
DOCUMENTS = json.loads(corpus("rfc8785-documents.json"))


@each_row(("bits", "text"), NUMBERS)
def test_the_published_numbers_hold(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canon.canonical(value, floats=True).decode() == text


@each_row(("document", "text"), DOCUMENTS)
def test_the_published_documents_hold(document: Any, text: str) -> None:
    assert canon.canonical(document, floats=True).decode() == text


@each_row(
    ("value", "floats", "problem"),
    [
        *((value, True, "not a JSON number") for value in (math.nan, math.inf, -math.inf)),
        *((value, False, "is a float") for value in (0.0, 1.0, math.pi, [1.5], {"a": 2.0})),
        *((value, False, "beyond 2") for value in (canon.MAX_INTEGER + 1, -(2**53), 10**30)),
        *((value, False, "not a string") for value in ({1: "a"}, {None: "a"})),
        (b"bytes", False, "bytes is not a JSON type"),
        ({"a": {1, 2}}, False, "set is not a JSON type"),
        *((value, False, "lone surrogate") for value in ("\ud800", {"\udfff": 1})),
    ],
)
def test_what_has_no_canonical_form_is_refused(value: Any, floats: bool, problem: str) -> None:  # noqa: FBT001 - a row
    with pytest.raises(canon.CanonicalError, match=problem):
        canon.canonical(value, floats=floats)


def test_the_largest_integer_that_every_reader_holds_is_written() -> None:
    assert canon.canonical(canon.MAX_INTEGER) == b"9007199254740991"


@from_corpus("codec-canonical")
def test_each_kind_of_bad_input_is_named(raw: bytes, problem: str) -> None:
    with pytest.raises(RecordError) as caught:
        canon.parse_json(raw, "x")
    assert caught.value.problems == (problem,)


@each_row("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
@each_row("depth", [canon.MAX_DEPTH + 1, 500, 100_000])
def test_deep_nesting_is_refused_whole_or_torn(depth: int, opening: bytes, closing: bytes) -> None:
    for raw in (opening * depth + b"1" + closing * depth, opening * depth):
        with pytest.raises(RecordError, match=r"nested too deeply|not JSON"):
            canon.parse_json(raw, "x")


@from_corpus("codec-canonical")
def test_only_a_line_feed_ends_a_line_and_no_bad_line_hides_another(
    raw: bytes, values: list[list[object]], bad: list[int]
) -> None:
    read, problems = canon.read_jsonl(raw, max_line_bytes=50)
    assert ([*map(list, read)], [number for number, _ in problems]) == (values, bad)

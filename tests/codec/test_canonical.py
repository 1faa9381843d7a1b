"""RFC 8785 against the values that it publishes."""

import json
import math
import struct
from typing import Any

import pytest
from tests.rows import corpus, each_row

from nightledger.codec.canonical import MAX_INTEGER, CanonicalError, canonical

# RFC 8785 appendix B: IEEE 754 bits and their text.
NUMBERS = json.loads(corpus("rfc8785-numbers.json"))


@each_row(("bits", "text"), NUMBERS)
def test_the_published_numbers_hold(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(value, floats=True).decode() == text


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
def test_what_is_no_number_is_refused(bits: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    with pytest.raises(CanonicalError, match="not a JSON number"):
        canonical(value, floats=True)


def test_the_published_document_holds() -> None:
    # RFC 8785 section 3.2.2, and its canonical form in section 3.2.3.
    document = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\u002f",
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        r'"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/"}'
    )
    assert canonical(document, floats=True) == expected.encode()


def test_names_sort_by_utf_16_code_units() -> None:
    # RFC 8785 section 3.2.3.
    names = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    assert list(json.loads(canonical(names)).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


@pytest.mark.parametrize("value", [0.0, 1.0, math.pi, [1.5], {"a": 2.0}])
def test_floats_are_refused_unless_asked_for(value: Any) -> None:
    with pytest.raises(CanonicalError, match="is a float"):
        canonical(value)


@pytest.mark.parametrize("value", [2**53, -(2**53), 10**30])
def test_integers_that_not_every_reader_holds_are_refused(value: int) -> None:
    with pytest.raises(CanonicalError, match="beyond 2"):
        canonical(value)
    assert canonical(MAX_INTEGER) == b"9007199254740991"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({1: "a"}, "not a string"),
        ({None: "a"}, "not a string"),
        (b"bytes", "bytes is not a JSON type"),
        ({"a": {1, 2}}, "set is not a JSON type"),
        ("\ud800", "lone surrogate"),
        ({"\udfff": 1}, "lone surrogate"),
    ],
)
def test_what_has_no_canonical_form_is_refused(value: Any, problem: str) -> None:
    with pytest.raises(CanonicalError, match=problem):
        canonical(value)

import pytest
from tests.rows import from_corpus

from nightledger.codec.settings import parse_yaml
from nightledger.domain.errors import ConfigurationError


def refusal(raw: bytes) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse_yaml(raw, "here.yaml")
    assert caught.value.exit_status == 2
    return str(caught.value)


def test_keys_come_with_their_lines_and_scalars_with_their_text() -> None:
    read = parse_yaml(b"# note\nfirst: 1\n\nat: 23:05\nlist:\n  - a\n", "here.yaml")
    assert read.values == {"first": 1, "at": 23 * 60 + 5, "list": ["a"]}
    assert read.lines == {"first": 2, "at": 4, "list": 5}
    assert read.texts == {"first": "1", "at": "23:05"}
    assert (parse_yaml(b"", "here.yaml").values, parse_yaml(b"", "here.yaml").lines) == ({}, {})


def test_a_key_that_stands_twice_is_refused_with_both_lines() -> None:
    assert refusal(b"a: 1\nb: 2\na: 3\n") == "here.yaml:3: 'a' stands already in line 1"


@from_corpus("codec-strict_yaml")
def test_what_would_surprise_is_refused_with_its_line(raw: bytes, message: str) -> None:
    assert refusal(raw).startswith(message)


def test_ten_thousand_open_brackets_are_refused_and_not_followed() -> None:
    said = refusal(b"a: " + b"[" * 10_000)
    ours, libyaml = (
        "nested more than 6 deep",
        "exceeded maximum nesting depth",
    )  # newer ones of it say so themselves
    assert said in (f"here.yaml:1: {ours}", f"here.yaml:1: {libyaml}")

import pytest
from tests.rows import each_row

from nightledger.codec.configuration import parse_yaml
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


def test_a_key_that_stands_twice_is_refused_with_both_lines() -> None:
    assert refusal(b"a: 1\nb: 2\na: 3\n") == "here.yaml:3: 'a' stands already in line 1"


@each_row(
    ("raw", "message"),
    [
        (b"a: &x 1\nb: *x\n", "here.yaml:2: *x is an alias; write the value out"),
        (b"a: [[[[[[1]]]]]]\n", "here.yaml:1: nested more than 6 deep"),
        (b"- a\n- b\n", "here.yaml:1: expected 'key: value' lines"),
        (b"on: 1\n", "here.yaml:1: a key must be text; put it in quotes"),
        (b"1: a\n", "here.yaml:1: a key must be text; put it in quotes"),
        (b"a:\n  <<: {b: 1}\n", "here.yaml:2: a key must be text; put it in quotes"),
        (b"a: 1\n b: 2\n", "here.yaml:2: mapping values are not allowed"),
        (b"a: [1\n", "here.yaml:2: "),
        (b"a: 1\n---\nb: 2\n", "here.yaml:2: but found another document"),
        (
            b"a: !!python/object:os.system x\n",
            "here.yaml:1: tag:yaml.org,2002:python/object:os.system is a tag",
        ),
        (b"a:\n- !!bool maybe\n", "here.yaml:2: tag:yaml.org,2002:bool is a tag; write the value alone"),
        (b"a: !!int ''\n", "here.yaml:1: tag:yaml.org,2002:int is a tag"),
        (b"a: !!timestamp soon\n", "here.yaml:1: tag:yaml.org,2002:timestamp is a tag"),
        (b"a: !!set {b}\n", "here.yaml:1: tag:yaml.org,2002:set is a tag"),
        (b"a: 1" + b":00" * 200 + b".0\n", "here.yaml is not YAML: int too large to convert to float"),
        (b"a: \xff\n", "here.yaml is not UTF-8: invalid start byte at byte 3"),
        (b"a: \x00\n", "here.yaml is not YAML: "),
        (b"day: 2026-02-30\n", "here.yaml is not YAML: day "),
    ],
)
def test_what_would_surprise_is_refused_with_its_line(raw: bytes, message: str) -> None:
    assert refusal(raw).startswith(message)


def test_ten_thousand_open_brackets_are_refused_and_not_followed() -> None:
    assert refusal(b"a: " + b"[" * 10_000) == "here.yaml:1: nested more than 6 deep"

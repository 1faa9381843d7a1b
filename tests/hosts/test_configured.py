import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus

from nightledger.hosts.configured import parse_json5

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_what_people_write_by_hand_is_read() -> None:
    assert parse_json5(corpus("hosts-configured.txt")) == {
        "plugins": {"memory-core": {"enabled": True}},
        "list": [1, 2],
        "url": "https://example.org/a,b//c",
        "quote": 'it\'s "so"',
    }


@given(value=values)
def test_all_json_is_read_as_what_it_is(value: Any) -> None:
    assert parse_json5(json.dumps(value)) == value
    assert parse_json5(json.dumps(value, indent=2, ensure_ascii=False)) == value


@pytest.mark.parametrize("text", ["", "{", "{a: 0x1}", "[1 2]", "{a: +1}", "'open", '["open]', "/* open"])
def test_what_is_not_understood_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is mostly json's
        parse_json5(text)


@pytest.mark.parametrize("unit", ["a", "a-", "/* ", "'\\'", "\\'", ", /*", ",//\n"])
def test_a_long_file_of_nothing_is_read_in_linear_time(unit: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError):  # noqa: PT011 - which one is not the point
        parse_json5("'" + unit * 100_000)
    assert time.process_time() - began < 5

"""A leaked text, as files hold it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.errors import UsageError
from nightledger.domain.finding import LEAST_CHARACTERS, needle_of


def test_a_text_is_found_as_it_is_and_as_json_writes_it() -> None:
    needle = needle_of('  the "blue" öffnen\\key \n')
    for content in (
        'x the "blue" öffnen\\key y'.encode(),
        json.dumps({"a": 'the "blue" öffnen\\key'}).encode(),
        json.dumps({"a": 'the "blue" öffnen\\key'}, ensure_ascii=False).encode(),
    ):
        assert needle.held_by(content)
    assert not needle.held_by(b'the "blue" key')


@pytest.mark.parametrize("text", ["", "12345", " 12345 ", "a\nb"])
def test_what_is_too_short_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="too many places"):
        needle_of(text)
    assert needle_of("12345\n12345").forms  # as a whole it is long enough


@given(text=st.text(min_size=LEAST_CHARACTERS).filter(lambda text: len(text.strip()) >= LEAST_CHARACTERS))
def test_what_is_cut_is_not_there_any_more(text: str) -> None:
    try:
        document = f"before {text.strip()} after".encode()
    except UnicodeEncodeError:
        return  # half a surrogate pair: no file holds it as UTF-8
    assert not needle_of(text).held_by(needle_of(text).cut_from(document, b"\0"))

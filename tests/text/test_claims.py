import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.whole import part

from nightledger.text.contradictions import (
    denials,
    is_denied,
    kind_of,
    read_claim,
)


@each_row(
    ("word", "kind"),
    [
        ("07:30", "time"),
        ("7pm", "time"),
        ("tuesdays", "day"),
        ("donnerstag", "day"),
        ("2026-03-01", "date"),
        ("10.4.0.7", "address"),
        ("v2.1", "version"),
        ("90", "number"),
        ("ann@example.org", "mail"),
        ("~/keys/gate", "path"),
        ("/srv/books", "path"),
        ("config.toml", "name"),
        ("kettle", ""),
        ("x-1", ""),
    ],
)
def test_a_word_is_known_for_the_value_that_it_is(word: str, kind: str) -> None:
    assert kind_of(word) == kind


def test_words_of_one_stem_are_one_and_values_stay_whole() -> None:
    claim = read_claim("- [ ] **Copies** of the letters were copied to `/srv/books` on Mondays at 07:30")
    assert claim.order == ("copy", "letter", "copy", "/srv/books", "monday", "07:30")
    assert claim.stems == {"copy", "letter"}
    assert claim.values == {"path": {"/srv/books"}, "day": {"monday"}, "time": {"07:30"}}


@given(st.text(max_size=80))
def test_any_text_is_read_and_reads_the_same_again(text: str) -> None:
    claim = read_claim(text)
    assert claim == read_claim(text)
    assert claim.stems <= claim.words
    list(denials(claim))
    assert is_denied(claim, claim) in {True, False}


@pytest.mark.parametrize("body", part(["/", "a::", "/.", "~/", "a/", "+/-"], 3))
def test_a_line_of_slashes_is_read_in_time(body: str) -> None:
    started = time.process_time()
    read_claim("x" + body * 60_000 + "(")
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("head", "part", "tail"), [("a", "/", "\u00e9"), ("a", "@", "/\u00e9"), ("/", "a/", "\u00e9")]
)
def test_a_word_without_end_has_one_kind_found_in_time(head: str, part: str, tail: str) -> None:
    claim = read_claim(f"The pump is at {head}{part * 100_000}{tail}")
    assert claim is not None
    assert len(claim.text) > 100_000

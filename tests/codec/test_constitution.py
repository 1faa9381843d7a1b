import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.domain.gate_values import FOUNDING
from tests.rows import from_corpus

from nightledger.codec.constitution import dump_constitution, dump_page, parse_constitution, parse_page
from nightledger.codec.schema import SCHEMAS, find_problems
from nightledger.domain.constitution import (
    MAX_CHARACTERS,
    SECOND_TAGS,
    Constitution,
    Principle,
)
from nightledger.domain.errors import RecordError
from nightledger.domain.retention import CONSTITUTIONAL

SHIPPED = (Path(SCHEMAS).parent / "config" / "constitution.json").read_bytes()

names = st.from_regex(r"[a-z][a-z0-9_]{0,31}", fullmatch=True)
texts = (
    st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), min_size=1, max_size=MAX_CHARACTERS)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text and not text.startswith("#"))
)
principles = st.builds(
    Principle,
    name=names,
    tags=st.sampled_from(sorted(SECOND_TAGS)).map(lambda t: (CONSTITUTIONAL, t)),
    text=texts,
)
constitutions = st.lists(principles, min_size=1, max_size=20, unique_by=lambda one: one.name).map(
    lambda found: Constitution(v=1, principles=tuple(found))
)


def test_what_ships_is_the_ten_principles_each_with_its_tags() -> None:
    shipped = parse_constitution(SHIPPED, where="shipped")
    assert tuple(one.name for one in shipped.principles) == FOUNDING
    for one in shipped.principles:
        second = "self/context" if one.name == "identity" else "self/value"
        assert one.tags == (CONSTITUTIONAL, second)


@given(constitutions)
def test_record_and_page_give_back_what_went_in(constitution: Constitution) -> None:
    assert parse_constitution(dump_constitution(constitution), where="x") == constitution
    assert parse_page(dump_page(constitution), where="x") == constitution
    assert parse_page(dump_page(constitution, notes=False), where="x") == constitution


@given(constitutions)
def test_the_schema_and_the_rules_agree_on_what_is_good(constitution: Constitution) -> None:
    assert find_problems("constitution", json.loads(dump_constitution(constitution))) == ()


def test_one_constitution_has_one_sequence_of_bytes() -> None:
    spaced = json.dumps(json.loads(SHIPPED), indent=4).encode()
    assert dump_constitution(parse_constitution(spaced, where="x")) == dump_constitution(
        parse_constitution(SHIPPED, where="x")
    )


@from_corpus("codec-constitution")
def test_a_page_that_is_no_constitution_says_why(page: str, said: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_page(page, where="the page")
    assert said in str(caught.value)

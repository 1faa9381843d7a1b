import json
from pathlib import Path

import pytest
from tests.domain.gate_values import FOUNDING
from tests.rows import from_corpus

from nightledger.codec.constitution import dump_constitution, parse_constitution, parse_page
from nightledger.codec.records import SCHEMA_DIRECTORY
from nightledger.domain.errors import RecordError
from nightledger.domain.retention import CONSTITUTIONAL

SHIPPED = (Path(SCHEMA_DIRECTORY).parent / "config" / "constitution.json").read_bytes()


def test_what_ships_is_the_ten_principles_each_with_its_tags() -> None:
    shipped = parse_constitution(SHIPPED, where="shipped")
    assert tuple(one.name for one in shipped.principles) == FOUNDING
    for one in shipped.principles:
        second = "self/context" if one.name == "identity" else "self/value"
        assert one.tags == (CONSTITUTIONAL, second)


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

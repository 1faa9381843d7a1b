import json
from typing import Any

import pytest
from tests.rows import corpus, each_row, from_corpus

from nightledger.codec.home_record import dump_home, find_home_problems, parse_home
from nightledger.codec.records import find_problems
from nightledger.domain.errors import RecordError

RECORD: dict[str, Any] = json.loads(corpus("home-record.json"))
WRONG: list[tuple[str, Any]] = json.loads(corpus("home-record-wrong.json"))


def test_an_identity_survives_being_written_and_read() -> None:
    identity = parse_home(json.dumps(RECORD).encode(), "home.json")
    assert identity.gated == ("MEMORY.md", "docs/RULES.md")
    assert json.loads(dump_home(identity)) == RECORD
    assert dump_home(parse_home(dump_home(identity), "home.json")) == dump_home(identity)


@each_row(("field", "value"), WRONG)
def test_a_wrong_field_is_named(field: str, value: Any) -> None:
    with pytest.raises(RecordError, match=f"{field}: must") as caught:
        parse_home(json.dumps({**RECORD, field: value}).encode(), "home.json")
    assert "backup" in caught.value.hint
    assert find_problems("home", {**RECORD, field: value})


@each_row(("field", "value"), [*RECORD.items(), ("machine", "büro"), ("gated", ["ü/x.md"])])
def test_what_the_schema_lets_in_is_let_in(field: str, value: Any) -> None:
    record = {**RECORD, field: value}
    assert find_home_problems(record) == find_problems("home", record) == ()


@from_corpus("codec-home_record")
def test_what_is_no_record_says_so(raw: bytes, problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        parse_home(raw, "home.json")


def test_a_home_that_was_made_is_read_whatever_its_files_are_called() -> None:
    gated = ["MEMORY.md", "a\u200bb.md", "\U0001fae8.md", "\ue000.md"]
    assert parse_home(json.dumps({**RECORD, "gated": gated}).encode(), "home.json").gated == tuple(gated)

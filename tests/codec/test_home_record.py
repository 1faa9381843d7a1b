import json
from typing import Any

import pytest
from tests.rows import each_row

from nightledger.codec.home_record import dump_home, find_home_problems, parse_home
from nightledger.codec.schema import find_problems
from nightledger.domain.errors import RecordError

RECORD: dict[str, Any] = {
    "v": 2,
    "id": "3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
    "origin": "nightledger/3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
    "created_at": "2026-02-28T03:05:00Z",
    "machine": "desk",
    "zone": "Europe/Berlin",
    "host": "openclaw",
    "simulated": False,
    "gated": ["MEMORY.md", "docs/RULES.md"],
}
WRONG: list[tuple[str, Any]] = [
    ("v", 1),
    ("v", True),
    ("v", "1"),
    ("id", "xyz"),
    ("id", "3F1D0C5A9B7E42688C1F0A2B3C4D5E6F"),
    ("id", 5),
    ("id", "3f1d0c5a9b7e42688c1f0a2b3c4d5e6f\n"),
    ("origin", "two words"),
    ("origin", ""),
    ("created_at", "2026-02-30T00:00:00Z"),
    ("created_at", "2026-02-28T03:05:00+01:00"),
    ("created_at", "2026-02-28T24:00:00Z"),
    ("created_at", "yesterday"),
    ("created_at", None),
    ("machine", ""),
    ("machine", "a\nb"),
    ("zone", "Europe/../etc"),
    ("zone", ""),
    ("host", "emacs"),
    ("simulated", "no"),
    ("simulated", 0),
    ("gated", []),
    ("gated", "MEMORY.md"),
    ("gated", ["/etc/passwd"]),
    ("gated", ["a/../b"]),
    ("gated", ["a", "a"]),
    ("gated", [5]),
    ("gated", [""]),
    ("gated", ["a\\b"]),
    ("gated", ["a\ud800b"]),
    ("machine", "desk\udfff"),
    ("gated", ["x" * 513]),
    ("gated", ["a\0b"]),
]


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


@each_row(("field", "value"), [*WRONG, *RECORD.items(), ("machine", "büro"), ("gated", ["ü/x.md"])])
def test_the_schema_gives_the_same_verdict(field: str, value: Any) -> None:
    record = {**RECORD, field: value}
    assert bool(find_home_problems(record)) == bool(find_problems("home", record))


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b'{"\xed\xa0\x80":1}', "not JSON"),
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_record_says_so(raw: bytes, problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        parse_home(raw, "home.json")

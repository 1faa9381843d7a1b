"""What must stay the same in two places: schemas and values, words and enums, fast paths and contracts."""

import json
import types
import typing
from enum import Enum
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.codec.outcomes import dump_outcome, records
from tests.codec.records import KINDS
from tests.rows import each_row
from tests.whole import examples

from nightledger.codec.canonical import CanonicalError, canonical
from nightledger.codec.fitting import surely_fits
from nightledger.codec.home_record import Identity
from nightledger.codec.outcome_line import FIELDS, REQUIRED, STAMPS, find_outcome_problems, outcome_id
from nightledger.codec.records import find_problems, read_schema, schema_named
from nightledger.codec.rows import read_outcome_rows, read_runs
from nightledger.domain.outcome import Outcome
from nightledger.domain.periods import Run
from nightledger.records.keeping import field_shapes, record_kinds

ROOT = Path(__file__).resolve().parents[1]
RECORD_SCHEMAS = ("home", "outcome", *sorted(KINDS.values()))
OPTIONAL_AS_ABSENT = {"outcome"}
"""Kinds whose optional fields are left out of the file instead of being null."""


# ---------------------------------------------------------------- schemas and values


@each_row(("kind", "name"), [(Outcome, "outcome"), *KINDS.items()])
def test_a_schema_has_the_fields_of_its_value_to_the_bottom(kind: type, name: str) -> None:
    schema = read_schema(name)
    assert schema["type"] == "object"
    compare(kind, schema, schema, name)


def compare(kind: Any, described: dict[str, Any], root: dict[str, Any], name: str) -> None:
    """Compare a dataclass with an object schema, then what is in it."""
    described = resolve(described, root)
    assert set(described["properties"]) == set(kind.__struct_fields__)
    assert described["additionalProperties"] is False
    if name not in OPTIONAL_AS_ABSENT:
        assert set(described["required"]) == set(kind.__struct_fields__)
    hints = typing.get_type_hints(kind)
    for field, property_schema in described["properties"].items():
        compare_field(hints[field], resolve(property_schema, root), root, name)


def compare_field(hint: Any, described: dict[str, Any], root: dict[str, Any], name: str) -> None:
    arguments = typing.get_args(hint)
    if isinstance(hint, types.UnionType):
        (inner, *_) = [argument for argument in arguments if argument is not type(None)]
        assert name in OPTIONAL_AS_ABSENT or "null" in described["type"]
        compare_field(inner, described, root, name)
    elif isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        compare(hint, described, root, name)
    elif isinstance(hint, type) and issubclass(hint, Enum):
        assert described["enum"] == [member.value for member in hint]
    elif typing.get_origin(hint) is tuple and arguments[-1] is Ellipsis:
        assert described["type"] == "array"
        compare_field(arguments[0], resolve(described["items"], root), root, name)


def resolve(described: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in described:
        return described
    found: dict[str, Any] = root["$defs"][described["$ref"].removeprefix("#/$defs/")]
    return found


def test_the_fast_row_and_the_hand_checks_have_the_fields_of_the_schema() -> None:
    home = read_schema("home")
    assert set(home["properties"]) == set(Identity.__slots__) == set(home["required"])
    schema = read_schema("outcome")
    assert list(Outcome.__struct_fields__) == sorted(Outcome.__struct_fields__)
    assert {*FIELDS, *STAMPS} == set(schema["properties"])
    assert {*REQUIRED, *STAMPS} == set(schema["required"])


def test_a_run_asks_what_its_schema_asks() -> None:
    schema, fast = read_schema("run"), msgspec.json.schema(Run)
    row = resolve(fast, fast)
    assert row["additionalProperties"] is False
    assert set(row["required"]) == set(schema["required"]) - {"reason", "boot", "boot_s"}
    for field, wanted in schema["properties"].items():
        assert rules_of(resolve(row["properties"][field], fast)) == rules_of(wanted), field


def rules_of(described: dict[str, Any]) -> dict[str, Any]:
    """Give what a schema asks, in one spelling; how times are written is compared by what is accepted."""
    if described.get("format") == "date-time":
        return {"type": "string", "format": "date-time"}
    left_out = ("description", "examples", "title", "default")
    rules = {key: value for key, value in described.items() if key not in left_out}
    if "pattern" in rules:
        rules["pattern"] = rules["pattern"].replace("\\Z", "$")
    if "const" in rules:
        rules["enum"] = [rules.pop("const")]
    inner = ("additionalProperties", "propertyNames")
    return {key: rules_of(value) if key in inner else value for key, value in rules.items()}


@each_row("path", sorted((ROOT / "schemas").glob("*.schema.json")), ids=lambda path: path.name)
def test_every_property_is_described_with_an_example(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].endswith(f"/{path.name}")
    assert schema["title"]
    assert schema["description"]
    for place, described in properties_of(schema, path.name):
        assert described.get("description"), f"{place} has no description"
        assert described.get("examples"), f"{place} has no example"


def properties_of(schema: Any, place: str) -> list[tuple[str, dict[str, Any]]]:
    """Give every property schema in a schema, however deep."""
    if not isinstance(schema, dict):
        return []
    own = [(f"{place}.{name}", inner) for name, inner in schema.get("properties", {}).items()]
    below = [
        pair
        for key, inner in schema.items()
        if isinstance(inner, dict) and key not in ("examples", "default", "enum")
        for name, child in (inner.items() if key in ("properties", "$defs") else [(key, inner)])
        for pair in properties_of(child, f"{place}.{name}")
    ]
    return own + below


@each_row("name", RECORD_SCHEMAS)
def test_every_record_carries_its_version(name: str) -> None:
    schema = read_schema(name)
    assert schema["properties"]["v"]["const"] == (2 if name in {"decision", "home", "proposal", "run"} else 1)
    assert "v" in schema["required"]


# ---------------------------------------------------------------- three ways to judge an outcome


@examples(1500)
@given(record=records())
def test_schema_hand_checks_and_bulk_reading_give_one_verdict(record: dict[str, Any]) -> None:
    try:
        record["id"] = outcome_id(record)
        line = canonical(record, floats=True) + b"\n"
    except CanonicalError:
        # Half a surrogate pair: no line can hold it, and both checks of records refuse it.
        record["id"] = "o-qygk77v7yviucnh5dahsec22w6"
        assert find_problems("outcome", record)
        assert find_outcome_problems(record)
        return
    record = json.loads(line)  # 1.0 and 1 are one number to canonical JSON
    by_schema = find_problems("outcome", record)
    by_hand = find_outcome_problems(record)
    in_bulk = read_outcome_rows(line)
    assert bool(by_schema) == bool(by_hand) == bool(in_bulk.problems), (by_schema, by_hand, in_bulk.problems)
    if not by_hand:
        (row,) = in_bulk.rows
        assert dump_outcome(row) == line


_times = st.sampled_from([
    "2026-02-28T03:05:00Z", "2026-02-28T03:05:00.250000Z", "2026-02-29T03:05:00Z", "2026-02-28T24:00:00Z",
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-02-28T03:05:00", 1772334300,
])  # fmt: skip
"""Of a time that is spelt otherwise than it is written the schema asks more: a ledger is read with it all the same."""
_counts = st.dictionaries(
    st.sampled_from(["proposed", "held", "n" * 64]) | st.sampled_from(["N", "", "n" * 65, "a\n"]),
    st.sampled_from([0, 2**53 - 1]) | st.sampled_from([-1, 2**53, True, 0.5]),
    max_size=1,
)
_runs = st.fixed_dictionaries(
    {
        "v": st.just(2),
        "id": st.just("r-qygk77v7yviucnh5dahsec22w6"),
        "job": st.just("link"),
        "period": st.text(min_size=1, max_size=65),
        "attempt": st.sampled_from([1, 2**31 - 1]),
        "started_at": _times,
        "finished_at": st.just("2026-02-28T03:05:04Z"),
        "outcome": st.sampled_from(["done", "failed"]),
        "counts": _counts,
        "boot": st.sampled_from(["", "b" * 64, "b" * 65]),
        "boot_s": st.sampled_from([0, 2**31 - 1, 2**31, -1, True]),
        "reason": st.text(max_size=5) | st.sampled_from(["\U0001f31d" * 2000, "\U0001f31d" * 2001]),
    }
)


@examples(1000)
@given(
    record=_runs,
    wrong=st.just("") | st.sampled_from(["v", "attempt", "outcome", "id", "job", "boot", "reason", "extra"]),
)
def test_a_line_is_a_run_exactly_when_its_schema_says_so(record: dict[str, Any], wrong: str) -> None:
    if wrong:
        record[wrong] = None
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    line = text.encode("utf-8", "surrogatepass") + b"\n"
    runs, problems = read_runs(line)
    half = any("\ud800" <= character <= "\udfff" for character in text)
    assert bool(problems) == (half or bool(find_problems("run", record))) == (not runs)


_ODD = [
    "", " x", "x" * 501, "a\0b", "\ud800", "2026-01-01", "2026-01-01\n", -1, 101, 1.0, True, [], ["", 1], [{}], {"what": 1},
]  # fmt: skip


@examples(1000)
@given(data=st.data(), kind=st.sampled_from(sorted(record_kinds())))
def test_a_record_is_taken_without_the_schema_exactly_when_that_says_so(
    data: st.DataObject, kind: str
) -> None:
    shapes, opens = field_shapes(kind), data.draw(st.booleans())
    fields = {name: shape["examples"][0] for name, shape in shapes.items() if data.draw(st.booleans())}
    for name in data.draw(st.sets(st.sampled_from([*shapes, "extra"]), max_size=2)):
        fields[name] = data.draw(st.sampled_from(_ODD) | st.text(max_size=5))
    shape = schema_named(f"record#{kind}")
    with patch("nightledger.codec.records.surely_fits", lambda *_: False):
        problems = find_problems(f"record#{kind}", fields)
    missing = [one for one in problems if one.startswith("$: ") and "is a required property" in one]
    shape = shape if opens else {**shape, "required": []}
    assert surely_fits(shape, fields) == (set(problems) <= set(() if opens else missing))

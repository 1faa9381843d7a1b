"""What must stay the same in two places: schemas and values, words and enums, fast paths and contracts."""

import dataclasses
import json
import types
import typing
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from tests.codec.outcomes import records

from nightledger.codec.canonical import CanonicalError, canonical
from nightledger.codec.outcome_fields import FIELDS, REQUIRED, STAMPS
from nightledger.codec.outcome_line import find_outcome_problems, outcome_id
from nightledger.codec.outcome_rows import OutcomeRow, read_outcome_rows
from nightledger.codec.records import KINDS
from nightledger.codec.schema import find_problems, read_schema
from nightledger.domain.identity import Identity
from nightledger.domain.outcome import Outcome

ROOT = Path(__file__).resolve().parents[1]
RECORD_SCHEMAS = ("home", "outcome", *sorted(kind.schema for kind in KINDS.values()))
OPTIONAL_AS_ABSENT = {"outcome"}
"""Kinds whose optional fields are left out of the file instead of being null."""


# ---------------------------------------------------------------- schemas and values


def fields_of(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


@pytest.mark.parametrize(
    ("kind", "name"), [(Outcome, "outcome"), *((kind, how.schema) for kind, how in KINDS.items())]
)
def test_a_schema_has_the_fields_of_its_value_to_the_bottom(kind: type, name: str) -> None:
    schema = read_schema(name)
    assert schema["type"] == "object"
    compare(kind, schema, schema, name)


def compare(kind: Any, described: dict[str, Any], root: dict[str, Any], name: str) -> None:
    """Compare a dataclass with an object schema, then what is in it."""
    described = resolve(described, root)
    assert set(described["properties"]) == fields_of(kind)
    assert described["additionalProperties"] is False
    if name not in OPTIONAL_AS_ABSENT:
        assert set(described["required"]) == fields_of(kind)
    hints = typing.get_type_hints(kind)
    for field, property_schema in described["properties"].items():
        compare_field(hints[field], resolve(property_schema, root), root, name)


def compare_field(hint: Any, described: dict[str, Any], root: dict[str, Any], name: str) -> None:
    arguments = typing.get_args(hint)
    if isinstance(hint, types.UnionType):
        (inner,) = [argument for argument in arguments if argument is not type(None)]
        assert name in OPTIONAL_AS_ABSENT or "null" in described["type"]
        compare_field(inner, described, root, name)
    elif dataclasses.is_dataclass(hint):
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


def test_the_identity_of_a_home_has_the_fields_of_its_schema() -> None:
    schema = read_schema("home")
    assert set(schema["properties"]) == set(Identity.__slots__) == set(schema["required"])


def test_the_fast_row_and_the_hand_checks_have_the_fields_of_the_outcome_schema() -> None:
    schema = read_schema("outcome")
    assert set(OutcomeRow.__struct_fields__) == set(schema["properties"])
    assert list(OutcomeRow.__struct_fields__) == sorted(OutcomeRow.__struct_fields__)
    assert {*FIELDS, *STAMPS} == set(schema["properties"])
    assert {*REQUIRED, *STAMPS} == set(schema["required"])


def schema_files() -> list[Path]:
    return sorted((ROOT / "schemas").glob("*.schema.json"))


@pytest.mark.parametrize("path", schema_files(), ids=lambda path: path.name)
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


@pytest.mark.parametrize("name", RECORD_SCHEMAS)
def test_every_record_carries_its_version(name: str) -> None:
    schema = read_schema(name)
    assert schema["properties"]["v"]["const"] == 1
    assert "v" in schema["required"]


# ---------------------------------------------------------------- three ways to judge an outcome


@settings(max_examples=1500)
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
        assert canonical(msgspec.to_builtins(row), floats=True) + b"\n" == line


def test_the_generated_records_are_good_and_bad_in_fair_measure() -> None:
    verdicts: list[bool] = []

    @settings(max_examples=400)
    @given(record=records())
    def collect(record: dict[str, Any]) -> None:
        verdicts.append(bool(find_problems("outcome", {**record, "id": "o-qygk77v7yviucnh5dahsec22w6"})))

    collect()
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.9

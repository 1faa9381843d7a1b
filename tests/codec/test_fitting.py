"""What fits without the schema library is what the library finds nothing wrong with."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from nightledger.codec import records
from nightledger.codec.fitting import surely_fits

SCHEMAS = sorted(path.name.removesuffix(".schema.json") for path in Path("schemas").glob("*.schema.json"))
OTHERS = json.loads(Path("tests/corpora/json-values.json").read_text(encoding="utf-8"))


def examples(name: str) -> list[Any]:
    """Return a schema's examples, and those of its parts and members, each as what holds them would have it."""
    schema = records.read_schema(name)
    members = {
        key: told["examples"] for key, told in schema.get("properties", {}).items() if told.get("examples")
    }
    return [*schema.get("examples", []), *({key: one} for key, some in members.items() for one in some)]


def changed(value: Any) -> Iterator[Any]:
    """Yield a value with one thing in it replaced, taken away or added, at every place."""
    yield from copy.deepcopy(OTHERS)
    yield from (
        (f"{value}\n", f"{value}é")
        if isinstance(value, str)
        else (value * 70,)
        if isinstance(value, list)
        else ()
    )
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        for other in changed(one):
            made = copy.copy(value)
            made[key] = other
            yield made
        made = copy.copy(value)
        del made[key]
        yield made
    if isinstance(value, dict):
        yield {**value, "surplus": 1}


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_fits_is_valid_however_an_example_is_changed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = records.schema_named(name)
    fitting = [one for example in examples(name) for one in changed(example) if surely_fits(schema, one)]
    monkeypatch.setattr(records, "surely_fits", lambda *_: False)
    assert [one for one in fitting if records.find_errors(name, one)] == []


@pytest.mark.parametrize("name", ["operator", "settings"])
def test_settings_that_are_right_fit(name: str) -> None:
    schema = records.schema_named(name)
    assert [one for one in examples(name) if not surely_fits(schema, one)] == []


def test_a_keyword_that_is_not_known_here_fits_nothing() -> None:
    assert surely_fits({"type": "integer"}, 1)
    assert not surely_fits({"type": "integer", "multipleOf": 1}, 1)
    assert not surely_fits({"not": {"type": "string"}}, 1)
    assert not surely_fits({"$ref": "#/elsewhere"}, 1)


@pytest.mark.parametrize("asked", [{"const": 1}, {"enum": [1]}, {"minimum": 0.5}])
@pytest.mark.parametrize("value", [1.0, True, float("nan")])
def test_what_does_not_fit_where_nothing_may_is_invalid_too(asked: dict[str, Any], value: Any) -> None:
    for shape in ({"if": asked, "then": False}, {"oneOf": [asked, {"type": "number"}]}):
        assert not surely_fits(shape, value) or Draft202012Validator(shape).is_valid(value)

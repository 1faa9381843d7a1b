"""One configuration file, checked by its schema: every problem at once, with its line.

Invariant: a key that nobody reads is refused, so that a misspelt setting never looks set.
"""

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from nightledger.codec.schema import find_errors, find_problems, read_schema
from nightledger.codec.strict_json import parse_json
from nightledger.codec.strict_yaml import YamlMapping, parse_yaml
from nightledger.domain.errors import ConfigurationError


def parse_configuration(
    raw: bytes, schema_name: str, *, where: str, hint: str, ours: bool = False
) -> dict[str, Any]:
    """Return the keys that a YAML file sets, valid by their schema.

    Args:
        raw: YAML.
        schema_name: File in ``schemas/``, without ``.schema.json``.
        where: The file, for messages.
        hint: Where its keys are described.
        ours: The file is part of the program: its tests hold it against the schema.

    Raises:
        ConfigurationError: Naming every problem with its line.
    """
    known = read_schema(schema_name)["properties"]
    written = parse_yaml(raw, where)
    values = {key: _as_meant(key, value, written, known) for key, value in written.values.items()}
    problems = [
        (key, f"there is no such setting{_near(key, known, '; ')}") for key in values if key not in known
    ]
    problems += [] if ours else sorted(_invalid(values, schema_name, known))
    if problems:
        lines = [f"{where}:{written.lines[key]}: {key}: {message}" for key, message in problems]
        raise ConfigurationError("\n  ".join(lines), hint=hint)
    return values


def parse_json_configuration(raw: bytes, schema_name: str, *, where: str, hint: str) -> dict[str, Any]:
    """Return what a JSON file of a home says, valid by its schema; arguments as for :func:`parse_configuration`.

    Raises:
        RecordError: It is no JSON.
        ConfigurationError: Naming every problem; a misspelt key with the near one.
    """
    record: Any = parse_json(raw, where)
    known = read_schema(schema_name)["properties"]
    misspelt = (
        {key: _near(key, known, f"{key}: ") for key in record if key not in known}
        if isinstance(record, dict)
        else {}
    )
    problems = [*find_problems(schema_name, record), *filter(None, misspelt.values())]
    if problems:
        raise ConfigurationError(f"{where} is not valid:\n  " + "\n  ".join(problems), hint=hint)
    checked: dict[str, Any] = record
    return checked


def over(shipped: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return shipped values with a home's own over them; mappings are merged, whatever else is replaced."""
    merged = {
        key: over(shipped[key], value)
        for key, value in own.items()
        if isinstance(value, Mapping) and isinstance(shipped.get(key), Mapping)
    }
    return {**shipped, **own, **merged}


def _as_meant(key: str, value: Any, written: YamlMapping, known: Mapping[str, Any]) -> Any:
    """Return text as written where the schema wants text (YAML 1.1 takes 23:05 for 1385), and 2.0 as 2."""
    wanted = known.get(key, {}).get("type")
    if wanted == "string" and key in written.texts and value is not None:
        return written.texts[key]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _near(key: str, known: Mapping[str, Any], before: str) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    return f"{before}did you mean {close[0]!r}?" if close else ""


def _invalid(
    values: Mapping[str, Any], schema_name: str, known: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    for error in find_errors(schema_name, {key: value for key, value in values.items() if key in known}):
        key, *inside = map(str, error.absolute_path)
        place = "".join(f"{part}: " for part in inside)
        yield key, f"{place}{error.message} (for example: {json.dumps(known[key]['examples'][0])})"

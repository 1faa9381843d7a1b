"""One configuration file, checked by its schema: every problem at once, with its line.

Invariant: a key that nobody reads is refused, so that a misspelt setting never looks set.
"""

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nightledger.codec.strict_yaml import YamlMapping, parse_yaml
from nightledger.domain.errors import ConfigurationError

SCHEMAS = Path(__file__).resolve().parents[3] / "schemas"


def parse_configuration(
    raw: bytes, schema_name: str, *, where: str, hint: str, ours: bool = False
) -> dict[str, Any]:
    """Give the keys that the file sets, valid by their schema.

    Args:
        raw: YAML.
        schema_name: File in ``schemas/``, without ``.schema.json``.
        where: The file, for messages.
        hint: Where its keys are described.
        ours: The file is part of the program: its tests hold it against the schema, and the
            start of the schema library, eight times that of the interpreter, is spared.

    Raises:
        ConfigurationError: Naming every problem with its line.
    """
    schema = json.loads((SCHEMAS / f"{schema_name}.schema.json").read_bytes())
    written = parse_yaml(raw, where)
    values = {key: _as_meant(key, value, written, schema) for key, value in written.values.items()}
    problems = [*_unknown(values, schema), *([] if ours else _invalid(values, schema))]
    if problems:
        lines = [f"{where}:{written.lines[key]}: {key}: {message}" for key, message in problems]
        raise ConfigurationError("\n  ".join(lines), hint=hint)
    return values


def _as_meant(key: str, value: Any, written: YamlMapping, schema: Mapping[str, Any]) -> Any:
    """Give text as written where the schema wants text (YAML 1.1 takes 23:05 for 1385), and 2.0 as 2."""
    wanted = schema["properties"].get(key, {}).get("type")
    if wanted == "string" and key in written.texts and value is not None:
        return written.texts[key]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _unknown(values: Mapping[str, Any], schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = schema["properties"]
    return [(key, _near_miss(key, known)) for key in values if key not in known]


def _near_miss(key: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    return f"there is no such setting; did you mean {close[0]!r}?" if close else "there is no such setting"


def _invalid(values: Mapping[str, Any], schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    from jsonschema import Draft202012Validator

    known = {key: value for key, value in values.items() if key in schema["properties"]}
    found = []
    for error in Draft202012Validator(schema).iter_errors(known):
        key, *inside = error.absolute_path
        place = "".join(f"{part}: " for part in inside)
        example = json.dumps(schema["properties"][key]["examples"][0])
        found.append((str(key), f"{place}{error.message} (for example: {example})"))
    return sorted(found)

"""YAML that people write as configuration, read without its surprises.

Invariant: what is read is one flat mapping with the keys as they stand in the file; a
duplicate key, an alias, a tag or deep nesting is an error with its line, never a guess.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from nightledger.domain.errors import ConfigurationError

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The safe loader; libyaml's takes a thirtieth of the time and is missing only where PyYAML was built without it."""
MAX_DEPTH = 6
"""No setting nests deeper than a mapping of lists; beyond that it is a mistake or an attack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlMapping:
    """One configuration file.

    Attributes:
        values: Top-level keys and their values.
        lines: Line of each top-level key, from 1.
        texts: For a top-level scalar, its text as written; YAML 1.1 reads ``23:05`` as 1385.
    """

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    texts: Mapping[str, str]


def parse_yaml(raw: bytes, where: str) -> YamlMapping:
    """Read one mapping; an empty file is an empty one.

    Args:
        raw: UTF-8, a byte order mark allowed.
        where: The file, for messages.

    Raises:
        ConfigurationError: Not UTF-8, not YAML, not a mapping with text keys, a key twice, an
            alias or tag, or nested too deeply; with the line.
    """
    try:
        text = raw.decode("utf-8-sig")
        _refuse_surprises(text, where)
        root = yaml.compose(text, Loader=_LOADER)
        values = yaml.load(text, Loader=_LOADER)  # noqa: S506, TID251 - the safe one, in C
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{where} is not UTF-8: {error.reason} at byte {error.start}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigurationError(f"{where}:{mark.line + 1 if mark else 1}: {error.problem}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML builds values itself and lets out what 2026-02-30 and a long 1:00:00.0 raise.
        raise ConfigurationError(f"{where} is not YAML: {' '.join(str(error).split())}") from error
    if root is None or values is None:
        return YamlMapping(values={}, lines={}, texts={})
    if not isinstance(root, yaml.MappingNode):
        raise ConfigurationError(f"{where}:{_line(root)}: expected 'key: value' lines")
    _refuse_duplicates(root, where)
    return YamlMapping(
        values=values,
        lines={key.value: _line(key) for key, _ in root.value},
        texts={key.value: node.value for key, node in root.value if isinstance(node, yaml.ScalarNode)},
    )


def _refuse_surprises(text: str, where: str) -> None:
    """Refuse aliases, tags and deep nesting before PyYAML makes anything of them."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            raise ConfigurationError(f"{where}:{line}: *{event.anchor} is an alias; write the value out")
        if (tag := getattr(event, "tag", None)) is not None:
            raise ConfigurationError(f"{where}:{line}: {tag} is a tag; write the value alone")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise ConfigurationError(f"{where}:{line}: nested more than {MAX_DEPTH} deep")


def _refuse_duplicates(node: yaml.Node, where: str) -> None:
    seen: dict[str, int] = {}
    children = node.value if isinstance(node, yaml.CollectionNode) else ()
    for child in children:
        key, value = child if isinstance(node, yaml.MappingNode) else (None, child)
        if key is not None:
            line = _line(key)
            if key.tag != "tag:yaml.org,2002:str":
                raise ConfigurationError(f"{where}:{line}: a key must be text; put it in quotes")
            if key.value in seen:
                raise ConfigurationError(
                    f"{where}:{line}: {key.value!r} stands already in line {seen[key.value]}",
                    hint="keep one of the two",
                )
            seen[key.value] = line
        _refuse_duplicates(value, where)


def _line(part: yaml.Node | yaml.Event) -> int:
    return part.start_mark.line + 1 if part.start_mark else 1

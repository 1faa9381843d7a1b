"""Read the settings of agent hosts: JSON5, YAML and TOML that people and hosts write as they like.

Invariant: configuration is read and never written; whatever stands in it, what comes out is a plain value that can be
compared, or the reason why it cannot be read.
"""

import json
import re
from typing import Any

from msgspec import Struct

from nightledger.domain.errors import NightledgerError
from nightledger.files.reading import read_optional

MAX_CONFIG_BYTES = 4 << 20
MOST_NODES = 100_000
"""Values that a configuration may stand for once its aliases are followed: a few hundred bytes can stand for billions."""
_COMMENT = r"//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/"
"""Ends at the first end there is: a comma behind it must not be looked for inside it."""
# Each token ends where the next begins, whatever it turns out to be: what a name or a quote has been
# looked for in is not looked at again, so that reading is linear.
_TOKEN = re.compile(
    rf"""(?P<comment>{_COMMENT})
      |(?P<double>"(?:[^"\\]|\\.)*")
      |(?P<single>'(?:[^'\\]|\\.)*')
      |(?P<comma>,(?=(?:\s|{_COMMENT})*[}}\]]))
      |(?P<key>[A-Za-z_$][\w$-]*+)(?=\s*:)
      |(?P<open>/\*|["'])
      |(?P<other>[A-Za-z_$][\w$-]*+|.)""",
    re.DOTALL | re.VERBOSE,
)


class Unread(Struct, frozen=True, kw_only=True):
    """A configuration that could not be read, and why."""

    path: str
    reason: str


def read_config(path: str) -> Any:
    """Return the value of a configuration, told by its name's end; None where there is no file, ``Unread`` where it cannot be read."""
    try:
        raw = read_optional(path, MAX_CONFIG_BYTES)
        if raw is None:
            return None
        if path.endswith(".yaml"):
            return read_host_yaml(raw)
        return _parse_toml(raw) if path.endswith(".toml") else parse_json5(raw.decode())
    except (NightledgerError, OSError, ValueError, RecursionError) as error:
        return Unread(path=path, reason=str(error).split("\n", 1)[0])


def member_at(config: Any, *keys: str) -> Any:
    """Return a value deep inside a configuration; None where there is none."""
    for key in keys:
        config = config.get(key) if isinstance(config, dict) else None
    return config


def read_host_yaml(text: str | bytes) -> Any:
    """Give the value of one document; None for an empty one.

    Raises:
        ValueError: It is no YAML, stands in itself, or stands for more than :data:`MOST_NODES` values.
    """
    import yaml

    try:
        if _size(yaml.compose(text, yaml.SafeLoader), {}) > MOST_NODES:
            raise ValueError("its aliases stand for too much")
        return yaml.safe_load(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply, or stands in itself") from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    except (LookupError, AttributeError, TypeError, OverflowError) as error:
        # PyYAML makes values of tagged texts itself, and lets out what '!!bool x' and '!!timestamp x' raise.
        raise ValueError(f"one of its values is none of its kind ({type(error).__name__})") from error


def _size(node: Any, known: dict[Any, int]) -> int:
    """Count the values that a node stands for; each node is counted once and remembered."""
    if isinstance(getattr(node, "value", None), str) or node is None:
        return 1
    if node not in known:
        parts = [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]
        known[node] = 1 + sum(_size(part, known) for part in parts)
    return known[node]


def dump_host_yaml(config: Any) -> str:
    """Return a configuration as YAML, as hosts write it: in its order, without comments."""
    import yaml

    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def _parse_toml(raw: bytes) -> Any:
    import tomllib

    return tomllib.loads(raw.decode())


def parse_json5(text: str) -> Any:
    """Return the value of a JSON5 document: comments, trailing commas, bare keys, single quotes (json5.org, 2018).

    Only what configuration files of hosts use: enough to look a setting up.

    Raises:
        ValueError: It is none, or uses what this reader does not know (hexadecimal numbers, ``+1``).
    """
    return json.loads("".join(map(_plain, _TOKEN.finditer(text.removeprefix("\ufeff")))))


def _plain(match: "re.Match[str]") -> str:
    """Give one token as plain JSON writes it."""
    kind, token = match.lastgroup, match.group()
    if kind in ("comment", "comma"):
        return " "
    if kind == "key":
        return json.dumps(token)
    if kind == "open":
        raise ValueError(f"what begins with {token} does not end")
    if kind == "single":
        return '"' + token[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    return token

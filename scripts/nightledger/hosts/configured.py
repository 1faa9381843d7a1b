"""Read the settings of agent hosts: JSON5, YAML and TOML that people and hosts write as they like.

Invariant: configuration is read and never written; whatever stands in it, what comes out is a plain value that can be
compared, or the reason why it cannot be read.
"""

import json
import math
import os
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import Settings
from nightledger.files.durable import read_optional
from nightledger.hosts.daylogs import OPENCLAW, named_config, preset, state_roots

MAX_CONFIG_BYTES = 4 << 20
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
        if path.endswith(".toml"):
            import tomllib

            return tomllib.loads(raw.decode())
        return parse_json5(raw.decode())
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
        ValueError: It is no YAML.
    """
    import yaml

    try:
        return yaml.safe_load(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    except (LookupError, AttributeError, TypeError, OverflowError) as error:
        # PyYAML makes values of tagged texts itself, and lets out what '!!bool x' and '!!timestamp x' raise.
        raise ValueError(f"one of its values is none of its kind ({type(error).__name__})") from error


def dump_host_yaml(config: Any) -> str:
    """Return a configuration as YAML, as hosts write it: in its order, without comments."""
    import yaml

    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def has_comments(text: str) -> bool:
    """Return whether YAML has comments: what begins one, outside of every value."""
    import yaml

    scalars = [one for one in yaml.scan(text, yaml.SafeLoader) if isinstance(one, yaml.ScalarToken)]
    signs = (found.end() for found in re.finditer(r"(?:^|\s)#", text))
    return any(not any(one.start_mark.index < at <= one.end_mark.index for one in scalars) for at in signs)


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


OWN = "config/nightledger/nightledger.yaml"
HEAD, TAIL = 0.7, 0.2
"""What OpenClaw shows of a longer file, as shares of its cap: the beginning and the end (seen with 2026.9.6)."""


class Cap(Struct, frozen=True, kw_only=True):
    """A cap, and where it is set.

    Attributes:
        characters: How many are shown; None where all are.
        setting: What to change to have another cap; empty where there is none.
        shown: How many characters of a longer file are shown from its beginning, and from its end; None where
            nobody knows how the host cuts.
    """

    characters: int | None
    setting: str = ""
    shown: tuple[int, int] | None = None

    @property
    def told(self) -> str:
        """The number and the setting, where it is known, for a message."""
        return f"{self.characters or 0:,}{f' ({self.setting})' if self.setting else ''}"


def config_file(host: str, user_home: str, environment: Mapping[str, str]) -> str:
    """Return the path of a host's configuration in which its cap may stand; empty for a host that has none.

    Args:
        host: Its name in records.
        user_home: The user's own directory, absolute.
        environment: Variables of the caller.
    """
    if not preset(host).cap:
        return ""
    named = named_config(host, user_home, environment)
    return named or os.path.join(state_roots(user_home, environment)[host], preset(host).config)


def read_cap(host: str, own: int | None, config: str, path: str = "") -> Cap:
    """Return the cap of a host: its own setting, or its default; the home's own setting where that is smaller.

    Args:
        host: Its name in records.
        own: ``cap_characters`` of the home; as shipped, it says nothing.
        config: The host's configuration (:func:`config_file`); empty where nobody looked.
        path: The memory file, of which the host may show less than of others.
    """
    keys, shipped = preset(host).cap, Settings().cap_characters.get(host)
    of_home, is_own = cut(host, own, f"cap_characters.{host} in {OWN}"), own != shipped
    if own is None or not keys:
        return of_home
    keys, most = preset(host).caps.get(path, (keys, own))
    found = read_config(config) if config else None
    name, value = ".".join(keys), found if isinstance(found, Unread) else member_at(found, *keys)
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value < math.inf:
        return of_home if is_own and own < value else cut(host, int(value), f"{name} in {config}")
    why = "which cannot be read" if isinstance(value, Unread) else "where it is not set"
    if is_own and own <= most:
        return of_home
    return cut(host, most, f"{name} in {config}, {why}" if config else name)


def cut(host: str, characters: int | None, setting: str) -> Cap:
    """Return a cap with what its host shows of a longer file; of OpenClaw it is known that it drops the middle."""
    known = characters is not None and host == OPENCLAW
    shown = (int((characters or 0) * HEAD), int((characters or 0) * TAIL)) if known else None
    return Cap(characters=characters, setting=setting, shown=shown)

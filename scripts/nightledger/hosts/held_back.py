"""Why a host does not run hooks that stand in its configuration, as far as its settings say.

Invariant: configuration is read and never written; nothing is claimed that no setting says. Seen
with Claude Code 2.1.330, Codex 0.169, Hermes Agent 0.19.0 and OpenClaw 2026.9.6.
"""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from nightledger.codec.json5 import parse_json5
from nightledger.domain.errors import NightledgerError
from nightledger.files.reading import read_optional
from nightledger.hosts.hermes_config import waiting
from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.hooking import JSON_EVENTS, config_name
from nightledger.hosts.json_edit import list_at
from nightledger.hosts.openclaw_hook import folder_name, runs_hook
from nightledger.hosts.presets import CLAUDE_CODE, CODEX, HERMES, OPENCLAW

MAX_CONFIG_BYTES = 4 << 20
_HERMES_ALLOWED = "shell-hooks-allowlist.json"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def why_held_back(host: str, root: str, call: HookCall, config: str = "") -> str:
    """Give why a host leaves our hooks out; empty where no setting says so, or none can be read.

    Args:
        host: Its name in records.
        root: Its own directory.
        call: How we are called.
        config: OpenClaw's configuration, where it is not in its usual place (``named_config``).
    """
    looks: dict[str, Callable[[str, HookCall], str]] = {
        CLAUDE_CODE: _claude_code,
        CODEX: _codex,
        HERMES: _hermes,
        OPENCLAW: partial(_openclaw, config),
    }
    try:
        return looks[host](root, call) if host in looks else ""
    except (NightledgerError, OSError, ValueError, TypeError, AttributeError, RecursionError):
        return ""


def _claude_code(root: str, _: HookCall) -> str:
    path = os.path.join(root, config_name(CLAUDE_CODE))
    off = _member(parse_json5(_text(path) or "{}"), "disableAllHooks")
    return f'"disableAllHooks": true in {path} turns every hook off' if off is True else ""


def _codex(root: str, call: HookCall) -> str:
    import tomllib

    path = os.path.join(root, "config.toml")
    config = tomllib.loads(_text(path))
    features = _member(config, "features")
    for name in ("hooks", "codex_hooks"):
        if _member(features, name) is False:
            return f"{name} = false under [features] in {path} turns every hook off"
    states = _member(_member(config, "hooks"), "state")
    waiting = sum(not _is_trusted(states, keys) for keys in _keys(root, call))
    if not waiting:
        return ""
    return f"Codex runs none that you have not trusted: {waiting} wait for /hooks in a session ('codex exec' does not ask)"


def _hermes(root: str, call: HookCall) -> str:
    count = waiting(
        _text(os.path.join(root, config_name(HERMES))), _text(os.path.join(root, _HERMES_ALLOWED)), call
    )
    if not count:
        return ""
    return (
        f"Hermes runs none that you have not allowed: {count} wait for its question when it starts at a terminal; "
        "'hermes --accept-hooks' answers it"
    )


def _openclaw(named: str, root: str, call: HookCall) -> str:
    path = named or os.path.join(root, "openclaw.json")
    text, name = _text(path), folder_name(call)
    if runs_hook(parse_json5(text) if text else None, name):
        return ""
    return f"{path} does not turn it on; 'openclaw hooks enable {name}' does"


def _keys(root: str, call: HookCall) -> Iterator[tuple[str, ...]]:
    """Give the names under which Codex keeps its trust in each of our hooks: by the file as named, or without links."""
    path = os.path.join(root, config_name(CODEX))
    text = _text(path)
    for event, _, _ in JSON_EVENTS[CODEX]:
        label = _CAPITAL.sub("_", event).lower()
        for group, element in enumerate(list_at(text, ("hooks", event))):
            hooks = _member(element, "hooks")
            for n, hook in enumerate(hooks if isinstance(hooks, list) else ()):
                if call.is_called_by(_member(hook, "command")):
                    yield tuple(f"{file}:{label}:{group}:{n}" for file in (path, os.path.realpath(path)))


def _is_trusted(states: Any, keys: tuple[str, ...]) -> bool:
    """Tell whether a hook was trusted at all; whether it was changed since, Codex alone can tell."""
    found = [state for key in keys if (state := _member(states, key)) is not None]
    return any(
        isinstance(_member(state, "trusted_hash"), str) and _member(state, "enabled") is not False
        for state in found
    )


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _text(path: str) -> str:
    return (read_optional(path, MAX_CONFIG_BYTES) or b"").decode()

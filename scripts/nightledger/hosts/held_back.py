"""Why a host does not run hooks that stand in its configuration, as far as its settings say.

Invariant: configuration is read and never written; nothing is claimed that no setting says. Seen
with Claude Code 2.1.330, Codex 0.169, Hermes Agent 0.19.0 and OpenClaw 2026.9.6.
"""

import os
import re
from typing import Any

from nightledger.domain.errors import NightledgerError
from nightledger.files.reading import read_optional
from nightledger.hosts.configured import MAX_CONFIG_BYTES, Unread, member_at, read_config
from nightledger.hosts.hermes_config import waiting
from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.hooking import config_name, places_of
from nightledger.hosts.openclaw_hook import folder_name, runs_hook
from nightledger.hosts.presets import CLAUDE_CODE, CODEX, HERMES, OPENCLAW

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
    try:
        return _LOOKS[host](root, call, config) if host in _LOOKS else ""
    except (NightledgerError, OSError, ValueError, TypeError, AttributeError, RecursionError):
        return ""


def _claude_code(root: str, _: HookCall, __: str) -> str:
    path = os.path.join(root, config_name(CLAUDE_CODE))
    off = member_at(read_config(path), "disableAllHooks")
    return f'"disableAllHooks": true in {path} turns every hook off' if off is True else ""


def _codex(root: str, call: HookCall, _: str) -> str:
    path = os.path.join(root, "config.toml")
    config = read_config(path)
    if isinstance(config, Unread):
        return ""
    for name in ("hooks", "codex_hooks"):
        if member_at(config, "features", name) is False:
            return f"{name} = false under [features] in {path} turns every hook off"
    states, file = member_at(config, "hooks", "state"), os.path.join(root, config_name(CODEX))
    count = sum(
        not any(
            _is_trusted(states, f"{name}:{_CAPITAL.sub('_', event).lower()}:{group}:{n}")
            for name in (file, os.path.realpath(file))
        )
        for event, group, n in places_of(CODEX, _text(file), call)
    )
    if not count:
        return ""
    return f"Codex runs none that you have not trusted: {count} wait for /hooks in a session ('codex exec' does not ask)"


def _is_trusted(states: Any, key: str) -> bool:
    """Tell whether a hook was trusted at all; whether it was changed since, Codex alone can tell."""
    return (
        isinstance(member_at(states, key, "trusted_hash"), str)
        and member_at(states, key, "enabled") is not False
    )


def _hermes(root: str, call: HookCall, _: str) -> str:
    allowed = os.path.join(root, _HERMES_ALLOWED)
    count = waiting(_text(os.path.join(root, config_name(HERMES))), _text(allowed), call)
    if not count:
        return ""
    return (
        f"Hermes runs none that you have not allowed: {count} wait for its question when it starts at a terminal; "
        "'hermes --accept-hooks' answers it"
    )


def _openclaw(root: str, call: HookCall, named: str) -> str:
    path, name = named or os.path.join(root, "openclaw.json"), folder_name(call)
    config = read_config(path)
    if isinstance(config, Unread) or runs_hook(config, name):
        return ""
    return f"{path} does not turn it on; 'openclaw hooks enable {name}' does"


_LOOKS = {CLAUDE_CODE: _claude_code, CODEX: _codex, HERMES: _hermes, OPENCLAW: _openclaw}


def _text(path: str) -> str:
    return (read_optional(path, MAX_CONFIG_BYTES) or b"").decode()

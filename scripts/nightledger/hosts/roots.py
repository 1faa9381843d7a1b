"""Where each agent host keeps its own state, told from the environment that the caller gives.

Invariant: names only; nothing here looks at the disk or at this process's environment.
"""

import os
from collections.abc import Mapping

from nightledger.hosts.presets import CLAUDE_CODE, CODEX, HERMES, OPENCLAW

_ROOTS = {
    OPENCLAW: ("OPENCLAW_STATE_DIR", ".openclaw"),
    CLAUDE_CODE: ("CLAUDE_CONFIG_DIR", ".claude"),
    CODEX: ("CODEX_HOME", ".codex"),
    HERMES: ("HERMES_HOME", ".hermes"),
}
"""For each host the variable that names its directory, and the directory's name where it is not set."""


def state_roots(user_home: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Give each host's directory, whether it is there or not.

    Args:
        user_home: The user's own directory, absolute.
        environment: Variables of the caller.
    """
    roots = {
        host: environment.get(variable) or os.path.join(user_home, name)
        for host, (variable, name) in _ROOTS.items()
    }
    own, name = _ROOTS[OPENCLAW]
    openclaw_home = _openclaw_home(user_home, environment)
    named = _expanded(environment.get(own, ""), openclaw_home)
    roots[OPENCLAW] = named or os.path.join(openclaw_home, name)
    return roots


def named_config(host: str, user_home: str, environment: Mapping[str, str]) -> str:
    """Give the host's configuration where a variable names it by itself; "" for its usual place.

    Of the four only OpenClaw has such a variable (docs.openclaw.ai/help/environment, 2026-11).
    """
    if host != OPENCLAW:
        return ""
    return _expanded(environment.get("OPENCLAW_CONFIG_PATH", ""), _openclaw_home(user_home, environment))


def _openclaw_home(user_home: str, environment: Mapping[str, str]) -> str:
    return _expanded(environment.get("OPENCLAW_HOME", ""), user_home) or user_home


def _expanded(path: str, user_home: str) -> str:
    return user_home + path[1:] if path == "~" or path.startswith("~/") else path

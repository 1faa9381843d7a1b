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
    return {
        host: environment.get(variable) or os.path.join(user_home, name)
        for host, (variable, name) in _ROOTS.items()
    }

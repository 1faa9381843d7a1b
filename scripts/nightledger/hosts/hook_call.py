"""How a host calls our hook: the command line, and how one of ours is told from others.

Invariant: a call is ours for a home by the home's id at its end, wherever program and home lie now; one
without an id by the home's path.
"""

import os
import shlex
from itertools import pairwise
from typing import Any

from msgspec import Struct

from nightledger.hosts.presets import HERMES

SCRIPT = "prompt_hook.py"
_SHELL = ("/bin/sh", "-c")


class HookCall(Struct, frozen=True, kw_only=True):
    """How a host calls our hook; absolute paths only.

    Attributes:
        python: The interpreter.
        script: ``prompt_hook.py``.
        home: The home.
        home_id: Its id.
        keys: Where its operator's keys are, where that is not the default; hosts hand on no environment of the operator's.
    """

    python: str
    script: str
    home: str
    home_id: str
    keys: str = ""

    def words(self, host: str, event: str) -> tuple[str, ...]:
        """Give the command as words."""
        keys = ("--keys", self.keys) if self.keys else ()
        return (self.python, "-I", "-S", self.script, "--home", self.home, *keys, host, event)

    def line(self, host: str, event: str) -> str:
        """Give the command as a shell reads it; it ends with 0 even where interpreter or script are gone.

        Python ends with status 2 where there is no script, and that would block each prompt (Claude
        Code, Codex) or tool call (Hermes) from the day the checkout is moved. ``:`` does nothing with the
        home's id; it names whose call this is when the home was moved.
        """
        line = f"{shlex.join(self.words(host, event))} 2>/dev/null || : {self.home_id}"
        return shlex.join([*_SHELL, line]) if host == HERMES else line

    def is_called_by(self, command: Any) -> bool:
        """Tell whether a command line, as it stands in a configuration, calls the hook for this home.

        Args:
            command: Whatever stands there.
        """
        words = _words(command)
        if tuple(words[:2]) == _SHELL and len(words) > len(_SHELL):
            words = _words(words[len(_SHELL)])
        if not any(os.path.basename(word) == SCRIPT for word in words):
            return False
        return words[-2:] == [":", self.home_id] or ("--home", self.home) in pairwise(words)


def _words(command: Any) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []

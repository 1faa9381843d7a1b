"""What each agent host calls its memory, where it keeps its own state, and whose workspace a directory is.

Names only: the rows stand in ``config/hosts.json``, as docs/formats.md lists them; a host that renames a file changes one
line there. Nothing here looks at this process's environment.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nightledger.files.shipped import shipped_config

OPENCLAW = "openclaw"
CLAUDE_CODE = "claude_code"
CODEX = "codex"
HERMES = "hermes"
GENERIC = "generic"
READ_NO_MEMORY = (CLAUDE_CODE, CODEX)
"""Hosts that read no MEMORY.md of a project by themselves."""


class Preset(Struct, frozen=True, kw_only=True):
    """Where a host keeps what.

    Attributes:
        host: Its name in records.
        gated: Memory files that only the gate may change, relative to its workspace, as the next four are.
        marks: Names that tell a workspace of this host; all must be there.
        one_of: Further names of which one must be there too, where there are any: an owner may have renamed the first.
        daily: Directories that hold daily logs.
        skills: The folder in which it looks for skills, ``NAME/SKILL.md`` (agentskills.io/specification, 2026-11).
        own_skills: The folder of skills for all its sessions, relative to its own directory or the user's; empty where none is known.
        instructions: File in which the owner tells the agent what to do.
        root: The variable that names the host's own directory, and that directory's name in the user's where it is not set;
            empty for a host without one.
        config: The host's settings, relative to its own directory; empty where none are read.
        cap: Keys of the setting there that says how many characters of memory the agent is shown.
        sessions: Patterns of the files that its sessions write, below its own directory.
        hook_file: The file that names its hooks, relative to its own directory; empty where no file does.
        project_hook_file: The same relative to a project.
        does: What our hooks do there, after "They"; empty for a host whose hooks we do not answer.
        events: Event, matcher (none for all of an event), and seconds that the host waits, longer than the hook's own limits.
            A session's start has no matcher: Claude Code 2.1.330 also starts sessions by ``fork``, which its documentation
            does not name. Codex' shell is looked at because Codex takes patches out of its commands and applies them itself.
    """

    host: str
    gated: tuple[str, ...]
    marks: tuple[str, ...]
    one_of: tuple[str, ...]
    daily: tuple[str, ...]
    skills: str
    own_skills: str
    instructions: str
    root: tuple[str, ...]
    config: str
    cap: tuple[str, ...]
    sessions: tuple[str, ...]
    hook_file: str
    project_hook_file: str
    does: str
    events: tuple[tuple[str, str, int], ...]


def _preset(row: dict[str, Any]) -> Preset:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return Preset(**values)


PRESETS = tuple(map(_preset, json.loads(shipped_config("hosts.json"))))


def preset(host: str) -> Preset:
    """Return a host's preset; the generic one for a host that is not known."""
    return next((one for one in PRESETS if one.host == host), PRESETS[-1])


def detect_host(root: str) -> str:
    """Return the host whose marks are all in ``root``; the first that fits, else generic."""

    def are_there(names: tuple[str, ...]) -> list[bool]:
        return [os.path.lexists(os.path.join(root, name)) for name in names]

    return next(
        one.host
        for one in PRESETS
        if all(are_there(one.marks)) and (not one.one_of or any(are_there(one.one_of)))
    )


def state_roots(user_home: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return each host's own directory, whether it is there or not.

    Args:
        user_home: The user's own directory, absolute.
        environment: Variables of the caller.
    """
    roots = {}
    for one in PRESETS:
        if one.root:
            variable, name = one.root
            base = _openclaw_home(user_home, environment) if one.host == OPENCLAW else user_home
            named = environment.get(variable, "")
            roots[one.host] = (_expanded(named, base) if one.host == OPENCLAW else named) or os.path.join(
                base, name
            )
    return roots


def named_config(host: str, user_home: str, environment: Mapping[str, str]) -> str:
    """Return the host's configuration where a variable names it by itself; "" for its usual place.

    Of the four only OpenClaw has such a variable (docs.openclaw.ai/help/environment, 2026-11).
    """
    if host != OPENCLAW:
        return ""
    return _expanded(environment.get("OPENCLAW_CONFIG_PATH", ""), _openclaw_home(user_home, environment))


def _openclaw_home(user_home: str, environment: Mapping[str, str]) -> str:
    return _expanded(environment.get("OPENCLAW_HOME", ""), user_home) or user_home


def _expanded(path: str, user_home: str) -> str:
    return user_home + path[1:] if path == "~" or path.startswith("~/") else path

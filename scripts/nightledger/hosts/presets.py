"""What each agent host calls its memory, and how to tell whose workspace a directory is.

Names only, as docs/formats.md lists them; a host that renames a file changes one line here.
"""

import os
from dataclasses import dataclass

OPENCLAW = "openclaw"
CLAUDE_CODE = "claude_code"
CODEX = "codex"
HERMES = "hermes"
GENERIC = "generic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Where a host keeps what, relative to its workspace.

    Attributes:
        host: Its name in records.
        gated: Memory files that only the gate may change.
        marks: Names that tell a workspace of this host; all must be there.
        one_of: Further names of which one must be there too, where there are any.
        daily: Directories that hold daily logs.
        instructions: File in which the owner tells the agent what to do.
    """

    host: str
    gated: tuple[str, ...]
    marks: tuple[str, ...]
    daily: tuple[str, ...]
    instructions: str
    one_of: tuple[str, ...] = ()


PRESETS = (
    Preset(
        host=OPENCLAW,
        gated=("MEMORY.md",),
        marks=("AGENTS.md",),
        one_of=("SOUL.md", "IDENTITY.md", "HEARTBEAT.md"),  # an owner may have renamed the first
        daily=("memory", "memory/daily"),
        instructions="AGENTS.md",
    ),
    Preset(
        host=HERMES,
        gated=("memories/MEMORY.md", "memories/USER.md"),
        marks=("memories", "state.db"),
        daily=("memory", "memory/daily"),
        instructions="AGENTS.md",
    ),
    Preset(
        host=CODEX,
        gated=("MEMORY.md",),
        marks=(".codex",),
        daily=("memory", "memory/daily"),
        instructions="AGENTS.md",
    ),
    Preset(
        host=CLAUDE_CODE,
        gated=("MEMORY.md",),
        marks=("CLAUDE.md",),
        daily=("memory", "memory/daily"),
        instructions="CLAUDE.md",
    ),
    Preset(
        host=GENERIC,
        gated=("MEMORY.md",),
        marks=(),
        daily=("memory", "memory/daily"),
        instructions="AGENTS.md",
    ),
)


READ_NO_MEMORY = (CLAUDE_CODE, CODEX)
"""Hosts that read no MEMORY.md of a project by themselves."""


def detect_host(root: str) -> str:
    """Give the host whose marks are all in ``root``; the first that fits, else generic."""

    def are_there(names: tuple[str, ...]) -> list[bool]:
        return [os.path.lexists(os.path.join(root, name)) for name in names]

    return next(
        preset.host
        for preset in PRESETS
        if all(are_there(preset.marks)) and (not preset.one_of or any(are_there(preset.one_of)))
    )


def preset(host: str) -> Preset:
    """Give a host's preset; the generic one for a host that is not known."""
    return next((preset for preset in PRESETS if preset.host == host), PRESETS[-1])

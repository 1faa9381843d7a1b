"""The hook folder that OpenClaw loads: it asks our command at ``agent:bootstrap`` and adds one file to what the agent reads.

Pure: it gives the texts of two files. The handler asks for this home's workspace only, gives up
after its own limit, and lets every failure pass, because it runs inside the gateway. It asks for nothing
where OpenClaw keeps MEMORY.md from a session itself: groups, channels, sub-agents, scheduled jobs.

OpenClaw asks at every message and keeps nothing of the last answer (seen with 2026.9.6, as docs/formats.md says).
"""

import json
from string import Template
from typing import Any

from nightledger.files.shipped import shipped_config
from nightledger.hosts.configured import member_at
from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.presets import OPENCLAW

EVENT = "agent:bootstrap"
LIMIT_MS = 12_000
MAX_ANSWER_BYTES = 1 << 16
FILE_CHARACTERS, ALL_CHARACTERS = 20_000, 60_000
"""What OpenClaw takes of one bootstrap file and of all, where ``bootstrapMaxChars`` and ``bootstrapTotalMaxChars`` are
not set; of a longer one it drops the middle, and files beyond the sum, ours last, it leaves out (seen with 2026.9.6)."""


def folder_name(call: HookCall) -> str:
    """Give the name of the folder; one for each home."""
    return f"nightledger-{call.home_id[:8]}"


def hook_files(call: HookCall) -> dict[str, str]:
    """Return the two files of the folder by their names, made from ``config/openclaw-hook``."""
    told: dict[str, dict[str, object]] = {
        "HOOK.md": {"name": folder_name(call), "event": EVENT, "home": call.home},
        "handler.ts": {
            "home": json.dumps(call.home),
            "command": json.dumps(list(call.words(OPENCLAW, EVENT))),
            "limit": LIMIT_MS,
            "most": MAX_ANSWER_BYTES,
            "file_characters": FILE_CHARACTERS,
            "all_characters": ALL_CHARACTERS,
        },
    }
    return {
        name: Template(shipped_config(f"openclaw-hook/{name}").decode()).substitute(values)
        for name, values in told.items()
    }


def runs_hook(config: Any, name: str) -> bool:
    """Tell whether OpenClaw runs a hook: where it is named, or where hooks are on and nothing says which.

    As 2026.9.6 chooses. A pack of hooks that the owner installed opens the choice, too; no configuration tells of it.

    Args:
        config: What stands in ``openclaw.json``; None for no such file.
        name: Of the hook.
    """
    internal = member_at(config, "hooks", "internal")
    if not isinstance(internal, dict) or internal.get("enabled") is False:
        return False
    entries = member_at(internal, "entries") or {}
    if isinstance(entries, dict) and name in entries:
        return member_at(entries[name], "enabled") is not False
    return bool(member_at(internal, "load", "extraDirs")) or (internal.get("enabled") is True and not entries)

"""The hook folder that OpenClaw loads: it asks our command at ``agent:bootstrap`` and adds one file to what the agent reads.

Pure: it gives the texts of two files. The handler asks for this home's workspace only, gives up
after its own limit, and lets every failure pass, because it runs inside the gateway. It asks for nothing
where OpenClaw keeps MEMORY.md from a session itself: groups, channels, sub-agents, scheduled jobs.

OpenClaw asks at every message and keeps nothing of the last answer (seen with 2026.9.6, as docs/formats.md says).
"""

import json
from typing import Any

from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.presets import OPENCLAW

EVENT = "agent:bootstrap"
LIMIT_MS = 12_000
MAX_ANSWER_BYTES = 1 << 16
FILE_CHARACTERS, ALL_CHARACTERS = 20_000, 60_000
"""What OpenClaw takes of one bootstrap file and of all, where ``bootstrapMaxChars`` and ``bootstrapTotalMaxChars`` are
not set; of a longer one it drops the middle, and files beyond the sum, ours last, it leaves out (seen with 2026.9.6)."""
_HOOK_MD = """\
---
name: {name}
description: "Adds the context that Nightledger staged for a session"
metadata: {{ "openclaw": {{ "events": ["{event}"] }} }}
---

# {name}

It asks Nightledger for the context staged for {home} and adds it to the bootstrap files of a
session of that workspace, in memory only. No file of the workspace is written. The gateway runs it;
`openclaw agent --local` runs no hooks.

Put here by `nightledger hosts install openclaw`; `nightledger hosts remove openclaw` takes it away.
"""
_HANDLER = """\
// Put here by `nightledger hosts install openclaw`; `nightledger hosts remove openclaw` takes it away.
import {{ execFile }} from "node:child_process";
import {{ access, realpath }} from "node:fs/promises";
import {{ fileURLToPath }} from "node:url";

const HOME = {home};
const COMMAND = {command};
const SELF = import.meta.url.startsWith("file:") ? fileURLToPath(import.meta.url) : "";

function ask(question) {{
  return new Promise((resolve) => {{
    const options = {{ timeout: {limit}, maxBuffer: {most}, killSignal: "SIGKILL" }};
    const child = execFile(COMMAND[0], COMMAND.slice(1), options, (error, answer) => resolve(error ? "" : answer));
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {{}});
    child.stdin.end(JSON.stringify(question));
  }});
}}

async function isThere(path) {{
  try {{
    await access(path);
    return true;
  }} catch {{
    return false;
  }}
}}

// OpenClaw shows MEMORY.md to private sessions of the agent itself alone; what is staged quotes it
async function isWithheld(context, session) {{
  const parts = session.toLowerCase().split(":");
  if (["subagent", "cron", "group", "channel"].some((kind) => parts.includes(kind))) return true;
  const shown = context.bootstrapFiles.some((file) => file.name === "MEMORY.md");
  return !shown && (await isThere(HOME + "/MEMORY.md"));
}}

// the characters that OpenClaw still takes after the files that are there
function room(context) {{
  const agents = context.cfg?.agents;
  const given = {{ ...agents?.defaults, ...agents?.entries?.[context.agentId] }};
  const limit = (said, otherwise) => (said > 0 ? Math.floor(said) : otherwise);
  const one = limit(given.bootstrapMaxChars, {file_characters});
  const long = (file) => Math.min(one, file.missing ? 64 + String(file.path).length : (file.content ?? "").length);
  const taken = context.bootstrapFiles.reduce((sum, file) => sum + long(file), 0);
  return Math.max(0, Math.min(one, limit(given.bootstrapTotalMaxChars, {all_characters}) - taken));
}}

const handler = async (event) => {{
  try {{
    if (event.type !== "agent" || event.action !== "bootstrap") return;
    const context = event.context;
    const session = String(context.sessionKey || event.sessionKey || "");
    if ((await realpath(context.workspaceDir)) !== (await realpath(HOME))) return;
    if (await isWithheld(context, session)) return;
    if (SELF && !(await isThere(SELF))) return; // taken away, and the gateway runs on
    const named = String(context.sessionId || session);
    const answer = await ask({{ session_id: named, cwd: context.workspaceDir, room: room(context) }});
    const text = answer && JSON.parse(answer).context;
    if (typeof text !== "string" || !text) return;
    context.bootstrapFiles.push({{
      name: "NIGHTLEDGER.md",
      path: HOME + "/memory/state/tc-restore-pending.md",
      content: text,
      missing: false,
    }});
  }} catch {{
    // the session goes on without it
  }}
}};

export default handler;
"""


def folder_name(call: HookCall) -> str:
    """Give the name of the folder; one for each home."""
    return f"nightledger-{call.home_id[:8]}"


def hook_files(call: HookCall) -> dict[str, str]:
    """Give the two files of the folder by their names."""
    return {
        "HOOK.md": _HOOK_MD.format(name=folder_name(call), event=EVENT, home=call.home),
        "handler.ts": _HANDLER.format(
            home=json.dumps(call.home),
            command=json.dumps(list(call.words(OPENCLAW, EVENT))),
            limit=LIMIT_MS,
            most=MAX_ANSWER_BYTES,
            file_characters=FILE_CHARACTERS,
            all_characters=ALL_CHARACTERS,
        ),
    }


def runs_hook(config: Any, name: str) -> bool:
    """Tell whether OpenClaw runs a hook: where it is named, or where hooks are on and nothing says which.

    As 2026.9.6 chooses. A pack of hooks that the owner installed opens the choice, too; no configuration tells of it.

    Args:
        config: What stands in ``openclaw.json``; None for no such file.
        name: Of the hook.
    """
    internal = _member(_member(config, "hooks"), "internal")
    if not isinstance(internal, dict) or internal.get("enabled") is False:
        return False
    entries = _member(internal, "entries") or {}
    if isinstance(entries, dict) and name in entries:
        return _member(entries[name], "enabled") is not False
    return bool(_member(_member(internal, "load"), "extraDirs")) or (
        internal.get("enabled") is True and not entries
    )


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None

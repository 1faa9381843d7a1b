"""The hook folder that OpenClaw loads: it asks our command at ``agent:bootstrap`` and adds one file to what the agent reads.

Pure: it gives the texts of two files. The handler asks for this home's workspace only, gives up
after its own limit, and lets every failure pass, because it runs inside the gateway.

Written against docs.openclaw.ai, automation/hooks, as docs/formats.md says.
"""

import json

from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.presets import OPENCLAW

EVENT = "agent:bootstrap"
LIMIT_MS = 12_000
MAX_ANSWER_BYTES = 1 << 16
_HOOK_MD = """\
---
name: {name}
description: "Adds the context that Nightledger staged for a session"
metadata: {{ "openclaw": {{ "events": ["{event}"] }} }}
---

# {name}

At the start of a session it asks Nightledger for the context staged for {home} and adds it to the
bootstrap files as NIGHTLEDGER.md, in memory only. No file of the workspace is written.

Put here by `nightledger hosts install openclaw`; `nightledger hosts remove openclaw` takes it away.
"""
_HANDLER = """\
// Put here by `nightledger hosts install openclaw`; `nightledger hosts remove openclaw` takes it away.
import {{ execFile }} from "node:child_process";
import {{ realpath }} from "node:fs/promises";

const HOME = {home};
const COMMAND = {command};

function ask(question) {{
  return new Promise((resolve) => {{
    const options = {{ timeout: {limit}, maxBuffer: {most}, killSignal: "SIGKILL" }};
    const child = execFile(COMMAND[0], COMMAND.slice(1), options, (error, answer) => resolve(error ? "" : answer));
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {{}});
    child.stdin.end(JSON.stringify(question));
  }});
}}

const handler = async (event) => {{
  try {{
    if (event.type !== "agent" || event.action !== "bootstrap") return;
    const context = event.context;
    const session = String(context.sessionKey || event.sessionKey || "");
    if (session.includes("subagent:") || session.includes("cron:")) return;
    if ((await realpath(context.workspaceDir)) !== (await realpath(HOME))) return;
    const answer = await ask({{ session_id: session, cwd: context.workspaceDir }});
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
        ),
    }

"""The agent's session in the demo: its host calls our hooks, as a process of their own, with JSON on standard input.

Invariant: the hooks answer as docs/formats.md says, or the walk ends with an error.
"""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from nightledger.demo.narrator import Narrator
from nightledger.demo.shell import Shell
from nightledger.domain.errors import NightledgerError
from nightledger.surfaces.hook.events import SCRIPTS

HOST = "claude-code"
_LIMIT_S = 60


class HookError(NightledgerError):
    """A hook did not answer as it should."""

    hint = "this is a bug; the demo's home is left as it is"


def tell(shell: Shell, narrator: Narrator, sentence: str, now: datetime) -> None:
    """Begin a session, ask something that memory knows, and try to write MEMORY.md.

    Args:
        shell: The command line on the demo's folders.
        narrator: Where it is told.
        sentence: What an entry says, where the operator has signed it by now.
        now: The time it is.

    Raises:
        HookError: A hook says something else, or nothing is recorded.
    """
    narrator.heading("The agent's session begins; its host calls the hooks")
    page = _call(shell, "SessionStart", now, source="startup").get("additionalContext", "")
    _require("the handoff leaves" in page, "SessionStart", page)
    narrator.say(f"SessionStart: the staged page, {len(page)} characters")
    prompt = f"what do we know about this: {sentence}?"
    # In another session: what a session has on its staged page is not shown to it again.
    notes = _call(shell, "UserPromptSubmit", now, prompt=prompt, session_id="older").get(
        "additionalContext", ""
    )
    signed = sentence in (shell.home / "MEMORY.md").read_text(encoding="utf-8")
    _require("<reference-notes>" in notes or not signed, "UserPromptSubmit", notes)
    narrator.say(f"UserPromptSubmit, in a session that began before: {prompt}")
    narrator.output(notes)
    tool = {
        "tool_name": "Write",
        "tool_input": {"file_path": str(shell.home / "MEMORY.md"), "content": "mine"},
    }
    denied = _call(shell, "PreToolUse", now, **tool)
    _require(denied.get("permissionDecision") == "deny", "PreToolUse", str(denied))
    narrator.say(f"PreToolUse, Write MEMORY.md: {denied['permissionDecision']}")
    recorded = (shell.home / "memory" / "system" / "exposures.jsonl").read_text(encoding="utf-8").splitlines()
    narrator.say(f"memory/system/exposures.jsonl: {len(recorded)} lines say what was shown, where and when")


def _call(shell: Shell, event: str, now: datetime, **sent: Any) -> dict[str, Any]:
    script = Path(SCRIPTS) / "prompt_hook.py"
    words = [
        sys.executable,
        "-I",
        "-S",
        str(script),
        "--home",
        str(shell.home),
        "--now",
        now.isoformat(),
        HOST,
        event,
    ]
    payload = {"session_id": "demo", "cwd": str(shell.home), "hook_event_name": event, **sent}
    done = subprocess.run(  # noqa: S603 - our own program, by its full path
        words, input=json.dumps(payload).encode(), capture_output=True, timeout=_LIMIT_S, check=False
    )
    shell.heard.append((done.stdout + done.stderr).decode())
    if done.returncode or done.stderr:
        raise HookError(f"{event} ended with {done.returncode}: {done.stderr.decode()}")
    answer: dict[str, Any] = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
    return answer


def _require(holds: bool, event: str, said: str) -> None:  # noqa: FBT001 - what must hold
    if not holds:
        raise HookError(f"{event} answered something else: {said[:500]!r}")

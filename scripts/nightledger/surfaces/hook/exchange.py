"""What hosts send on standard input and take as an answer: their events, and the shapes of both.

Invariant: whatever the bytes are, reading them gives a dict; an answer is context or a refusal, and none ever allows, asks,
blocks a prompt or stops a session. docs/formats.md names what each shape was written against. Standard library only, and
little of it: read at each prompt.
"""

import json
import os

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any

MAX_STDIN_BYTES = 8 << 20
"""A tool's input holds whole files; Hermes sends the conversation. What is larger is not looked
at: 16 MB of nothing but empty lists took more than a second to parse, in which no alarm is heard."""
MAX_PROMPT_CHARACTERS = 4_000
"""Of a longer prompt the beginning and the end count: what is asked stands there. Our choice."""
_BLOCK_BYTES = 1 << 16


def read_stdin(descriptor: int = 0) -> bytes:
    """Give what a host sends, up to the end; nothing when it is too much or cannot be read."""
    blocks, left = [], MAX_STDIN_BYTES + 1
    try:
        while left > 0 and (block := os.read(descriptor, min(left, _BLOCK_BYTES))):
            blocks.append(block)
            left -= len(block)
    except OSError:
        return b""
    return b"".join(blocks) if left > 0 else b""


def parse_payload(raw: bytes) -> "dict[str, Any]":
    """Give the object that a host sent; an empty one for anything else."""
    try:
        found = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def text_of(payload: "dict[str, Any]", *keys: str) -> str:
    """Give a text of the payload, at a path of keys; empty where there is none."""
    found: Any = payload
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def prompt_of(payload: "dict[str, Any]") -> str:
    """Give what the user wrote: Claude Code and Codex name it ``prompt``, Hermes ``extra.user_message``."""
    prompt = text_of(payload, "prompt") or text_of(payload, "extra", "user_message")
    extra = payload.get("extra")
    parts = extra.get("user_message") if isinstance(extra, dict) else None
    if not prompt and isinstance(parts, list):  # a turn with pictures is a list of parts
        prompt = "\n".join(
            text for part in parts if isinstance(part, dict) and (text := text_of(part, "text"))
        )
    if len(prompt) > MAX_PROMPT_CHARACTERS:
        half = MAX_PROMPT_CHARACTERS // 2
        prompt = f"{prompt[:half]}\n{prompt[-half:]}"
    return prompt.encode("utf-8", "replace").decode()


START, PROMPT, TOOL = "session_start", "prompt", "tool"
HOSTS = {
    "claude_code": {"SessionStart": START, "UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    "codex": {"SessionStart": START, "UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    "hermes": {"pre_llm_call": PROMPT, "pre_tool_call": TOOL},
    "openclaw": {"agent:bootstrap": START},
}
"""For each host its events that a hook is called at, and what each means to us."""
MAX_CONTEXT_BYTES = 9_500
"""UTF-8. Claude Code takes 10,000 characters whole, Codex 2,500 tokens of four bytes (openai/codex, codex-rs/hooks/src/
output_spill.rs); a longer answer they put into a file, and what the agent reads of it has lost its middle, or its fence."""


def host_name(given: str) -> str:
    """Give a host as records name it: ``claude-code`` is ``claude_code``."""
    return given.lower().replace("-", "_")


def meaning(host: str, event: str) -> str:
    """Give what a host's event means to us; empty for what we do not answer."""
    return HOSTS.get(host, {}).get(event, "")


def give_context(host: str, event: str, text: str) -> bytes:
    """Give the answer that adds text to what the agent reads; none for no text or too much of it."""
    if not text or len(text.encode("utf-8", "surrogatepass")) > MAX_CONTEXT_BYTES:
        return b""
    if host in ("hermes", "openclaw"):
        return _dump({"context": text})
    return _dump({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def refuse(host: str, event: str, reason: str) -> bytes:
    """Give the answer that keeps a tool from running; none where there is no reason."""
    if not reason:
        return b""
    if host == "hermes":
        return _dump({"action": "block", "message": reason})
    answer = {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return _dump({"hookSpecificOutput": answer})


def _dump(answer: dict[str, object]) -> bytes:
    return json.dumps(answer).encode("ascii") + b"\n"

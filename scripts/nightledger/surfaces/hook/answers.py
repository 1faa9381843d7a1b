"""What each host sends and takes: its events, and the shapes of its answers.

Invariant: an answer is context or a refusal; none ever allows, asks, blocks a prompt or stops a
session. docs/formats.md names what each shape was written against.
"""

import json

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

"""What a host sends on standard input, read so that nothing in it can do harm.

Invariant: whatever the bytes are, this gives a dict; what is no object of JSON counts as an empty
one. Standard library only, and little of it: read at each prompt.
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

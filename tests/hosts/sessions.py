"""Transcripts of invented sessions, line by line as the hosts write them (seen: Claude Code 2.1.332, Codex 0.171)."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

CLOCK = "2026-02-28T09:{:02d}:00.123Z"


def claude(kind: str, content: Any, cwd: str, *, n: int, **members: Any) -> str:
    """Return a line of Claude Code; its minute, its name and its place in the file are of ``n``."""
    line = {
        "parentUuid": None, "isSidechain": False, "type": kind, "message": {"role": kind, "content": content}, "uuid": f"u-{n}",
        "timestamp": CLOCK.format(n % 60), "cwd": cwd, "sessionId": "s-1", "version": "2.1.332", **members,
    }  # fmt: skip
    return json.dumps(line)


def codex(kind: str, payload: dict[str, Any], *, n: int) -> str:
    """Return a line of Codex."""
    return json.dumps({"timestamp": CLOCK.format(n % 60), "ordinal": n, "type": kind, "payload": payload})


def codex_said(speaker: str, text: str, *, n: int) -> str:
    """Return what a user or the assistant says in Codex."""
    if speaker == "user":
        item = {"type": "UserMessage", "id": f"i-{n}", "content": [{"type": "text", "text": text}]}
        return codex("event_msg", {"type": "item_completed", "item": item}, n=n)
    content = [{"type": "output_text", "text": text}]
    return codex("response_item", {"type": "message", "role": speaker, "content": content}, n=n)


def text(said: str) -> list[dict[str, str]]:
    """Return a list of one block of text."""
    return [{"type": "text", "text": said}]


def call(tool: str = "Bash", *, name: str = "t-1", **given: Any) -> list[dict[str, Any]]:
    """Return a list of one call of a tool."""
    return [{"type": "tool_use", "id": name, "name": tool, "input": given or {"command": "true"}}]


def result(output: str, *, name: str = "t-1", **members: Any) -> list[dict[str, Any]]:
    """Return a list of one tool's result."""
    return [{"type": "tool_result", "tool_use_id": name, "content": output, **members}]


def claude_step(
    tool: str,
    cwd: str,
    *,
    n: int,
    output: str = "",
    status: int | None = 0,
    given: dict[str, Any],
    **members: Any,
) -> list[str]:
    """Return the lines of one call of a tool in Claude Code and of how it ended; None is a status that is not told."""
    mark = {} if status is None else {"is_error": bool(status)}
    said = f"Exit code {status}\n{output}" if status else output
    block = result(said, name=f"t-{n}", **mark)
    gave = f"Error: {said}" if status else {"stdout": output}
    asked = claude("assistant", call(tool, name=f"t-{n}", **given), cwd, n=n)
    return [asked, claude("user", block, cwd, n=n + 1, toolUseResult=gave, **members)]


def claude_file(root: Path, cwd: str, lines: Iterable[str], name: str = "s-1") -> Path:
    """Write a session where Claude Code keeps that of a directory."""
    folder = root / "projects" / re.sub(r"[^a-zA-Z0-9]", "-", cwd)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def codex_file(root: Path, cwd: str, lines: Iterable[str], name: str = "0001", **header: Any) -> Path:
    """Write a session where Codex keeps those of a day."""
    folder = root / "sessions" / "2026" / "02" / "28"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rollout-2026-02-28T09-00-00-{name}.jsonl"
    meta = codex(
        "session_meta", {"id": name, "cwd": cwd, "source": "exec", "thread_source": "user", **header}, n=0
    )
    path.write_text("".join(f"{line}\n" for line in (meta, *lines)))
    return path

"""What a running agent's host hands to hooks, and what hooks hand back: payloads, guarded writes, notes, pages."""

import json
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.faults.fuzz.records import DEEP, dumped
from tests.faults.fuzz.target import Target, scratch, seeds
from tests.homes import make_home

from nightledger.domain.exposure import BYTES_A_TOKEN, bytes_of, tokens_of
from nightledger.files.home import Home
from nightledger.files.search_reader import Line
from nightledger.recall.relevant import MOST_OWN_WORDS, own_words
from nightledger.surfaces.hook import running
from nightledger.surfaces.hook.guard import refusal
from nightledger.surfaces.hook.prompting import CLOSING, OPENING, Note, fence


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


@cache
def _home() -> Home:
    home = make_home(scratch() / "asked")
    Path(home.memory_md).write_text("# Memory\n")
    (scratch() / "far" / "away").mkdir(parents=True)
    Path(home.path("link")).symlink_to(scratch() / "far" / "away")
    Path(home.path("second")).symlink_to(home.memory_md)
    os.link(home.memory_md, home.path("third"))
    os.makedirs(home.work_dir, exist_ok=True)
    return home


# payloads


def _read_payload(raw: bytes) -> tuple[dict[str, Any], str, Sequence[str]]:
    payload = running.parse_payload(raw)
    prompt = running.prompt_of(payload)
    return payload, prompt, own_words(prompt)


def _check_payload(raw: bytes, read: tuple[dict[str, Any], str, Sequence[str]]) -> None:
    payload, prompt, words = read
    try:
        told = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        told = {}
    assert repr(payload) == repr(told if isinstance(told, dict) else {})
    assert len(prompt.encode()) <= 4 * (running.MAX_PROMPT_CHARACTERS + 1)
    assert len(words) <= MOST_OWN_WORDS
    assert all(any(map(str.isalnum, word)) for word in words)
    for host, events in running.HOSTS.items():
        for event in events:
            _check_answer(running.give_context(host, event, prompt), host, prompt)


def _check_answer(answer: bytes, host: str, text: str) -> None:
    """Judge what is printed: nothing, or one of the forms that each host documents."""
    if not answer:
        assert not text or len(text.encode("utf-8", "surrogatepass")) > running.MAX_CONTEXT_BYTES
        return
    assert answer.count(b"\n") == 1
    given = json.loads(answer)
    if host in ("hermes", "openclaw"):
        assert given in ({"context": text}, {"action": "block", "message": text})
        return
    inner = given.pop("hookSpecificOutput")
    assert not given
    told = inner.pop("additionalContext", None) or inner.pop("permissionDecisionReason")
    assert told == text
    assert inner.pop("permissionDecision", "deny") == "deny"
    assert list(inner) == ["hookEventName"]


_PAYLOADS = seeds("asked_payloads")


# the guard before a tool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A payload with the guard's answer.

    Attributes:
        payload: What was judged.
        said: The answer.
        plain: Whether the payload plainly writes a gated file.
    """

    payload: dict[str, Any]
    said: str
    plain: bool


def _spellings(name: str) -> tuple[str, ...]:
    """Give ways to MEMORY.md from its home, one of them through a folder with any name."""
    folder = name.replace("/", "").replace("\n", "").strip() or "x"
    folder = f"x{folder}" if set(folder) == {"."} else folder
    root = _home().root
    return (
        "MEMORY.md", f"{root}/MEMORY.md", "./MEMORY.md", "second", "third", "link/../MEMORY.md", f"{folder}/../MEMORY.md",
        f"{root}/{folder}/../MEMORY.md", f"memory/.././{folder}/../MEMORY.md", "~/../MEMORY.md", f"{root}//MEMORY.md",
    )  # fmt: skip


_Form = Callable[[str, str, str], dict[str, Any]]


def _patch(path: str, before: str, after: str, line: str = "*** Update File: {}") -> str:
    return f"{before}\n*** Begin Patch\n{line.format(path)}\n@@\n-a\n+b\n*** End Patch\n{after}"


def _in_shell(path: str, before: str, after: str, folder: str = "") -> dict[str, Any]:
    given = f"{before}\n{folder}apply_patch <<'EOF'{_patch(path, '', '')}EOF\n{after}"
    return {"tool_name": "Bash", "tool_input": {"command": given}}


_FORMS: tuple[_Form, ...] = (
    lambda path, a, b: {"tool_name": "Write", "tool_input": {"content": a, "file_path": path, "old_string": b}},
    lambda path, a, _: {"tool_input": {"file_path": a, "edits": [1, {"path": a}, {"file_path": path}]}},
    lambda path, a, b: {"tool_name": a, "tool_input": {"notebook_path": path, b: a}},
    lambda path, a, b: {"tool_name": "apply_patch", "tool_input": {"command": _patch(path, a, b)}},
    lambda path, a, b: {"tool_input": {"command": ["apply_patch", a, _patch(path, "", b)]}},
    lambda path, a, b: {"tool_input": _patch(path, a, b)},
    lambda path, a, b: {"tool_name": "patch", "tool_input": {"patch": _patch(path, a, b, "*** Move File: x -> {}")}},
    lambda path, a, b: {"tool_input": {"patch": _patch(path, a, b, "***Delete\u00a0 File:{}\r")}},
    lambda path, a, b: {"tool_input": {"input": _patch(path, a, b, "\t*** Update File: x\n*** Move to: {}")}},
    _in_shell,
    lambda path, a, b: _in_shell(path, a, b, f"cd {shlex.quote(_home().root)} && ") | {"cwd": "/"},
    lambda path, a, b: _in_shell(path, a, b, f'cd "{_home().root}"; ') | {"cwd": "/"},
)  # fmt: skip
"""Each form in which a host documents a write, with noise before and after it."""


def _read_write(raw: bytes) -> _Judged:
    """Take an input for a payload where it is one, else put a write of a gated file into it."""
    if raw.startswith(b"{"):
        payload, plain = running.parse_payload(raw), False
    else:
        form, way, rest = raw[:1] or b"\0", raw[1:2] or b"\0", _text(raw[2:])
        before, _, rest = rest.partition("\0")
        after, _, name = rest.partition("\0")
        ways = _spellings(name)
        path = ways[way[0] % len(ways)]
        payload, plain = {"cwd": _home().root} | _FORMS[form[0] % len(_FORMS)](path, before, after), True
    return _Judged(payload=payload, said=refusal(_home(), payload, "nightledger propose"), plain=plain)


def _check_write(_: bytes, read: _Judged) -> None:
    assert bool(read.said) == bool(refusal(_home(), read.payload, "nightledger propose"))
    if read.plain:
        assert read.said
    for host, event in (("claude_code", "PreToolUse"), ("codex", "PreToolUse"), ("hermes", "pre_tool_call")):
        _check_answer(running.refuse(host, event, read.said), host, read.said)


def _writes() -> list[bytes]:
    noise = b"cat <<A\n$(x '\\''\n*** Add File: a\nA\0 cd 'b c' && echo \"\n*** End Patch\n\0da"
    shell = {
        "command": "cd /srv && apply_patch <<'E'\n*** Begin Patch\n*** Add File: x\n+a\n*** End Patch\nE"
    }
    return [
        *(bytes([form, form]) + noise for form in range(len(_FORMS))),
        *(bytes([3, way]) + b"\0\0n" for way in range(len(_spellings("")))),
        dumped({"tool_name": "Bash", "tool_input": shell}),
        dumped({"tool_name": "memory", "tool_input": {"target": "user"}, "cwd": "/"}),
        dumped({"tool_input": {"file_path": "notes.md", "edits": [{"path": "~x/y"}]}, "cwd": "a"}),
        *DEEP,
    ]


def _read_repeated(raw: bytes) -> _Judged:
    """Repeat a part of a write so often that time that grows faster than the text would show."""
    kept, at, rest = raw[:2], (raw[2:3] or b"\0")[0] % 16, raw[3:]
    body = rest[:at] or b"a"
    return _read_write(kept + body * (65_536 // len(body)) + rest[at:])


_REPEATS = seeds("asked_repeats")


def _repeats() -> list[bytes]:
    heads = [b"\0\0", b"\3\0", b"\7\6", b"\x09\6", b"\x0a\0"]
    return [head + bytes([len(body) % 16]) + body + b"x\0y\0z" for head in heads for body in _REPEATS]


# what is added to a prompt


_Fenced = tuple[list[Note], int, str, int]


def _read_notes(raw: bytes) -> _Fenced:
    """Take the first byte for the budget and the rest for lines of memory, each with its path."""
    tokens = (raw[:1] or b"\0")[0] * 3
    notes = []
    for n, part in enumerate(_text(raw[1:]).split("\0")):
        path, _, text = part.partition("\x01")
        kind = "handoff" if n % 3 == 2 else "memory"
        row = (n, path, kind, 0, 0, b"", 0, n + 1, n + 2, "", "", text[:60] if n % 3 == 1 else "")
        notes.append(Note.of_line(Line(row, text)))
    text, told = fence(notes, tokens)
    return notes, tokens, text, len(told)


def _check_notes(_: bytes, read: _Fenced) -> None:
    notes, tokens, text, told = read
    assert fence(notes, tokens)[0] == text
    if not told:
        assert text == ""
        return
    assert tokens_of(text) <= tokens
    assert bytes_of(text) <= tokens * BYTES_A_TOKEN
    assert text.startswith(OPENING)
    assert text.endswith(CLOSING)
    lines = text[len(OPENING) : -len(CLOSING)].split("\n")
    assert lines.pop() == ""
    assert len(lines) == told
    for line in lines:
        assert line.startswith("- ")
        _check_quoted(line[2:])


def _check_quoted(line: str) -> None:
    """No control or hidden character stands in a quoted line, and no mark that is not escaped."""
    assert line.isprintable()
    bare = line.replace("\\\\", "")
    assert all(bare[at - 1 : at] == "\\" for at, mark in enumerate(bare) if mark in "<>`[]|")


_LINES = seeds("asked_lines")


TARGETS = (
    Target("hook-payloads", _read_payload, _check_payload, _PAYLOADS),
    Target("guarded-writes", _read_write, _check_write, _writes),
    Target("repeated-writes", _read_repeated, _check_write, _repeats, max_bytes=128, cost=10),
    Target("prompt-notes", _read_notes, _check_notes, _LINES, max_bytes=1024),
)

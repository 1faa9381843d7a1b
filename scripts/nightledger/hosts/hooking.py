"""What has to stand in a host's configuration so that it calls our hook, and how to take that out again.

Pure: text in, text out; nothing here opens a file. Written against the documentation that
docs/formats.md names.

Invariant: what a person keeps there stays byte for byte; what is taken out is ours alone, and only
this home's.
"""

import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nightledger.hosts.json_edit import add_element, drop_elements, list_at
from nightledger.hosts.presets import CLAUDE_CODE, CODEX, HERMES, OPENCLAW

SCRIPT = "prompt_hook.py"
_START_S, _PROMPT_S = 12, 5
"""How long a host waits: longer than the hook's own limits (``surfaces/hook/running.py``)."""
_STARTS = "startup|resume|clear|compact"
JSON_EVENTS: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    CLAUDE_CODE: (
        ("SessionStart", _STARTS, _START_S),
        ("UserPromptSubmit", "", _PROMPT_S),
        ("PreToolUse", "Write|Edit|MultiEdit|NotebookEdit", _PROMPT_S),
    ),
    CODEX: (
        ("SessionStart", _STARTS, _START_S),
        ("UserPromptSubmit", "", _PROMPT_S),
        ("PreToolUse", "apply_patch|Edit|Write", _PROMPT_S),
    ),
}
"""Event, matcher (none where the event knows none), and seconds that the host waits."""
HERMES_EVENTS = (("pre_llm_call", "", _PROMPT_S), ("pre_tool_call", "write_file|patch", _PROMPT_S))
HOOKED = (CLAUDE_CODE, CODEX, HERMES, OPENCLAW)
"""Hosts that have hooks we answer."""
_HOOKS_KEY = re.compile(r"^(?:hooks|\"hooks\"|'hooks')\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """How a host calls our hook; absolute paths only.

    Attributes:
        python: The interpreter.
        script: ``prompt_hook.py``.
        home: The home.
        home_id: Its id.
    """

    python: str
    script: str
    home: str
    home_id: str

    def words(self, host: str, event: str) -> tuple[str, ...]:
        """Give the command as words."""
        return (self.python, "-I", "-S", self.script, "--home", self.home, host, event)

    def line(self, host: str, event: str) -> str:
        """Give the command as a shell reads it; it ends with 0 even where interpreter or script are gone.

        Python ends with status 2 where there is no script, and that would block each prompt (Claude
        Code, Codex) or tool call (Hermes) from the day the checkout is moved.
        """
        line = f"{shlex.join(self.words(host, event))} 2>/dev/null || :"
        return shlex.join(["/bin/sh", "-c", line]) if host == HERMES else line


def config_name(host: str, *, project: bool = False) -> str:
    """Give the file that names a host's hooks, relative to the host's directory or to a project.

    Raises:
        ValueError: The host has none.
    """
    names = {
        (CLAUDE_CODE, False): "settings.json",
        (CLAUDE_CODE, True): ".claude/settings.local.json",
        (CODEX, False): "hooks.json",
        (CODEX, True): ".codex/hooks.json",
        (HERMES, False): "config.yaml",
    }
    if (host, project) not in names:
        raise ValueError(f"{host} has no file of hooks {'in a project' if project else 'of its own'}")
    return names[host, project]


def addition(host: str, call: HookCall) -> str:
    """Give exactly what is added, as a person would write it."""
    if host == HERMES:
        return _hermes_block(call, "")
    hooks: dict[str, Any] = {event: [element] for event, element in _elements(host, call)}
    return json.dumps({"hooks": hooks}, indent=2, ensure_ascii=False) + "\n"


def with_hooks(host: str, text: str, call: HookCall) -> str:
    """Give the configuration with our hooks in it; the same text where they are in it already.

    Args:
        host: Claude Code, Codex or Hermes.
        text: What stands in the file; empty for none.
        call: How we are called.

    Raises:
        ValueError: The file is not what the host's documentation says, or cannot be edited safely.
    """
    if host == HERMES:
        return _with_block(text, call)
    wanted = _elements(host, call)
    if all(_ours(text, event, call) == [element] for event, element in wanted):
        return text
    text = without_hooks(host, text, call)
    for event, element in wanted:
        text = add_element(text, ("hooks", event), element)
    return text


def without_hooks(host: str, text: str, call: HookCall) -> str:
    """Give the configuration without our hooks for this home; the same text where there are none.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    if host == HERMES:
        return _without_block(text, call)
    for event, _, _ in JSON_EVENTS[host]:
        ours = _ours(text, event, call)
        if ours:
            text = drop_elements(text, ("hooks", event), ours)
    return text


def has_hooks(host: str, text: str, call: HookCall) -> bool:
    """Tell whether any hook of ours for this home stands in it.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    if host == HERMES:
        return _begin(call) in text
    return any(_ours(text, event, call) for event, _, _ in JSON_EVENTS[host])


def _elements(host: str, call: HookCall) -> list[tuple[str, dict[str, Any]]]:
    return [
        (event, _element(host, call, event, matcher, limit)) for event, matcher, limit in JSON_EVENTS[host]
    ]


def _element(host: str, call: HookCall, event: str, matcher: str, limit_s: int) -> dict[str, Any]:
    command = {"type": "command", "command": call.line(host, event), "timeout": limit_s}
    return {"matcher": matcher, "hooks": [command]} if matcher else {"hooks": [command]}


def _ours(text: str, event: str, call: HookCall) -> list[Any]:
    return [element for element in list_at(text, ("hooks", event)) if _is_ours(element, call)]


def _is_ours(element: Any, call: HookCall) -> bool:
    """Tell whether an element calls nothing but our hook for this home, wherever the program lies."""
    hooks = element.get("hooks") if isinstance(element, dict) else None
    if not isinstance(hooks, list) or not hooks:
        return False
    return all(isinstance(hook, dict) and _calls_us(hook.get("command"), call) for hook in hooks)


def _calls_us(command: Any, call: HookCall) -> bool:
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    named = ("--home", call.home) in pairwise(words)
    return named and any(os.path.basename(word) == SCRIPT for word in words)


def _begin(call: HookCall) -> str:
    return f"# nightledger {call.home_id} begin"


def _end(call: HookCall) -> str:
    return f"# nightledger {call.home_id} end"


def _hermes_block(call: HookCall, mark: str) -> str:
    lines = [f"{_begin(call)}{mark} (taken away by: nightledger hosts remove hermes)", "hooks:"]
    for event, matcher, limit_s in HERMES_EVENTS:
        command = json.dumps(call.line(HERMES, event), ensure_ascii=False)
        lines.append(f"  {event}:")
        lines.append(f"    - command: {command}")
        lines += [f'      matcher: "{matcher}"'] if matcher else []
        lines.append(f"      timeout: {limit_s}")
    return "\n".join([*lines, _end(call), ""])


_NO_LINE_END = ", after a line without an end"
"""Stands in the first line of our block where the file did not end with a line end, so that removing gives it back."""


def _with_block(text: str, call: HookCall) -> str:
    rest = _without_block(text, call)
    if _HOOKS_KEY.search(rest):
        raise ValueError("it has hooks already, and YAML cannot be edited without touching yours")
    torn = bool(rest) and not rest.endswith("\n")
    added = (rest + "\n" if torn else rest) + _hermes_block(call, _NO_LINE_END if torn else "")
    before, after = _load_yaml(rest), _load_yaml(added)
    hooks = after.pop("hooks", None)
    if after != before or not isinstance(hooks, dict):
        raise ValueError("it is no plain YAML mapping")
    return added


def _without_block(text: str, call: HookCall) -> str:
    begin, end = re.escape(_begin(call)), re.escape(_end(call))
    found = re.search(rf"^{begin}([^\n]*)\n(?:[^\n]*\n)*?{end}(?:\n|\Z)", text, re.MULTILINE)
    if found is None:
        return text
    before = text[: found.start()]
    if found[1].startswith(_NO_LINE_END):
        before = before.removesuffix("\n")
    return before + text[found.end() :]


def _load_yaml(text: str) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"it is no YAML: {str(error).partition(chr(10))[0]}") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ValueError("it is no YAML mapping")  # noqa: TRY004 - it is what stands in a file
    return found

"""What has to stand in a host's configuration so that it calls our hook, and how to take that out again.

Pure: text in, text out; nothing here opens a file. Written against what docs/formats.md names.

Invariant: what a person keeps there stays byte for byte; what is taken out is ours alone, and only
this home's.
"""

import json
from collections.abc import Mapping
from typing import Any

from nightledger.hosts.hermes_config import has_calls, hermes_block, with_calls, without_calls
from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.json_edit import add_element, drop_elements, list_at
from nightledger.hosts.presets import CLAUDE_CODE, CODEX, HERMES, OPENCLAW

_START_S, _PROMPT_S = 12, 5
"""How long a host waits: longer than the hook's own limits (``surfaces/hook/running.py``)."""
JSON_EVENTS: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    CLAUDE_CODE: (
        ("SessionStart", "", _START_S),
        ("UserPromptSubmit", "", _PROMPT_S),
        ("PreToolUse", "Write|Edit|MultiEdit|NotebookEdit", _PROMPT_S),
    ),
    CODEX: (
        ("SessionStart", "", _START_S),
        ("UserPromptSubmit", "", _PROMPT_S),
        ("PreToolUse", "apply_patch|Edit|Write|Bash", _PROMPT_S),
    ),
}
"""Event, matcher (none for all of an event), and seconds that the host waits.

A session's start has no matcher: Claude Code 2.1.330 also starts sessions by ``fork``, which its documentation does
not name. Codex' shell is looked at because Codex takes patches out of its commands and applies them itself.
"""
HOOKED = (CLAUDE_CODE, CODEX, HERMES, OPENCLAW)
"""Hosts that have hooks we answer."""

_STAGED = "give a session the staged page when it starts"
_SPOKEN = "give a prompt the lines of memory that bear on it, and refuse that the host's file tools write gated files"
DOES: Mapping[str, str] = {
    CLAUDE_CODE: f"{_STAGED}, {_SPOKEN}",
    CODEX: f"{_STAGED}, {_SPOKEN}",
    HERMES: _SPOKEN,
    OPENCLAW: _STAGED,
}
"""What the hooks of each host do, after "They"."""


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
        return hermes_block(call)
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
        return with_calls(text, call)
    wanted = _elements(host, call)
    if all(_calls(text, event, call) == _hooks_of(element) for event, element in wanted):
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
        return without_calls(text, call)
    for event, _, _ in JSON_EVENTS[host]:
        keys = ("hooks", event)
        alone = [one for one in list_at(text, keys) if _is_ours_alone(one, call)]
        text = drop_elements(text, keys, alone) if alone else text
        for n, element in enumerate(list_at(text, keys)):
            mixed = [hook for _, hook in _ours(element, call)]
            text = drop_elements(text, (*keys, n, "hooks"), mixed) if mixed else text
    return text


def has_hooks(host: str, text: str, call: HookCall) -> bool:
    """Tell whether any hook of ours for this home stands in it.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    if host == HERMES:
        return has_calls(text, call)
    return any(_calls(text, event, call) for event, _, _ in JSON_EVENTS[host])


def _elements(host: str, call: HookCall) -> list[tuple[str, dict[str, Any]]]:
    return [
        (event, _element(host, call, event, matcher, limit)) for event, matcher, limit in JSON_EVENTS[host]
    ]


def _element(host: str, call: HookCall, event: str, matcher: str, limit_s: int) -> dict[str, Any]:
    command = {"type": "command", "command": call.line(host, event), "timeout": limit_s}
    return {"matcher": matcher, "hooks": [command]} if matcher else {"hooks": [command]}


def _calls(text: str, event: str, call: HookCall) -> list[tuple[Any, Any]]:
    """Give matcher and hook of each hook of an event that is ours, whatever stands beside it."""
    return [found for element in list_at(text, ("hooks", event)) for found in _ours(element, call)]


def _ours(element: Any, call: HookCall) -> list[tuple[Any, Any]]:
    return [
        (matcher, hook)
        for matcher, hook in _hooks_of(element)
        if isinstance(hook, dict) and call.is_called_by(hook.get("command"))
    ]


def _hooks_of(element: Any) -> list[tuple[Any, Any]]:
    hooks = element.get("hooks") if isinstance(element, dict) else None
    return [(element.get("matcher", ""), hook) for hook in hooks] if isinstance(hooks, list) else []


def _is_ours_alone(element: Any, call: HookCall) -> bool:
    """Tell whether an element calls nothing but our hook for this home, wherever the program lies."""
    ours = _ours(element, call)
    return bool(ours) and len(ours) == len(_hooks_of(element))

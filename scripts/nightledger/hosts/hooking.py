"""What has to stand in a host's configuration so that it calls our hook, and how to take that out again.

Pure: text in, text out; nothing here opens a file. Written against what docs/formats.md names.

Invariant: what a person keeps there stays, value for value, in the order it has; what is taken out is ours alone, and
only this home's. A call is ours for a home by the home's id at its end, wherever program and home lie now; one without
an id by the home's path. JSON is written anew with the indent that the file has; whoever installs keeps the file as it
was beside it, and gives that back where nobody edited it since.
"""

import json
import re
from typing import Any

from nightledger.hosts.hermes_config import has_calls, hermes_block, with_calls, without_calls
from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.presets import CLAUDE_CODE, CODEX, HERMES, OPENCLAW, preset

HOOKED = (CLAUDE_CODE, CODEX, HERMES, OPENCLAW)
"""Hosts that have hooks we answer."""


def config_name(host: str, *, project: bool = False) -> str:
    """Return the file that names a host's hooks, relative to the host's directory or to a project.

    Raises:
        ValueError: The host has none.
    """
    name = preset(host).project_hook_file if project else preset(host).hook_file
    if not name:
        raise ValueError(f"{host} has no file of hooks {'in a project' if project else 'of its own'}")
    return name


def addition(host: str, call: HookCall) -> str:
    """Return exactly what is added, as a person would write it."""
    if host == HERMES:
        return hermes_block(call)
    hooks: dict[str, Any] = {event: [element] for event, element in _elements(host, call)}
    return json.dumps({"hooks": hooks}, indent=2, ensure_ascii=False) + "\n"


def with_hooks(host: str, text: str, call: HookCall) -> str:
    """Return the configuration with our hooks in it; the same text where they are in it already.

    Args:
        host: Claude Code, Codex or Hermes.
        text: What stands in the file; empty for none.
        call: How we are called.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    if host == HERMES:
        return with_calls(text, call)
    config, wanted = _load(text), _elements(host, call)
    if all(_calls(config, event, call) == _hooks_of(element) for event, element in wanted):
        return text
    _take_out(host, config, call)
    hooks = config.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise ValueError("hooks is no object")  # noqa: TRY004 - it is what stands in a file
    for event, element in wanted:
        listed = hooks.setdefault(event, [])
        if not isinstance(listed, list):
            raise ValueError(f"hooks.{event} is no list")  # noqa: TRY004 - as above
        listed.append(element)
    return _dump(config, text)


def without_hooks(host: str, text: str, call: HookCall) -> str:
    """Return the configuration without our hooks for this home; the same text where there are none.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    if host == HERMES:
        return without_calls(text, call)
    config = _load(text)
    return _dump(config, text) if _take_out(host, config, call) else text


def has_hooks(host: str, text: str, call: HookCall) -> bool:
    """Tell whether any hook of ours for this home stands in it.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    return has_calls(text, call) if host == HERMES else bool(_take_out(host, _load(text), call))


def places_of(host: str, text: str, call: HookCall) -> list[tuple[str, int, int]]:
    """Return event, place of the element and place of the hook in it, from 0, of each of our hooks in a file of JSON."""
    config = _load(text)
    return [
        (event, at, n)
        for event, _, _ in preset(host).events
        for at, element in enumerate(_listed(config, event))
        for n, (_, hook) in enumerate(_hooks_of(element))
        if _is_ours(hook, call)
    ]


def _elements(host: str, call: HookCall) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for event, matcher, limit_s in preset(host).events:
        command = {"type": "command", "command": call.line(host, event), "timeout": limit_s}
        found.append((event, {"matcher": matcher, "hooks": [command]} if matcher else {"hooks": [command]}))
    return found


def _take_out(host: str, config: dict[str, Any], call: HookCall) -> int:
    """Take our hooks out of a configuration, and the lists and objects that hold nothing any more; return how many."""
    count = 0
    for event, _, _ in preset(host).events:
        listed = _listed(config, event)
        kept = []
        for element in listed:
            hooks = _hooks_of(element)
            others = [hook for _, hook in hooks if not _is_ours(hook, call)]
            count += len(hooks) - len(others)
            if len(others) < len(hooks):
                element["hooks"] = others
            kept += [element] if others or not hooks else []
        if len(kept) < len(listed):
            config["hooks"][event] = kept
            for holder, key in ((config["hooks"], event), (config, "hooks")):
                if not holder[key]:
                    del holder[key]
    return count


def _calls(config: dict[str, Any], event: str, call: HookCall) -> list[tuple[Any, Any]]:
    """Return matcher and hook of each hook of an event that is ours, whatever stands beside it."""
    found = (pair for element in _listed(config, event) for pair in _hooks_of(element))
    return [(matcher, hook) for matcher, hook in found if _is_ours(hook, call)]


def _listed(config: dict[str, Any], event: str) -> list[Any]:
    hooks = config.get("hooks")
    listed = hooks.get(event) if isinstance(hooks, dict) else None
    return listed if isinstance(listed, list) else []


def _hooks_of(element: Any) -> list[tuple[Any, Any]]:
    hooks = element.get("hooks") if isinstance(element, dict) else None
    return [(element.get("matcher", ""), hook) for hook in hooks] if isinstance(hooks, list) else []


def _is_ours(hook: Any, call: HookCall) -> bool:
    return isinstance(hook, dict) and call.is_called_by(hook.get("command"))


def _load(text: str) -> dict[str, Any]:
    body = text.removeprefix("\ufeff")
    try:
        config = json.loads(body, object_pairs_hook=_once) if body.strip() else {}
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(config, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - it is what stands in a file
    return config


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands in it twice; leave one")
    return found


def _dump(config: dict[str, Any], before: str) -> str:
    """Return a configuration as JSON, with the mark, the indent and the line ends of the text that it was."""
    indent = re.search(r"\n([ \t]+)\S", before)
    text = json.dumps(config, indent=indent[1] if indent else 2, ensure_ascii=False)
    ending = "\n" if before.endswith("\n") or not before.strip() else ""
    text = "\ufeff" * before.startswith("\ufeff") + text + ending
    return text.replace("\n", "\r\n") if "\r\n" in before else text

"""Our hooks in Hermes' ``config.yaml``: a block of ours, or wherever Hermes put them when it wrote the file anew.

Pure: text in, text out. YAML has one ``hooks`` key, so an owner who wants hooks beside ours writes them into
our block; and Hermes writes the whole file anew, without comments, when one of its settings is changed by command.

Invariant: what is given reads as before but for our calls, told by parsing both; else the edit is refused.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from nightledger.hosts.hook_call import SCRIPT, HookCall
from nightledger.hosts.host_yaml import read_host_yaml
from nightledger.hosts.presets import HERMES

LIMIT_S = 5
"""How long Hermes waits: longer than the hook's own limits (``surfaces/hook/running.py``)."""
HERMES_EVENTS = (("pre_llm_call", "", LIMIT_S), ("pre_tool_call", "write_file|patch|memory", LIMIT_S))
_HOOKS_KEY = re.compile(r"^(?:hooks|\"hooks\"|'hooks')\s*:", re.MULTILINE)
_EMPTY_HOOKS = re.compile(r"^hooks:[ \t]*(?:\{[ \t]*\}|null|~)?[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)
"""What Hermes' own configuration has where there are no hooks; our block stands in its place."""
_NO_LINE_END = ", after a line without an end"
"""Stands in the first line of our block where the file did not end with a line end, so that removing gives it back."""
_INSTEAD = ", instead of "
"""Stands there before the line, as JSON, that gave way to the block."""
_OURS = re.compile(r"hooks:|  \w+:|    - command: .*|      (?:matcher|timeout): .*")
"""A line of our block as we write it."""


def hermes_block(call: HookCall, mark: str = "") -> str:
    """Give the lines that are added.

    Args:
        call: How we are called.
        mark: What its first line says of what was there.
    """
    lines = [f"{_begin(call)}{mark} (taken away by: nightledger hosts remove hermes)", "hooks:"]
    for event, matcher, limit_s in HERMES_EVENTS:
        command = json.dumps(call.line(HERMES, event), ensure_ascii=False)
        lines.append(f"  {event}:")
        lines.append(f"    - command: {command}")
        lines += [f'      matcher: "{matcher}"'] if matcher else []
        lines.append(f"      timeout: {limit_s}")
    return "\n".join([*lines, _end(call), ""])


def has_calls(text: str, call: HookCall) -> bool:
    """Tell whether any hook of ours for this home stands in it.

    Raises:
        ValueError: It is no YAML.
    """
    return _begin(call) in text or (SCRIPT in text and bool(_calls(_load(text), call)))


def waiting(text: str, allowed: str, call: HookCall) -> int:
    """Count the hooks of ours that Hermes was not told to run.

    Args:
        text: Its configuration.
        allowed: What stands in ``shell-hooks-allowlist.json``, where Hermes keeps the answers; empty for no file.
        call: How we are called.

    Raises:
        ValueError: One of them is none.
    """
    config = _load(text)
    if config.get("hooks_auto_accept") is True:
        return 0
    approvals = json.loads(allowed or "{}").get("approvals") or []
    told = {(one.get("event"), one.get("command")) for one in approvals if isinstance(one, dict)}
    return sum((event, command) not in told for event, command, _, _ in _calls(config, call))


def with_calls(text: str, call: HookCall) -> str:
    """Give the configuration with our hooks in it; the same text where they are in it already.

    Raises:
        ValueError: It cannot be edited safely.
    """
    wanted = _calls(_load(hermes_block(call)), call)
    if SCRIPT in text and _calls(_load(text), call) == wanted:
        return text
    rest = without_calls(text, call)
    then = _load(rest)
    empty = None if then.get("hooks") else _EMPTY_HOOKS.search(rest)
    if empty is not None:
        before, after, mark = rest[: empty.start()], rest[empty.end() :], f"{_INSTEAD}{json.dumps(empty[0])}"
    elif _HOOKS_KEY.search(rest):
        raise ValueError("it has hooks already, and YAML cannot be edited without touching yours")
    else:
        torn = bool(rest) and not rest.endswith("\n")
        before, after, mark = rest + "\n" * torn, "", _NO_LINE_END if torn else ""
    added = f"{before}{hermes_block(call, mark)}{after}"
    now = _load(added)
    if _without_hooks(now) != _without_hooks(then) or _calls(now, call) != wanted:
        raise ValueError("it is no plain YAML mapping")
    return added


def without_calls(text: str, call: HookCall) -> str:
    """Give the configuration without our hooks for this home; the same text where there are none.

    Raises:
        ValueError: They cannot be taken out safely.
    """
    left = _without_block(text, call)
    if SCRIPT not in left or not _calls(_load(left), call):
        return left
    spans = list(_spans(left, call))
    lines = left.splitlines(keepends=True)
    gone = {n for first, last in spans for n in range(first, last + 1)}
    gone |= {n for n, line in enumerate(lines) if line.startswith((_begin(call), _end(call)))}
    edited = "".join(line for n, line in enumerate(lines) if n not in gone)
    if _kept(_load(edited), call) != _kept(_load(left), call) or _calls(_load(edited), call):
        raise ValueError(
            "our hooks stand among others in a way that cannot be edited safely: take them out by hand"
        )
    return edited


def _without_block(text: str, call: HookCall) -> str:
    """Take our block out as a whole; one that somebody wrote into stays."""
    begin, end = re.escape(_begin(call)), re.escape(_end(call))
    found = re.search(rf"^{begin}([^\n]*)\n((?:[^\n]*\n)*?){end}(?:\n|\Z)", text, re.MULTILINE)
    if found is None or not _is_ours_alone(found[2], call):
        return text
    before, after, mark = text[: found.start()], text[found.end() :], found[1]
    if mark.startswith(_NO_LINE_END) and not after:
        return before.removesuffix("\n")
    if mark.startswith(_INSTEAD):
        line, _ = json.JSONDecoder().raw_decode(mark, len(_INSTEAD))
        before += line if line.endswith("\n") or not after else f"{line}\n"
    return before + after


def _is_ours_alone(block: str, call: HookCall) -> bool:
    lines = block.splitlines()
    if not all(_OURS.fullmatch(line) for line in lines):
        return False
    commands = [line.partition("command: ")[2] for line in lines if "- command: " in line]
    return all(call.is_called_by(_load(f"a: {command}")["a"]) for command in commands)


def _spans(text: str, call: HookCall) -> Iterator[tuple[int, int]]:
    """Give first and last line, from 0, of each hook of ours; of an event, or all hooks, that hold nothing else as well."""
    import yaml

    root = yaml.compose(text, yaml.SafeLoader)
    for key, hooks in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value != "hooks" or not isinstance(hooks, yaml.MappingNode):
            continue
        whole: list[bool] = []
        for event, items in hooks.value:
            found = items.value if isinstance(items, yaml.SequenceNode) else []
            ours = [one for one in found if call.is_called_by(_command(one))]
            whole.append(bool(ours) and len(ours) == len(found))
            if whole[-1]:
                yield event.start_mark.line, _last_line(items)
            yield from ((one.start_mark.line, _last_line(one)) for one in ours)
        if all(whole):
            yield key.start_mark.line, key.start_mark.line


def _command(item: Any) -> Any:
    import yaml

    pairs = item.value if isinstance(item, yaml.MappingNode) else []
    return next((value.value for key, value in pairs if key.value == "command"), None)


def _last_line(node: Any) -> int:
    """Give the last line of a node; the end of a list or mapping is only told behind what follows it."""
    import yaml

    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    mark = node.end_mark
    return int(mark.line - (mark.column == 0 and mark.line > node.start_mark.line))


def _calls(config: dict[str, Any], call: HookCall) -> list[tuple[str, str, Any, Any]]:
    """Give event, command, matcher and limit of each hook of ours."""
    hooks = config.get("hooks")
    return [
        (event, one["command"], one.get("matcher"), one.get("timeout"))
        for event, items in (hooks.items() if isinstance(hooks, dict) else ())
        for one in (items if isinstance(items, list) else ())
        if isinstance(one, dict) and call.is_called_by(one.get("command"))
    ]


def _kept(config: dict[str, Any], call: HookCall) -> dict[str, Any]:
    """Give what a configuration says but for our hooks, and for events and hooks that hold nothing."""
    hooks = config.get("hooks")
    if not isinstance(hooks, dict):
        return {**_without_hooks(config), "hooks": hooks or {}}
    others = {
        event: [one for one in items if not (isinstance(one, dict) and call.is_called_by(one.get("command")))]
        if isinstance(items, list)
        else items
        for event, items in hooks.items()
    }
    return {**_without_hooks(config), "hooks": {event: items for event, items in others.items() if items}}


def _without_hooks(config: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key != "hooks"}


def _begin(call: HookCall) -> str:
    return f"# nightledger {call.home_id} begin"


def _end(call: HookCall) -> str:
    return f"# nightledger {call.home_id} end"


def _load(text: str) -> dict[str, Any]:
    try:
        found = read_host_yaml(text)
    except ValueError as error:
        raise ValueError(f"it is no YAML: {str(error).partition(chr(10))[0]}") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ValueError("it is no YAML mapping")  # noqa: TRY004 - it is what stands in a file
    return found

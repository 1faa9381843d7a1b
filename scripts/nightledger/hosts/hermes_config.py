"""Our hooks in Hermes' ``config.yaml``: a block of ours, or wherever Hermes put them when it wrote the file anew.

Pure: text in, text out. YAML has one ``hooks`` key, so an owner who wants hooks beside ours writes them into
our block; and Hermes writes the whole file anew, without comments, when one of its settings is changed by command.

Invariant: what is given reads as before but for our calls, told by parsing both; else the edit is refused.
"""

import json
import re
from typing import Any

from nightledger.hosts.configured import dump_host_yaml, read_host_yaml
from nightledger.hosts.hook_call import SCRIPT, HookCall
from nightledger.hosts.presets import HERMES, preset

_HOOKS_KEY = re.compile(r"^(?:hooks|\"hooks\"|'hooks')\s*:", re.MULTILINE)
_EMPTY_HOOKS = re.compile(r"^hooks:[ \t]*(?:\{[ \t]*\}|null|~)?[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)
"""What Hermes' own configuration has where there are no hooks; our block stands in its place."""
_COMMENT = re.compile(r"(?:^|\s)#")


def hermes_block(call: HookCall) -> str:
    """Return the lines that are added."""
    lines = [f"{_begin(call)} (taken away by: nightledger hosts remove hermes)", "hooks:"]
    for event, matcher, limit_s in preset(HERMES).events:
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
        before, after = rest[: empty.start()], rest[empty.end() :]
    elif _HOOKS_KEY.search(rest):
        raise ValueError("it has hooks already, and YAML cannot be edited without touching yours")
    else:
        before, after = rest + "\n" * (bool(rest) and not rest.endswith("\n")), ""
    added = f"{before}{hermes_block(call)}{after}"
    now = _load(added)
    if _without_hooks(now) != _without_hooks(then) or _calls(now, call) != wanted:
        raise ValueError("it is no plain YAML mapping")
    return added


def without_calls(text: str, call: HookCall) -> str:
    """Return the configuration without our hooks for this home; the same text where there are none.

    What stands outside our block is written anew, as Hermes itself does; a file with comments is left to its owner.

    Raises:
        ValueError: They cannot be taken out safely.
    """
    left = _without_block(text, call)
    if SCRIPT not in left or not _calls(_load(left), call):
        return left
    config = _kept(_load(left), call)
    if any(
        _COMMENT.search(line) for line in left.splitlines() if not line.startswith((_begin(call), _end(call)))
    ):
        raise ValueError("our hooks stand among others, in a file with comments: take them out by hand")
    return dump_host_yaml(config)


def _without_block(text: str, call: HookCall) -> str:
    """Take our block out as a whole; one that somebody wrote into stays."""
    begin, end = re.escape(_begin(call)), re.escape(_end(call))
    found = re.search(rf"^{begin}[^\n]*\n((?:[^\n]*\n)*?){end}(?:\n|\Z)", text, re.MULTILINE)
    if found is None or _COMMENT.search(found[1]) or _kept(_load(found[1]), call):
        return text
    return text[: found.start()] + text[found.end() :]


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
    """Return what a configuration says but for our hooks, and for events that hold nothing then."""
    hooks = config.get("hooks")
    others = {
        event: [one for one in items if not (isinstance(one, dict) and call.is_called_by(one.get("command")))]
        if isinstance(items, list)
        else items
        for event, items in (hooks.items() if isinstance(hooks, dict) else ())
    }
    kept = {event: items for event, items in others.items() if items}
    return {**config, "hooks": kept} if kept else _without_hooks(config)


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

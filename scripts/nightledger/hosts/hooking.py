"""What has to stand in a host's configuration so that it calls our hook, and how to take that out again.

Pure: text in, text out; nothing here opens a file. Written against what docs/formats.md names. Claude Code and Codex
keep JSON: it is written anew with the indent that the file has. Hermes keeps YAML, which has one ``hooks`` key: ours
is a block of our own, or stands wherever Hermes put it when it wrote the whole file anew, without comments. OpenClaw
loads a folder of two files, which asks our command at ``agent:bootstrap`` and adds one file to what the agent reads.

Invariant: what a person keeps there stays, value for value, in the order it has; what is taken out is ours alone, and
only this home's. A call is ours for a home by the home's id at its end, wherever program and home lie now. Whoever installs keeps the file as it was beside it, and gives that back where nobody edited
it since. What is given of YAML reads as before but for our calls, told by parsing both; else the edit is refused.
"""

import json
import os
import re
import shlex
from string import Template
from typing import Any

from msgspec import Struct

from nightledger.files.home import shipped_config
from nightledger.hosts.configured import dump_host_yaml, member_at, read_host_yaml
from nightledger.hosts.daylogs import CLAUDE_CODE, CODEX, HERMES, OPENCLAW, preset

SCRIPT = "prompt_hook.py"
_SHELL = ("/bin/sh", "-c")


class HookCall(Struct, frozen=True, kw_only=True):
    """How a host calls our hook; absolute paths only.

    Attributes:
        python: The interpreter.
        script: ``prompt_hook.py``.
        home: The home.
        home_id: Its id.
        keys: Where its operator's keys are, where that is not the default; hosts hand on no environment of the operator's.
    """

    python: str
    script: str
    home: str
    home_id: str
    keys: str = ""

    def words(self, host: str, event: str) -> tuple[str, ...]:
        """Give the command as words."""
        keys = ("--keys", self.keys) if self.keys else ()
        return (self.python, "-I", "-S", self.script, "--home", self.home, *keys, host, event)

    def line(self, host: str, event: str) -> str:
        """Give the command as a shell reads it; it ends with 0 even where interpreter or script are gone.

        Python ends with status 2 where there is no script, and that would block each prompt (Claude
        Code, Codex) or tool call (Hermes) from the day the checkout is moved. ``:`` does nothing with the
        home's id; it names whose call this is when the home was moved.
        """
        line = f"{shlex.join(self.words(host, event))} 2>/dev/null || : {self.home_id}"
        return shlex.join([*_SHELL, line]) if host == HERMES else line

    def is_called_by(self, command: Any) -> bool:
        """Tell whether a command line, as it stands in a configuration, calls the hook for this home.

        Args:
            command: Whatever stands there.
        """
        words = _words(command)
        if tuple(words[:2]) == _SHELL and len(words) > len(_SHELL):
            words = _words(words[len(_SHELL)])
        if not any(os.path.basename(word) == SCRIPT for word in words):
            return False
        return words[-2:] == [":", self.home_id]


def _words(command: Any) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []


_ANEW = "# config.yaml is written anew, as Hermes does: its comments stay in the copy beside it, and come back with 'hosts remove'\n"
HOOKED = (CLAUDE_CODE, CODEX, HERMES, OPENCLAW)
"""Hosts that have hooks we answer."""


def addition(host: str, call: HookCall) -> str:
    """Return exactly what is added, as a person would write it."""
    added = {"hooks": _elements(host, call)}
    if host == HERMES:
        return f"{_ANEW}{dump_host_yaml(added)}"
    return json.dumps(added, indent=2, ensure_ascii=False) + "\n"


def with_hooks(host: str, text: str, call: HookCall) -> str:
    """Return the configuration with our hooks in it; the same text where they are in it already.

    Args:
        host: Claude Code, Codex or Hermes.
        text: What stands in the file; empty for none.
        call: How we are called.

    Raises:
        ValueError: The file is not what the host's documentation says, or cannot be edited safely.
    """
    config, wanted = _load(host, text), _elements(host, call)
    if _calls(config, call) == _calls({"hooks": wanted}, call):
        return text
    _take_out(config, call)
    hooks = {} if config.get("hooks") is None else config["hooks"]
    if not isinstance(hooks, dict):
        raise ValueError("hooks is no object")  # noqa: TRY004 - it is what stands in a file
    config["hooks"] = hooks = {**hooks}  # in YAML one value may stand at several places
    for event, elements in wanted.items():
        listed = hooks.get(event, [])
        if not isinstance(listed, list):
            raise ValueError(f"hooks.{event} is no list")  # noqa: TRY004 - as above
        hooks[event] = [*listed, *elements]
    return _dump(host, config, text)


def without_hooks(host: str, text: str, call: HookCall) -> str:
    """Return the configuration without our hooks for this home; the same text where there are none.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    if host == HERMES and SCRIPT not in text:
        return text
    config = _load(host, text)
    return _dump(host, config, text) if _take_out(config, call) else text


def has_hooks(host: str, text: str, call: HookCall) -> bool:
    """Tell whether any hook of ours for this home stands in it.

    Raises:
        ValueError: The file is not what the host's documentation says.
    """
    if host == HERMES and SCRIPT not in text:
        return False
    return bool(_calls(_load(host, text), call))


def _elements(host: str, call: HookCall) -> dict[str, list[dict[str, Any]]]:
    """Return what is to stand in the list of each event: a hook (Hermes), or an object that holds one."""
    found = {}
    for event, matcher, limit_s in preset(host).events:
        hook: dict[str, Any] = {"command": call.line(host, event), "timeout": limit_s}
        element = hook if host == HERMES else {"hooks": [{"type": "command", **hook}]}
        found[event] = [{"matcher": matcher, **element} if matcher else element]
    return found


def _calls(config: dict[str, Any], call: HookCall) -> list[tuple[str, Any, Any, Any]]:
    """Return event, matcher, command and limit of each hook that is ours, by event, whatever stands beside it."""
    return [
        (event, element.get("matcher"), hook["command"], hook.get("timeout"))
        for event, listed in sorted(_events(config).items())
        for element in listed
        for hook in _hooks_of(element)
        if _is_ours(hook, call)
    ]


def _take_out(config: dict[str, Any], call: HookCall) -> int:
    """Take our hooks out of a configuration, and the lists and objects that hold nothing any more; return how many."""
    count = 0
    for event, listed in _events(config).items():
        kept = []
        for element in listed:
            hooks = _hooks_of(element)
            others = [hook for hook in hooks if not _is_ours(hook, call)]
            count += len(hooks) - len(others)
            if others and len(others) < len(hooks):
                element["hooks"] = others
            kept += [element] if others or not hooks else []
        if len(kept) < len(listed):
            config["hooks"][event] = kept
            for holder, key in ((config["hooks"], event), (config, "hooks")):
                if not holder[key]:
                    del holder[key]
    return count


def _events(config: dict[str, Any]) -> dict[str, list[Any]]:
    hooks = config.get("hooks")
    named = hooks.items() if isinstance(hooks, dict) else ()
    return {str(event): listed for event, listed in named if isinstance(listed, list)}


def _hooks_of(element: Any) -> list[Any]:
    """Return the hooks of one element of an event's list; of Hermes' it is one itself."""
    if not isinstance(element, dict):
        return []
    hooks = element.get("hooks", [element] if "command" in element else [])
    return hooks if isinstance(hooks, list) else []


def _is_ours(hook: Any, call: HookCall) -> bool:
    return isinstance(hook, dict) and call.is_called_by(hook.get("command"))


def _load(host: str, text: str) -> dict[str, Any]:
    try:
        config = _parse(host, text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(config, dict):
        raise ValueError(f"it is no {'YAML mapping' if host == HERMES else 'JSON object'}")  # noqa: TRY004 - as above
    return config


def _parse(host: str, text: str) -> Any:
    if host != HERMES:
        body = text.removeprefix("\ufeff")
        return json.loads(body, object_pairs_hook=_once) if body.strip(" \t\r\n") else {}
    try:
        found = read_host_yaml(text)
    except ValueError as error:
        raise ValueError(f"it is no YAML: {str(error).partition(chr(10))[0]}") from error
    return {} if found is None else found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands in it twice; leave one")
    return found


def _dump(host: str, config: dict[str, Any], before: str) -> str:
    """Return a configuration as JSON, with the mark, the indent and the line ends of the text that it was."""
    if host == HERMES:
        return dump_host_yaml(config) if config else ""
    indent = re.search(r"\n([ \t]+)\S", before)
    text = json.dumps(config, indent=indent[1] if indent else 2, ensure_ascii=False)
    ending = "\n" if before.endswith("\n") or not before.strip() else ""
    text = "\ufeff" * before.startswith("\ufeff") + text + ending
    return text.replace("\n", "\r\n") if "\r\n" in before else text


EVENT = "agent:bootstrap"
LIMIT_MS = 12_000
MAX_ANSWER_BYTES = 1 << 16
FILE_CHARACTERS, ALL_CHARACTERS = 20_000, 60_000
"""What OpenClaw takes of one bootstrap file and of all, where ``bootstrapMaxChars`` and ``bootstrapTotalMaxChars`` are
not set; of a longer one it drops the middle, and files beyond the sum, ours last, it leaves out (seen with 2026.9.6)."""


def folder_name(call: HookCall) -> str:
    """Give the name of the folder; one for each home."""
    return f"nightledger-{call.home_id[:8]}"


def hook_files(call: HookCall) -> dict[str, str]:
    """Return the two files of the folder by their names, made from ``config/openclaw-hook``."""
    told: dict[str, dict[str, object]] = {
        "HOOK.md": {"name": folder_name(call), "event": EVENT, "home": call.home},
        "handler.ts": {
            "home": json.dumps(call.home),
            "command": json.dumps(list(call.words(OPENCLAW, EVENT))),
            "limit": LIMIT_MS,
            "most": MAX_ANSWER_BYTES,
            "file_characters": FILE_CHARACTERS,
            "all_characters": ALL_CHARACTERS,
        },
    }
    return {
        name: Template(shipped_config(f"openclaw-hook/{name}").decode()).substitute(values)
        for name, values in told.items()
    }


def runs_hook(config: Any, name: str) -> bool:
    """Tell whether OpenClaw runs a hook: where it is named, or where hooks are on and nothing says which.

    As 2026.9.6 chooses. A pack of hooks that the owner installed opens the choice, too; no configuration tells of it.

    Args:
        config: What stands in ``openclaw.json``; None for no such file.
        name: Of the hook.
    """
    internal = member_at(config, "hooks", "internal")
    if not isinstance(internal, dict) or internal.get("enabled") is False:
        return False
    entries = member_at(internal, "entries") or {}
    if isinstance(entries, dict) and name in entries:
        return member_at(entries[name], "enabled") is not False
    return bool(member_at(internal, "load", "extraDirs")) or (internal.get("enabled") is True and not entries)

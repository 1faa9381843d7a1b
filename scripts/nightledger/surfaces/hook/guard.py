"""Before a tool writes a file: deny what only the gate or the owner may change, else say nothing.

Invariant: the answer is deny or nothing, never allow and never ask. A path is judged by the real
file and its inode, not by its spelling. What a shell or another program writes does not come by
here: what notices that is ``guard``.
"""

import os
import re

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import Home
from nightledger.surfaces.hook.running import text_of

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Identity = tuple[str, tuple[int, int] | None]

PROTECTED = ("SOUL.md", "AGENTS.md")
"""``domain/consent.py`` has the same names; importing it here would double the cost of a start."""
_PATH_MAX = 4096
"""No system opens a longer path (PATH_MAX of Linux; others take less)."""
DEFAULT_GATED = ("MEMORY.md", "USER.md")
"""What is taken for gated where the home's own record cannot be read."""
_PATH_KEYS = ("file_path", "notebook_path", "path")
"""Claude Code: Write, Edit, MultiEdit, NotebookEdit; Hermes: write_file, patch."""
_PATCH_KEYS = ("command", "input", "patch")
"""Codex: apply_patch has its patch in ``command``; a shell's command has no such lines."""
_FILE_LINE = re.compile(
    r"^[^\S\n]*\*\*\*[^\S\n]*(?:(?:Update|Add|Delete|Move)[^\S\n]+File|Move[^\S\n]+to):(.*)$", re.MULTILINE
)
"""A line of a patch that names a file; Hermes has ``Move File: a -> b`` (openai/codex, codex-rs/apply-patch;
NousResearch/hermes-agent, tools/patch_parser.py)."""
_SHELL_TOOL = "Bash"
"""What Codex calls each of its shells at a hook (seen with 0.169)."""
_PATCHER = re.compile(r"\bapply_?patch\b")
_FOLDER = re.compile(r"""\bcd[ \t]+('[^'\n]*'|"[^"\n]*"|[^\s;&|]+)""")
_MEMORY_TOOL = "memory"
"""Hermes' own tool, which writes its memory and names no path (NousResearch/hermes-agent, tools/memory_tool.py)."""


def refusal(home: Home, payload: "dict[str, Any]", propose: str, keys_dir: str = "") -> str:
    """Return why a tool may not write what it is about to write; empty when nothing speaks against it.

    Args:
        home: Whose files are guarded.
        payload: What the host sent: ``tool_name``, ``tool_input`` and ``cwd``.
        propose: Command line with which an agent proposes a change, without its words.
        keys_dir: Where the operator's keys are, and what names programs to run; empty for nowhere.
    """
    directory = text_of(payload, "cwd") or home.root
    files = {name: _identity(home.path(name)) for name in (*_gated(home), *_closed(home))}
    folders = {name: os.path.realpath(name).casefold() + os.sep for name in _folders(home, keys_dir)}
    for path in dict.fromkeys(_written(payload)):
        for spelt in _readings(path.strip(), directory):
            if name := _guarded(spelt, files, folders):
                return _said(home, name, propose, keys_dir)
    return ""


def _readings(path: str, directory: str) -> "Iterator[str]":
    """Return what a tool may take a path for: some read ``~``, and some take ``..`` out before the system sees it."""
    try:
        from_home = os.path.expanduser(path)
    except ValueError:
        # a NUL in a user's name: no file has such a name, but what is left without ``x/..`` may be one
        from_home = path
    for name in dict.fromkeys((path, from_home)):
        place = os.path.join(directory, name)
        yield from dict.fromkeys((place, os.path.normpath(place)))


def _guarded(place: str, files: "Mapping[str, Identity]", folders: "Mapping[str, str]") -> str | None:
    """Return the guarded file or folder that a path leads to, as it is named here; None for none."""
    if len(place) > _PATH_MAX:
        return None
    try:
        real, there = _identity(place)
    except ValueError:
        return None  # a NUL, or half a character: no file has such a name
    for name, (own, inode) in files.items():  # a disk may take MEMORY.md for memory.md
        if real == own or (there is not None and there == inode):
            return name
    return next((name for name, start in folders.items() if (real + os.sep).startswith(start)), None)


def _identity(path: str) -> "Identity":
    """Return where a path leads, whatever its case, and the device and inode of what is there."""
    real = os.path.realpath(path)
    try:
        status = os.stat(real)
    except OSError:
        return real.casefold(), None
    return real.casefold(), (status.st_dev, status.st_ino)


def _said(home: Home, name: str, propose: str, keys_dir: str) -> str:
    if name in _gated(home):
        return (
            f"{name} changes only by what its operator signs. Propose instead: "
            f"{propose} --section SECTION --text TEXT --reason WHY --source FILE:LINE "
            '(an entry is wrong: add --entry "its whole text"). '
            "Any other write to it is found and shown to the operator."
        )
    if name in _closed(home):
        return (
            f"{name} is protected: only its owner changes it, by hand. Tell the owner what you would change."
        )
    if name == keys_dir:
        return "This folder holds the operator's keys and settings, which no tool edits. Tell the operator what you need."
    return (
        f"{home.relative(name)}/ holds Nightledger's own records, which no tool edits. "
        "Log outcomes with 'nightledger log'; propose changes of memory with 'nightledger propose'."
    )


def _gated(home: Home) -> tuple[str, ...]:
    try:
        return home.identity.gated
    except (NightledgerError, OSError):
        return DEFAULT_GATED


def _closed(home: Home) -> tuple[str, ...]:
    return (*PROTECTED, home.relative(home.staged_context))


def _folders(home: Home, keys_dir: str) -> tuple[str, ...]:
    """Return the folders that no tool writes into; that of the keys unless the home lies in it."""
    own = (home.audit_dir, home.config_dir, home.system_dir, home.proposals_dir, home.work_dir)
    outside = keys_dir and not home.root.startswith(keys_dir.rstrip(os.sep) + os.sep)
    return (*own, keys_dir) if outside else own


def _written(payload: "dict[str, Any]") -> "Iterator[str]":
    """Return the paths that a tool's input names, as it names them."""
    given = payload.get("tool_input")
    if isinstance(given, str):
        yield from _patched(given)
    if not isinstance(given, dict):
        return
    edits = given.get("edits")
    shell = payload.get("tool_name") == _SHELL_TOOL
    for one in (given, *(edits if isinstance(edits, list) else ())):
        yield from (path for key in _PATH_KEYS if isinstance(one, dict) and (path := text_of(one, key)))
    for key in _PATCH_KEYS:
        found = given.get(key)
        for part in found if isinstance(found, list) else (found,):
            if isinstance(part, str):
                yield from _patched_in_shell(part) if shell else _patched(part)
    if payload.get("tool_name") == _MEMORY_TOOL and not any(key in given for key in _PATH_KEYS):
        root = os.environ.get("HERMES_HOME") or "~/.hermes"
        yield f"{root}/memories/{'USER.md' if given.get('target') == 'user' else 'MEMORY.md'}"


def _patched(patch: str) -> "Iterator[str]":
    for found in _FILE_LINE.findall(patch) if "***" in patch else ():
        yield from (found, *found.split("->"))


def _patched_in_shell(command: str) -> "Iterator[str]":
    """Return the paths of a patch that stands in a shell's command: Codex takes it out and applies it itself.

    It does so for ``apply_patch <<EOF`` and ``cd DIR && apply_patch <<EOF``, and tells neither as a tool
    of its own (seen with 0.169). Other commands are not looked into: a shell writes what it likes.
    """
    if _PATCHER.search(command):
        folders = dict.fromkeys(("", *(found.strip("'\"") for found in _FOLDER.findall(command))))
        yield from (os.path.join(folder, path.strip()) for path in _patched(command) for folder in folders)

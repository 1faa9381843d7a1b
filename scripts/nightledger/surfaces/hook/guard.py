"""Before a tool writes a file: deny what only the gate or the owner may change, else say nothing.

Invariant: the answer is deny or nothing, never allow and never ask. A path is judged by the real
file and its inode, not by its spelling. Writes by a shell or a sub-agent's own tools do not come
by here: what notices these is ``guard``.
"""

import os

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import Home
from nightledger.surfaces.hook.payload import text_of

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PROTECTED = ("SOUL.md", "AGENTS.md")
"""``domain/consent.py`` has the same names; importing it here would double the cost of a start."""
DEFAULT_GATED = ("MEMORY.md",)
"""What is taken for gated where the home's own record cannot be read."""
_PATH_KEYS = ("file_path", "notebook_path", "path")
"""Claude Code: Write, Edit, MultiEdit, NotebookEdit; Hermes: write_file, patch."""
_PATCH_KEYS = ("command", "input", "patch")
"""Codex: apply_patch has its patch in ``command``; a shell's command has no such lines."""
_PATCH_MARKS = ("*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:")
MAX_PATHS = 1000


def refusal(home: Home, payload: "dict[str, Any]", propose: str) -> str:
    """Give why a tool may not write what it is about to write; empty when nothing speaks against it.

    Args:
        home: Whose files are guarded.
        payload: What the host sent: ``tool_input`` and ``cwd``.
        propose: Command line with which an agent proposes a change, without its words.
    """
    directory = text_of(payload, "cwd") or home.root
    gated, closed = _gated(home), _closed(home)
    for path in _written(payload.get("tool_input")):
        target = os.path.join(directory, os.path.expanduser(path))
        for name in gated:
            if _is_same(target, home.path(name)):
                return _propose_instead(name, propose)
        for name in closed:
            if _is_same(target, home.path(name)):
                return f"{name} is protected: only its owner changes it, by hand. Tell the owner what you would change."
        for folder in _folders(home):
            if _is_in(target, folder):
                return (
                    f"{home.relative(folder)}/ holds Nightledger's own records, which no tool edits. "
                    "Log outcomes with 'nightledger log'; propose changes of memory with 'nightledger propose'."
                )
    return ""


def _propose_instead(name: str, propose: str) -> str:
    return (
        f"{name} changes only by what its operator signs. Propose instead: "
        f"{propose} --section SECTION --text TEXT --reason WHY --source FILE:LINE "
        '(an entry is wrong: add --entry "its whole text"). '
        "Any other write to it is found and shown to the operator."
    )


def _gated(home: Home) -> tuple[str, ...]:
    try:
        return home.identity.gated
    except (NightledgerError, OSError):
        return DEFAULT_GATED


def _closed(home: Home) -> tuple[str, ...]:
    return (*PROTECTED, home.relative(home.staged_context))


def _folders(home: Home) -> tuple[str, ...]:
    return (home.audit_dir, home.config_dir, home.system_dir, home.proposals_dir, home.work_dir)


def _written(tool_input: object) -> "Iterator[str]":
    """Give the paths that a tool's input names, as it names them."""
    if not isinstance(tool_input, dict):
        return
    for key in _PATH_KEYS:
        path = text_of(tool_input, key)
        if path and "\0" not in path:
            yield path
    for key in _PATCH_KEYS:
        yield from _patched(text_of(tool_input, key))


def _patched(patch: str) -> "Iterator[str]":
    if "*** " not in patch:
        return
    found = 0
    for line in patch.split("\n"):
        mark = next((mark for mark in _PATCH_MARKS if line.strip().startswith(mark)), None)
        if mark is not None and "\0" not in line and found < MAX_PATHS:
            found += 1
            yield line.strip()[len(mark) :].strip()


def _is_same(target: str, name: str) -> bool:
    real, own = os.path.realpath(target), os.path.realpath(name)
    if real == own:
        return True
    try:
        return os.path.samefile(real, own)
    except OSError:  # one of them is not there: a disk that takes MEMORY.md for memory.md would still make it
        return real.casefold() == own.casefold()


def _is_in(target: str, folder: str) -> bool:
    return os.path.realpath(target).casefold().startswith(os.path.realpath(folder).casefold() + os.sep)

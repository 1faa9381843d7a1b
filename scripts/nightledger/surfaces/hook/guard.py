"""Before a tool writes a file: deny what only the gate or the owner may change, else say nothing.

Invariant: the answer is deny or nothing, never allow and never ask. A path is judged by the real
file and its inode, not by its spelling. What a shell or another program writes does not come by
here: what notices that is ``guard``.
"""

import os
import re

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import Home
from nightledger.surfaces.hook.payload import text_of

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

PROTECTED = ("SOUL.md", "AGENTS.md")
"""``domain/consent.py`` has the same names; importing it here would double the cost of a start."""
DEFAULT_GATED = ("MEMORY.md",)
"""What is taken for gated where the home's own record cannot be read."""
_PATH_KEYS = ("file_path", "notebook_path", "path")
"""Claude Code: Write, Edit, MultiEdit, NotebookEdit; Hermes: write_file, patch."""
_PATCH_KEYS = ("command", "input", "patch")
"""Codex: apply_patch has its patch in ``command``; a shell's command has no such lines."""
_FILE_LINE = re.compile(
    r"^[^\S\n]*\*\*\*[^\S\n]*(?:(?:Update|Add|Delete|(Move))[^\S\n]+File|Move[^\S\n]+to):(.*)$", re.MULTILINE
)
"""A line of a patch that names a file, as loosely as the loosest host reads it: any blank of Unicode is one. Hermes has
``Move File: a -> b`` (openai/codex, codex-rs/apply-patch; NousResearch/hermes-agent, tools/patch_parser.py)."""
_SHELL_TOOL = "Bash"
"""What Codex calls each of its shells at a hook (seen with 0.169)."""
_PATCHER = re.compile(r"\bapply_?patch\b")
_FOLDER = re.compile(r"""\bcd[ \t]+('[^'\n]*'|"[^"\n]*"|[^\s;&|]+)""")
_MEMORY_TOOL = "memory"
"""Hermes' own tool, which writes its memory and names no path (NousResearch/hermes-agent, tools/memory_tool.py)."""
MAX_PATHS = 1000
"""More files in one call are no edit, and looking at them would take longer than the hook has. Our choice."""
MAX_STEPS = 20_000
"""Folders on the ways to all of them, likewise: the system is asked for each."""
MAX_USER_CHARACTERS = 256
"""Of ``~name``; no user has a longer name (POSIX, LOGIN_NAME_MAX on Linux), and a look-up of one of megabytes aborts the
process where systemd answers it."""
_TOO_MANY = "This names too many files and folders to tell whether one is guarded. Split it."


def refusal(home: Home, payload: "dict[str, Any]", propose: str, keys_dir: str = "") -> str:
    """Give why a tool may not write what it is about to write; empty when nothing speaks against it.

    Args:
        home: Whose files are guarded.
        payload: What the host sent: ``tool_name``, ``tool_input`` and ``cwd``.
        propose: Command line with which an agent proposes a change, without its words.
        keys_dir: Where the operator's keys are, and what names programs to run; empty for nowhere.
    """
    directory = text_of(payload, "cwd") or home.root
    guarded = Guarded(home, keys_dir)
    looked_at: set[str] = set()
    steps = 0
    for path in _written(payload):
        if path in looked_at:
            continue
        looked_at.add(path)
        steps += path.count(os.sep)
        places = readings(path, directory) if steps <= MAX_STEPS else ()
        steps += sum(place.count(os.sep) for place in places)
        if len(looked_at) > MAX_PATHS or steps > MAX_STEPS:
            return _TOO_MANY
        for place in places:
            name = guarded.name_of(place)
            if name is not None:
                return _said(home, name, propose, keys_dir)
    return ""


def readings(path: str, directory: str) -> "Sequence[str]":
    """Give what a tool may take a path for, each once.

    Some tools cut blanks off, some compose accents, some read ``~``, and some take ``..`` out before the system sees
    it, so that neither a link nor a name that cannot be lies on the way. All of that is judged.

    Args:
        path: As the tool's input names it.
        directory: What a relative one is relative to.
    """
    names = {path: None, path.strip(): None}
    if not path.isascii():
        import unicodedata

        names |= {unicodedata.normalize("NFC", name): None for name in names}
    found: dict[str, None] = {}
    for name in names:
        for spelt in (name, _expanded(name)):
            place = os.path.join(directory, spelt)
            found[place] = None
            if ".." in place:
                found[os.path.normpath(place)] = None
    return tuple(found)


def _expanded(name: str) -> str:
    if len(name.partition(os.sep)[0]) > MAX_USER_CHARACTERS:
        return name
    try:
        return os.path.expanduser(name)
    except ValueError:  # as above, of a user's name
        return name


class Guarded:
    """What no tool writes, looked up once: a call may name many files."""

    __slots__ = ("_files", "_folders")

    def __init__(self, home: Home, keys_dir: str) -> None:
        """Find what is guarded.

        Args:
            home: Whose.
            keys_dir: As :func:`refusal`.
        """
        places = {name: home.path(name) for name in (*_gated(home), *_closed(home))}
        self._files = [
            (name, real, _identity(real))
            for name, real in ((name, os.path.realpath(place)) for name, place in places.items())
        ]
        starts = [(folder, os.path.realpath(folder).casefold() + os.sep) for folder in _folders(home)]
        if keys_dir and not home.root.startswith(
            keys_dir.rstrip(os.sep) + os.sep
        ):  # else all of it would be closed
            starts.append((keys_dir, os.path.realpath(keys_dir).casefold() + os.sep))
        self._folders = starts

    def name_of(self, place: str) -> str | None:
        """Give the guarded file or folder that a path leads to, as it is named here; None for none.

        Args:
            place: One of :func:`readings`.
        """
        try:
            real = os.path.realpath(place)
            there = _identity(real)
        except ValueError:
            return None  # a NUL, or half a character: no file has such a name, and what leaves it out is looked at, too
        for name, own, own_identity in self._files:
            if real == own or (there is not None and there == own_identity):
                return name
            # one of them is not there: a disk that takes MEMORY.md for memory.md would still make it
            if (there is None or own_identity is None) and real.casefold() == own.casefold():
                return name
        within = real.casefold() + os.sep
        return next((folder for folder, start in self._folders if within.startswith(start)), None)


def _said(home: Home, name: str, propose: str, keys_dir: str) -> str:
    if name in _gated(home):
        return _propose_instead(name, propose)
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


def _written(payload: "dict[str, Any]") -> "Iterator[str]":
    """Give the paths that a tool's input names, as it names them."""
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
    if "***" not in patch:
        return
    for found in _FILE_LINE.finditer(patch):
        path = found[2].removeprefix(" ")  # more blanks are part of a name to Codex, and to Hermes none
        yield path
        if found[1] and (at := path.find("->", 1)) >= 0:
            yield from (path[:at], path[at + 2 :])


def _patched_in_shell(command: str) -> "Iterator[str]":
    """Give the paths of a patch that stands in a shell's command: Codex takes it out and applies it itself.

    It does so for ``apply_patch <<EOF`` and ``cd DIR && apply_patch <<EOF``, and tells neither as a tool
    of its own (seen with 0.169). Other commands are not looked into: a shell writes what it likes.
    """
    if not _PATCHER.search(command):
        return
    folders = dict.fromkeys(found.strip("'\"") for found in _FOLDER.findall(command))
    for path in dict.fromkeys(_patched(command)):
        yield path
        if not os.path.isabs(path):
            yield from (os.path.join(folder, path) for folder in folders)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino

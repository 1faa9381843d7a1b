"""Where agents work on this machine, and what each host there has for a memory.

Invariant: names only: nothing but Claude Code's settings is opened, and nothing is taken for a memory that is not a file.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.files.home import Home
from nightledger.hosts.daylogs import (
    CLAUDE_CODE,
    CODEX,
    GENERIC,
    HERMES,
    OPENCLAW,
    detect_host,
    find_daylogs,
    preset,
)
from nightledger.hosts.rivals import auto_memory_folder

MEMORY = "MEMORY.md"
_CODEX = ("memories", "memories_v2")
"""Codex's own memory, by version (0.169 has the second)."""
_ALSO = {CLAUDE_CODE: ("CLAUDE.md", os.path.join(".claude", "CLAUDE.md"))}
"""Files that a host reads at each start, beside those of its preset (code.claude.com/docs/en/memory, 2026-11)."""


def host_of(root: str, roots: Mapping[str, str]) -> str:
    """Return whose workspace a directory is: by its marks, its place, or the sessions that a host has of it.

    Args:
        root: The directory, absolute.
        roots: Each host's own directory (``hosts/daylogs.py``).
    """
    marked = detect_host(root)
    if marked != GENERIC:
        return marked
    real, projects = os.path.realpath(root), os.path.realpath(os.path.join(roots[CLAUDE_CODE], "projects"))
    own = os.path.basename(real) == "memory" and os.path.dirname(os.path.dirname(real)) == projects
    own = own or _is_own_folder(real, roots[CLAUDE_CODE])
    if own or os.path.isdir(os.path.join(projects, _project(real))):
        return CLAUDE_CODE
    return next((host for path, host in _usual(roots).items() if os.path.realpath(path) == real), GENERIC)


def memory_choices(root: str, host: str) -> tuple[tuple[str, ...], ...]:
    """Return what could be gated in a workspace: each choice that is there, then the host's usual one if it is not.

    A file that is really a protected one, as where CLAUDE.md links to AGENTS.md, is none.

    Args:
        root: The workspace.
        host: Whose it is.
    """
    usual = preset(host).gated
    choices = [usual, *((name,) for name in _ALSO.get(host, ()))]
    there = [names for names in choices if any(_is_own_file(root, name) for name in names)]
    return (*there, *(() if usual in there else (usual,)))


def own_memory(workspace: str, host: str, roots: Mapping[str, str]) -> str:
    """Return the directory where a host keeps a memory of its own for a workspace; empty where there is none.

    Claude Code has the one that its settings name, else one for each repository, so that a folder in it has that of a
    folder above.
    """
    places: list[str] = []
    if host == CLAUDE_CODE:
        real = Path(os.path.realpath(workspace))
        projects = os.path.join(roots[host], "projects")
        usual = (os.path.join(projects, _project(str(path)), "memory") for path in (real, *real.parents))
        named = auto_memory_folder(roots[host], workspace)
        places = [named] if named else [*usual]
    elif host == CODEX:
        places = [os.path.join(roots[host], name) for name in _CODEX]
    found = (path for path in places if os.path.isfile(os.path.join(path, MEMORY)))
    return next((path for path in found if os.path.realpath(path) != os.path.realpath(workspace)), "")


def find_workspaces(here: str, roots: Mapping[str, str], user_home: str, *, named: bool) -> Iterator[str]:
    """Name the directories where an agent's memory seems to be, the likeliest first.

    Args:
        here: The current directory, or the one that was named; empty where it is none to be taken.
        roots: Each host's own directory.
        user_home: The user's own directory.
        named: Whether ``here`` is meant, whatever is in it: then no other is looked for but what its host has beside it.
    """
    if here and (named or here != user_home):
        host = host_of(here, roots)
        is_one = named or host != GENERIC or _has_memory(here, host)
        yield from filter(None, (here if is_one else "", own_memory(here, host, roots)))
    for path, host in () if named else _usual(roots).items():
        if path != here and _has_memory(path, host):
            yield path


def _usual(roots: Mapping[str, str]) -> dict[str, str]:
    """Return the places where hosts keep a memory unasked, each with its host."""
    return {
        os.path.join(roots[OPENCLAW], "workspace"): OPENCLAW,
        os.path.join(os.path.dirname(roots[OPENCLAW]), "clawd"): OPENCLAW,
        roots[HERMES]: HERMES,
        **{os.path.join(roots[CODEX], name): CODEX for name in _CODEX},
    }


def _has_memory(root: str, host: str) -> bool:
    return os.path.isdir(root) and (
        any(_is_own_file(root, name) for names in memory_choices(root, host) for name in names)
        or bool(find_daylogs(Home(root), preset(host).daily))
    )


def _is_own_folder(path: str, root: str) -> bool:
    """Tell whether Claude Code's settings have it keep its memory here: the user's, of a folder above, or of the current one."""
    named = (auto_memory_folder(root, str(place)) for place in (os.curdir, *Path(path).parents))
    return any(os.path.isdir(folder) and os.path.realpath(folder) == path for folder in named)


def _project(path: str) -> str:
    """Return the name that Claude Code gives a directory's sessions."""
    return re.sub(r"[^a-zA-Z0-9]", "-", path)


def _is_own_file(root: str, name: str) -> bool:
    path = os.path.join(root, name)
    protected = (os.path.join(root, other) for other in PROTECTED_FILES)
    return os.path.isfile(path) and not any(
        os.path.exists(other) and os.path.samefile(path, other) for other in protected
    )

"""Where agents work on this machine, and what each host there has for a memory.

Invariant: names only: nothing but Claude Code's settings is opened, and nothing is taken for a memory that is not a file.

What a host's own settings say: other writers of an agent's memory.

Invariant: configuration is read and never written; nothing is claimed that no setting says, and a setting that is not
there is told as such, because defaults change between versions. Written against what docs/formats.md names; seen with
Claude Code 2.1.330, Codex 0.169, Hermes Agent 0.19.0 and OpenClaw 2026.9.6.

Traces of who wrote: marks of other tools in lines, sessions at work at a moment, commits of git.

Invariant: only what a tool writes around its own lines counts, never what a person might say; nothing of a session is
read, and no more than ``MOST_FILES`` of a host's files are looked at. No hook, filter, pager, external diff, signature
program or transport of a repository runs; nothing is fetched, nothing written to it, and after five seconds git is stopped.
"""

import glob
import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.states import Writer
from nightledger.files.home import Home
from nightledger.files.owner import for_child
from nightledger.hosts import daylogs
from nightledger.hosts.configured import Unread, member_at, read_config

_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})
"""How Claude Code reads a variable that turns something on or off (seen with 2.1.330)."""


class Rival(Struct, frozen=True, kw_only=True):
    """A writer beside the gate.

    Attributes:
        name: What it is called.
        writes: What it writes.
        is_on: Whether it is turned on; None where no setting says so and versions differ.
        path: The file that says so, or that could.
        setting: What to set there to turn it off.
    """

    name: str
    writes: str
    is_on: bool | None
    path: str
    setting: str


def find_rivals(host: str, root: str, workspace: str, config: str = "") -> tuple[Rival | Unread, ...]:
    """Name the writers of a host that are on, or that may be.

    Args:
        host: Its name in records.
        root: Its own directory (``hosts/daylogs.py``); may be missing.
        workspace: The home, which may hold configuration of its own.
        config: OpenClaw's configuration, where it is not in its usual place (``named_config``).
    """
    if host == daylogs.CLAUDE_CODE:
        found = list(_claude_code(root, workspace))
    elif host in _LOOKS:
        path = config or os.path.join(root, daylogs.preset(host).config)
        read = read_config(path)
        if isinstance(read, Unread):
            return (read,)
        found = list(_LOOKS[host](path, read)) if read is not None or os.path.isdir(root) else []
    else:
        found = []
    return tuple(one for one in found if isinstance(one, Unread) or one.is_on is not False)


def _openclaw(path: str, config: Any) -> Iterator[Rival]:
    from nightledger.hosts.hooking import runs_hook

    slot = member_at(config, "plugins", "slots", "memory")
    plugin = slot if isinstance(slot, str) and slot != "none" else "memory-core"
    dreaming = member_at(config, "plugins", "entries", plugin, "config", "dreaming", "enabled")
    is_off = slot == "none" or member_at(config, "plugins", "entries", plugin, "enabled") is False
    yield Rival(
        name="OpenClaw dreaming",
        writes="promotes lines to MEMORY.md by itself",
        is_on=False if is_off else dreaming if isinstance(dreaming, bool) else None,
        path=path,
        setting=f"plugins.entries.{plugin}.config.dreaming.enabled: false",
    )
    yield Rival(
        name="OpenClaw's session-memory hook",
        writes="writes memory/YYYY-MM-DD-slug.md at each /new or /reset, and when a session is over; nights read these as daily logs",
        is_on=runs_hook(config, "session-memory"),
        path=path,
        setting="hooks.internal.entries.session-memory.enabled: false",
    )


def _codex(path: str, config: Any) -> Iterator[Rival]:
    yield Rival(
        name="Codex memories",
        writes="keep a memory of their own under memories, beside yours",
        is_on=member_at(config, "features", "memories") is True,
        path=path,
        setting="memories = false under [features]",
    )


def _hermes(path: str, config: Any) -> Iterator[Rival]:
    keeps = (
        member_at(config, "memory", name) is not False for name in ("memory_enabled", "user_profile_enabled")
    )
    yield Rival(
        name="Hermes' memory tool and background review",
        writes="write memories/MEMORY.md and USER.md without asking",
        is_on=member_at(config, "memory", "write_approval") is not True and any(keeps),
        path=path,
        setting="memory.write_approval: true",
    )


_LOOKS: Mapping[str, Callable[[str, Any], Iterator[Rival]]] = {
    daylogs.OPENCLAW: _openclaw,
    daylogs.CODEX: _codex,
    daylogs.HERMES: _hermes,
}


def auto_memory_folder(root: str, workspace: str) -> str:
    """Return the folder where settings have Claude Code keep its own memory; empty where none names a whole path.

    Any settings file may; one that is relative the host passes over (code.claude.com/docs/en/settings, 2026-11).

    Args:
        root: Its own directory.
        workspace: Where it works.
    """
    named = (
        member_at(read_config(path), "autoMemoryDirectory") for path in _claude_settings(root, workspace)
    )
    return next(
        (path for one in named if os.path.isabs(path := os.path.expanduser(str(one))) and path.isprintable()),
        "",
    )


def _claude_settings(root: str, workspace: str) -> tuple[str, ...]:
    """Return Claude Code's settings files, the strongest first."""
    names = ((workspace, ".claude", "settings.local.json"), (workspace, ".claude", "settings.json"))
    return tuple(os.path.join(*name) for name in (*names, (root, "settings.json")))


def _claude_code(root: str, workspace: str) -> Iterator[Rival | Unread]:
    configs = {path: read_config(path) for path in _claude_settings(root, workspace)}
    yield from (one for one in configs.values() if isinstance(one, Unread))
    memory, where = _first(configs, "autoMemoryEnabled")
    variable, named = _first(configs, "env", "CLAUDE_CODE_DISABLE_AUTO_MEMORY")
    if isinstance(variable, str) and variable.lower() in _YES | _NO:
        memory, where = variable.lower() in _NO, named
    folder = auto_memory_folder(root, workspace)
    writes = (
        f"keeps a memory of its own {f'in {folder}' if folder else 'under projects/*/memory'}, beside yours"
    )
    if folder and os.path.realpath(folder) == os.path.realpath(workspace):
        writes = f'is told to write MEMORY.md here, past the gate ("autoMemoryDirectory": "{folder}")'
    yield Rival(
        name="Claude Code auto memory",
        writes=writes,
        is_on=memory is not False,
        path=where,
        setting='"autoMemoryEnabled": false',
    )
    dream, where = _first(configs, "autoDreamEnabled")
    said = dream if isinstance(dream, bool) else None  # where nothing says so, its maker's server does
    yield Rival(
        name="Claude Code auto dream",
        writes="rewrites that memory between sessions",
        is_on=said if memory is not False else False,
        path=where,
        setting='"autoDreamEnabled": false',
    )


def _first(configs: Mapping[str, Any], *keys: str) -> tuple[Any, str]:
    """Return a value of the strongest settings file that has it, and that file; else None and the last one."""
    found = ((member_at(config, *keys), path) for path, config in configs.items())
    return next((one for one in found if one[0] is not None), (None, [*configs][-1]))


MEMORY = "MEMORY.md"
_CODEX = ("memories", "memories_v2")
"""Codex's own memory, by version (0.169 has the second)."""
_ALSO = {daylogs.CLAUDE_CODE: ("CLAUDE.md", os.path.join(".claude", "CLAUDE.md"))}
"""Files that a host reads at each start, beside those of its preset (code.claude.com/docs/en/memory, 2026-11)."""


def host_of(root: str, roots: Mapping[str, str]) -> str:
    """Return whose workspace a directory is: by its marks, its place, or the sessions that a host has of it.

    Args:
        root: The directory, absolute.
        roots: Each host's own directory (``hosts/daylogs.py``).
    """
    marked = daylogs.detect_host(root)
    if marked != daylogs.GENERIC:
        return marked
    real, projects = (
        os.path.realpath(root),
        os.path.realpath(os.path.join(roots[daylogs.CLAUDE_CODE], "projects")),
    )
    own = os.path.basename(real) == "memory" and os.path.dirname(os.path.dirname(real)) == projects
    own = own or _is_own_folder(real, roots[daylogs.CLAUDE_CODE])
    if own or os.path.isdir(os.path.join(projects, _project(real))):
        return daylogs.CLAUDE_CODE
    return next(
        (host for path, host in _usual(roots).items() if os.path.realpath(path) == real), daylogs.GENERIC
    )


def memory_choices(root: str, host: str) -> tuple[tuple[str, ...], ...]:
    """Return what could be gated in a workspace: each choice that is there, then the host's usual one if it is not.

    A file that is really a protected one, as where CLAUDE.md links to AGENTS.md, is none.

    Args:
        root: The workspace.
        host: Whose it is.
    """
    usual = daylogs.preset(host).gated
    choices = [usual, *((name,) for name in _ALSO.get(host, ()))]
    there = [names for names in choices if any(_is_own_file(root, name) for name in names)]
    return (*there, *(() if usual in there else (usual,)))


def own_memory(workspace: str, host: str, roots: Mapping[str, str]) -> str:
    """Return the directory where a host keeps a memory of its own for a workspace; empty where there is none.

    Claude Code has the one that its settings name, else one for each repository, so that a folder in it has that of a
    folder above.
    """
    places: list[str] = []
    if host == daylogs.CLAUDE_CODE:
        real = Path(os.path.realpath(workspace))
        projects = os.path.join(roots[host], "projects")
        usual = (os.path.join(projects, _project(str(path)), "memory") for path in (real, *real.parents))
        named = auto_memory_folder(roots[host], workspace)
        places = [named] if named else [*usual]
    elif host == daylogs.CODEX:
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
        is_one = named or host != daylogs.GENERIC or _has_memory(here, host)
        yield from filter(None, (here if is_one else "", own_memory(here, host, roots)))
    for path, host in () if named else _usual(roots).items():
        if path != here and _has_memory(path, host):
            yield path


def _usual(roots: Mapping[str, str]) -> dict[str, str]:
    """Return the places where hosts keep a memory unasked, each with its host."""
    return {
        os.path.join(roots[daylogs.OPENCLAW], "workspace"): daylogs.OPENCLAW,
        os.path.join(os.path.dirname(roots[daylogs.OPENCLAW]), "clawd"): daylogs.OPENCLAW,
        roots[daylogs.HERMES]: daylogs.HERMES,
        **{os.path.join(roots[daylogs.CODEX], name): daylogs.CODEX for name in _CODEX},
    }


def _has_memory(root: str, host: str) -> bool:
    return os.path.isdir(root) and (
        any(_is_own_file(root, name) for names in memory_choices(root, host) for name in names)
        or bool(daylogs.find_daylogs(Home(root), daylogs.preset(host).daily))
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


WITHIN_S = 300.0
"""A session writes down a tool's call within seconds; five minutes allow for a slow answer. Our choice."""
MOST_FILES = 50_000
_DREAMING = re.compile(
    r"<!--\s*openclaw-memory-promotion:"
    r"|<!--\s*openclaw:dreaming:"
    r"|^#{1,6}\s*Promoted From Short-Term Memory\b"
    r"|^#{1,6}\s*(?:Light|REM|Deep) Sleep\s*$"
    r"|\[score=[\d.]+ (?:recalls|avg|source)=",
)
"""OpenClaw's ``memory-core``: what its dreaming promotes to MEMORY.md (docs/formats.md, Hosts)."""
_EXTRACTION = re.compile(
    r"^#{1,6}\s*(?:(?:nightly|daily|auto(?:matic)?) memory extraction|durable facts extracted)\b"
    r"|<!--\s*[\w.-]+:(?:memory|summary|extract\w*|consolidat\w*|dream\w*)(?::[\w.-]+)*:start\b",
    re.IGNORECASE,
)
"""Headings and block marks of other consolidators."""


def find_mark(lines: Iterable[str]) -> Writer | None:
    """Give the tool whose marks stand in some of the lines; None where there are none.

    Args:
        lines: Lines that were added to a memory file.
    """
    found = None
    for line in lines:
        if _DREAMING.search(line):
            return Writer.DREAMING
        if _EXTRACTION.search(line):
            found = Writer.EXTRACTION
    return found


def hosts_at_work(roots: Mapping[str, str], at_s: float) -> tuple[str, ...]:
    """Name the hosts with a session file written about then, sorted.

    Args:
        roots: Each host's own directory; missing ones are none.
        at_s: The moment, in seconds since 1970.
    """
    return tuple(
        sorted(
            host
            for host, root in roots.items()
            if any(abs(at - at_s) <= WITHIN_S for at in _written(host, root))
        )
    )


def _written(host: str, root: str) -> Iterator[float]:
    names = (name for pattern in daylogs.preset(host).sessions for name in glob.iglob(pattern, root_dir=root))
    for name in islice(names, MOST_FILES):
        try:
            yield os.lstat(os.path.join(root, name)).st_mtime
        except OSError:
            continue


TIMEOUT_S = 5.0
_MOST_COMMITS = 64
"""Commits looked at in which a file got these bytes or lost them. Our choice."""
_OBJECT = re.compile(r"[0-9a-f]{40}")
_PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-C")
_LOG = (
    *("log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--format=%H", "--raw", "--no-abbrev"),
    f"--max-count={_MOST_COMMITS}",
)
_ENVIRONMENT = {
    "PATH": _PATH,
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


def find_commit(root: str, content: bytes) -> str:
    """Give a commit in which a file has exactly these bytes, 40 hex digits; empty where none is found.

    Not found is also: no repository, no git, SHA-256 objects, a history that takes too long.

    Args:
        root: A directory of the working tree.
        content: A file's bytes.
    """
    # the name that git has for these bytes (gitformat-pack(5), loose objects)
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    try:
        ran = subprocess.run(  # noqa: S603 - a fixed command; what varies are a directory and a hash
            [*_GIT, os.path.abspath(root), *_LOG, f"--find-object={blob}", "HEAD"],
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            **for_child(),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return _holder(ran.stdout.decode("ascii", "replace"), blob) if ran.returncode == 0 else ""


def _holder(listing: str, blob: str) -> str:
    """Give the first commit listed in which a file got these bytes; git lists those that took them away, too."""
    commit = ""
    for line in listing.splitlines():
        if _OBJECT.fullmatch(line):
            commit = line
        elif line.startswith(":") and line.split(" ")[3] == blob:
            return commit
    return ""

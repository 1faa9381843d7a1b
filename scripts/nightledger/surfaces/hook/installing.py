"""Put our hooks into a host's configuration, and take them out; everything else there stays as it is.

Invariant: nothing is written but what was shown; never into a protected or gated file, whatever links
lead there; what others put there stays, value for value.
"""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from string import Template
from textwrap import indent

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import ConfigurationError, FileChangedError, NightledgerError, RefusedError
from nightledger.domain.exposure import tokens_of
from nightledger.files.atomic import create_file, replace_file
from nightledger.files.durable import make_dir, read_optional, sync_directory
from nightledger.files.home import Home, shipped_config
from nightledger.gate.gated import is_same_file, protected_paths
from nightledger.hosts import hooking
from nightledger.hosts.daylogs import HERMES, OPENCLAW, preset
from nightledger.surfaces.context import keys_directory, named_keys_directory
from nightledger.surfaces.hook.running import SCRIPTS, own_program

MAX_CONFIG_BYTES = 4 << 20
_OWNERS_FILES = frozenset(
    {"agents.md", "agents.override.md", "claude.md", "soul.md", "user.md", "identity.md", "memory.md"}
)
"""What owners write for their agents; no hook is ever put there, whatever a link says."""


class Step(Struct, frozen=True, kw_only=True):
    """What happens to one file.

    Attributes:
        path: The file itself, links followed.
        before: Its bytes; None where it is not there.
        after: Its bytes then; None where it goes.
        shown: What is added, as a person would write it.
    """

    path: str
    before: bytes | None
    after: bytes | None
    shown: str

    @property
    def changes(self) -> bool:
        """Whether anything happens."""
        return self.before != self.after


class Standing(Struct, frozen=True, kw_only=True):
    """How one host stands.

    Attributes:
        host: Its name in records.
        root: Its own directory.
        found: Whether that is there.
        path: The file or folder that names its hooks.
        installed: Whether hooks for this home are in it; None where it cannot be read.
        current: Whether they are as they would be installed now: this checkout, this interpreter.
        problem: Why it cannot be read; empty else.
    """

    host: str
    root: str
    found: bool
    path: str
    installed: bool | None
    current: bool
    problem: str


def call_of(home: Home) -> hooking.HookCall:
    """Give how a host calls the hook of a home: this interpreter, this checkout, these keys, full paths."""
    return hooking.HookCall(
        python=sys.executable,
        script=os.path.join(SCRIPTS, hooking.SCRIPT),
        home=home.root,
        home_id=home.identity.id,
        keys=named_keys_directory(keys_directory(os.environ)),
    )


def plan_install(home: Home, host: str, root: str, project: str | None = None) -> list[Step]:
    """Give what adding the hooks would do; nothing is written.

    Args:
        home: Whose memory is shown.
        host: As records name it.
        root: The host's own directory.
        project: A project's directory instead, where the host knows hooks of projects.

    Raises:
        ConfigurationError: The configuration cannot be edited safely; the hint says how to add it by hand.
        RefusedError: It is a protected file.
    """
    call = call_of(home)
    if host == OPENCLAW:
        folder = os.path.join(_folder_root(host, root, project), "hooks", hooking.folder_name(call))
        return [
            _step(home, os.path.join(folder, name), content.encode(), content)
            for name, content in hooking.hook_files(call).items()
        ]
    path = _config_path(host, root, project)
    before = _read(home, path)
    shown = hooking.addition(host, call)
    try:
        after = hooking.with_hooks(host, _text(before), call).encode()
    except ValueError as error:
        raise _unfit(path, f"add it by hand:\n{indent(shown, '  ')}", error) from error
    return [Step(path=os.path.realpath(path), before=before, after=after, shown=shown)]


def plan_remove(home: Home, host: str, root: str, project: str | None = None) -> list[Step]:
    """Give what taking the hooks out would do; as :func:`plan_install`."""
    call = call_of(home)
    if host == OPENCLAW:
        folder = os.path.join(_folder_root(host, root, project), "hooks", hooking.folder_name(call))
        return [_step(home, os.path.join(folder, name), None, "") for name in hooking.hook_files(call)]
    path = _config_path(host, root, project)
    before = _read(home, path)
    if before is None:
        return []
    try:
        if not hooking.has_hooks(host, _text(before), call):
            return []
        stripped = hooking.without_hooks(host, _text(before), call)
    except ValueError as error:
        raise _unfit(
            path, f"take out by hand what calls {hooking.SCRIPT}, if anything does", error
        ) from error
    empty = not stripped.strip() if host == HERMES else not json.loads(stripped.removeprefix("\ufeff"))
    after = None if empty and not os.path.islink(path) else stripped.encode()
    return [Step(path=os.path.realpath(path), before=before, after=after, shown=hooking.addition(host, call))]


def plan_skill(home: Home, host: str, root: str, *, put: bool) -> list[Step]:
    """Return what putting the skill among those of the host's sessions would do, or taking it out; nothing is written.

    What lies there and is no such skill is not taken out.

    Args:
        home: Whose records it speaks of.
        host: As records name it.
        root: The host's own directory.
        put: Whether it is to be there.

    Raises:
        RefusedError: It is a protected file.
    """
    name = hooking.folder_name(call_of(home))
    path = os.path.join(root, os.path.expanduser(preset(host).own_skills), name, "SKILL.md")
    told = {"name": name, "program": shlex.join(own_program()), "home": shlex.quote(home.root)}
    text = Template(shipped_config("agent-skill.md").decode()).substitute(told)
    step = _step(home, path, text.encode() if put else None, text)
    is_ours = step.before is None or step.before.startswith(f"---\nname: {name}\n".encode())
    return [step if put or is_ours else replace(step, after=step.before)]


def has_skill(home: Home, host: str, root: str) -> bool:
    """Return whether the skill lies there."""
    return any(step.changes for step in plan_skill(home, host, root, put=False))


def cost_of(skill: str) -> tuple[int, int]:
    """Return what a skill costs, in tokens as they are counted here: its name and description in each session, the rest when it is read."""
    head, _, body = skill.removeprefix("---\n").partition("\n---\n")
    return tokens_of(head), tokens_of(body)


def take(step: Step) -> None:
    """Do what a step says.

    Raises:
        FileChangedError: Somebody wrote the file meanwhile; nothing was changed.
        NotDurableError: The disk reports a failure.
    """
    if step.after is None:
        _unlink(step.path)
        return
    if step.before is None:
        make_dir(os.path.dirname(step.path))
        create_file(step.path, step.after)
        return
    if read_optional(step.path, MAX_CONFIG_BYTES) != step.before:
        raise FileChangedError(f"{step.path} has changed since it was read")
    replace_file(step.path, step.after)


def standings(home: Home, roots: Mapping[str, str]) -> list[Standing]:
    """Tell how each host stands that has hooks we answer.

    Args:
        home: Whose hooks are looked for.
        roots: Each host's own directory.
    """
    return [_standing(home, host, roots[host]) for host in hooking.HOOKED]


def _standing(home: Home, host: str, root: str) -> Standing:
    installed: bool | None = None
    current, problem = False, ""
    try:
        installed = any(step.changes for step in plan_remove(home, host, root))
        current = installed and not any(step.changes for step in plan_install(home, host, root))
    except NightledgerError as error:
        problem = str(error)
    return Standing(
        host=host,
        root=root,
        found=os.path.isdir(root),
        path=_place(home, host, root),
        installed=installed,
        current=current,
        problem=problem,
    )


def events_of(host: str) -> tuple[str, ...]:
    """Name the events of a host at which we are called."""
    return tuple(event for event, _, _ in preset(host).events)


def _place(home: Home, host: str, root: str) -> str:
    if host == OPENCLAW:
        return os.path.join(root, "hooks", hooking.folder_name(call_of(home)))
    return os.path.join(root, hooking.config_name(host))


def _folder_root(host: str, root: str, project: str | None) -> str:
    if project is not None:
        raise ConfigurationError(f"{host} keeps hooks in its own directory only", hint="leave out --project")
    return root


def _config_path(host: str, root: str, project: str | None) -> str:
    if project is not None and not os.path.isdir(project):
        raise ConfigurationError(
            f"{project} is no directory", hint="--project takes the directory of a project"
        )
    try:
        return os.path.join(project or root, hooking.config_name(host, project=project is not None))
    except ValueError as error:
        raise ConfigurationError(str(error), hint="leave out --project") from error


def _step(home: Home, path: str, after: bytes | None, shown: str) -> Step:
    return Step(path=os.path.realpath(path), before=_read(home, path), after=after, shown=shown)


def _read(home: Home, path: str) -> bytes | None:
    """Give the bytes of a file that may be written; None where there is none."""
    real = os.path.realpath(path)
    names = {os.path.basename(path).lower(), os.path.basename(real).lower()}
    if names & _OWNERS_FILES or any(
        is_same_file(real, other) for other in (*home.gated_paths(), *protected_paths(home))
    ):
        raise RefusedError(f"{path} is a protected file; no hook is put there")
    return read_optional(real, MAX_CONFIG_BYTES)


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode()


def _unfit(path: str, hint: str, error: ValueError) -> ConfigurationError:
    return ConfigurationError(f"{path} is left as it is: {error}", hint=hint)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    sync_directory(os.path.dirname(path))

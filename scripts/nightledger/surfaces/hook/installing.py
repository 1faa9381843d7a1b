"""Put our hooks into a host's configuration, and take them out; everything else there stays as it is.

Invariant: nothing is written but what was shown; never into a protected or gated file, whatever links
lead there; the file as it was lies beside it until the hooks are taken out.
"""

import argparse
import json
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from string import Template
from textwrap import indent

from msgspec import Struct
from msgspec.structs import asdict, replace

from nightledger.domain import errors
from nightledger.domain.exposure import tokens_of
from nightledger.files.atomic import create_file, replace_file
from nightledger.files.durable import make_dir, read_optional, sync_directory
from nightledger.files.home import Home, shipped_config
from nightledger.gate.gated import is_same_file, protected_paths
from nightledger.hosts import hooking
from nightledger.hosts.configured import has_comments
from nightledger.hosts.daylogs import CODEX, HERMES, OPENCLAW, preset
from nightledger.hosts.hooking import HOOKED, SCRIPT
from nightledger.surfaces.context import (
    Context,
    host_roots,
    keys_directory,
    named_keys_directory,
    require_person,
)
from nightledger.surfaces.hook.running import SCRIPTS, host_name, own_program
from nightledger.surfaces.screen import say, sentences
from nightledger.surfaces.transcripts import Look, look_around, tell_look

BACKUP = ".before-nightledger"
MAX_CONFIG_BYTES = 4 << 20
_OUR_CALL = re.compile(re.escape(hooking.SCRIPT) + r"[\\'\"\s]+--home\s")
"""Stands in a file wherever it calls the hook of any home; YAML breaks lines at any blank."""
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
        keeps: Whether the file as it was lies beside it then: while any home's hooks are in it, or it has comments that the file lacks.
    """

    path: str
    before: bytes | None
    after: bytes | None
    shown: str
    keeps: bool = True

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
    call, place = call_of(home), _place(home, host, root, project)
    if host == OPENCLAW:
        files = hooking.hook_files(call).items()
        return [_step(home, os.path.join(place, name), text.encode(), text) for name, text in files]
    raw = _read(home, place)
    shown = hooking.addition(host, call)
    try:
        after = hooking.with_hooks(host, (raw or b"").decode(), call).encode()
    except ValueError as error:
        raise _unfit(place, f"add it by hand:\n{indent(shown, '  ')}", error) from error
    return [Step(path=os.path.realpath(place), before=raw, after=after, shown=shown)]


def plan_remove(home: Home, host: str, root: str, project: str | None = None) -> list[Step]:
    """Give what taking the hooks out would do; as :func:`plan_install`."""
    call, place = call_of(home), _place(home, host, root, project)
    if host == OPENCLAW:
        return [_step(home, os.path.join(place, name), None, "") for name in hooking.hook_files(call)]
    raw = _read(home, place)
    try:
        before = (raw or b"").decode()
        if raw is None or not hooking.has_hooks(host, before, call):
            return []
        stripped = hooking.without_hooks(host, before, call)
    except ValueError as error:
        raise _unfit(
            place, f"take out by hand what calls {hooking.SCRIPT}, if anything does", error
        ) from error
    real = os.path.realpath(place)
    kept = _read(home, real + BACKUP)
    after = _as_it_was(host, before, stripped, kept, call, is_link=os.path.islink(place))
    keeps = bool(_OUR_CALL.search(stripped)) or (host == HERMES and kept != after and b"#" in (kept or b""))
    return [Step(path=real, before=raw, after=after, shown=hooking.addition(host, call), keeps=keeps)]


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
    """Do what a step says; the file as it was is kept beside it, until the hooks are gone.

    Raises:
        FileChangedError: Somebody wrote the file meanwhile; nothing was changed.
        NotDurableError: The disk reports a failure.
        RefusedError: Its owner made it read-only, or wrote comments in it since our hooks came.
    """
    backup = step.path + BACKUP
    _require_writable(step.path)
    _require_no_new_comments(step)
    if step.after is None:
        _unlink(step.path)
        _unlink(backup)
        return
    if step.before is None:
        make_dir(os.path.dirname(step.path))
        create_file(step.path, step.after)
        return
    if step.keeps and not _OUR_CALL.search(
        step.before.decode(errors="replace")
    ):  # else what is there is not as it was before us
        _unlink(backup)  # of an earlier time: the hooks were taken out by hand since
        create_file(backup, step.before)
    if read_optional(step.path, MAX_CONFIG_BYTES) != step.before:
        raise errors.FileChangedError(f"{step.path} has changed since it was read")
    replace_file(step.path, step.after)
    if not step.keeps:
        _unlink(backup)


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
    except errors.NightledgerError as error:
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


def _place(home: Home, host: str, root: str, project: str | None = None) -> str:
    """Return the file that names a host's hooks, or the folder that is ours, in its own directory or in a project's."""
    own = preset(host).hook_file or os.path.join("hooks", hooking.folder_name(call_of(home)))
    name = own if project is None else preset(host).project_hook_file
    if not name:
        raise errors.ConfigurationError(
            f"{host} keeps hooks in its own directory only", hint="leave out --project"
        )
    if project is not None and not os.path.isdir(project):
        hint = "--project takes the directory of a project"
        raise errors.ConfigurationError(f"{project} is no directory", hint=hint)
    return os.path.join(project or root, name)


def _step(home: Home, path: str, after: bytes | None, shown: str) -> Step:
    return Step(path=os.path.realpath(path), before=_read(home, path), after=after, shown=shown)


def _read(home: Home, path: str) -> bytes | None:
    """Give the bytes of a file that may be written; None where there is none."""
    real = os.path.realpath(path)
    names = {os.path.basename(path).lower(), os.path.basename(real).lower()}
    if names & _OWNERS_FILES or any(
        is_same_file(real, other) for other in (*home.gated_paths(), *protected_paths(home))
    ):
        raise errors.RefusedError(f"{path} is a protected file; no hook is put there")
    return read_optional(real, MAX_CONFIG_BYTES)


def _unfit(path: str, hint: str, error: ValueError) -> errors.ConfigurationError:
    return errors.ConfigurationError(f"{path} is left as it is: {error}", hint=hint)


def _as_it_was(
    host: str, before: str, stripped: str, kept: bytes | None, call: hooking.HookCall, *, is_link: bool
) -> bytes | None:
    """Return what is left: the file as it was where nobody edited it since, none where we had made it."""
    try:
        if kept is not None and hooking.with_hooks(host, kept.decode(), call) == before:
            return kept
    except ValueError:  # what is kept is not read any more
        pass
    empty = not stripped.strip() if host == HERMES else not json.loads(stripped.removeprefix("\ufeff"))
    return None if empty and kept is None and not is_link else stripped.encode()


def _require_writable(path: str) -> None:
    """Respect that an owner made a file read-only: replacing it would pass that by."""
    if os.path.exists(path) and not stat.S_IMODE(os.stat(path).st_mode) & 0o222:
        raise errors.RefusedError(
            f"{path} is read-only", hint="make it writable, or edit it by hand: without --yes it is shown"
        )


def _require_no_new_comments(step: Step) -> None:
    """Respect what stands in YAML beside our hooks and in no copy: it would go where the file is written anew."""
    before = (step.before or b"").decode(errors="replace")
    if step.path.endswith((".yaml", ".yml")) and _OUR_CALL.search(before) and has_comments(before):
        raise errors.RefusedError(
            f"{step.path} has comments, which would go; it is left as it is",
            hint=f"take them out, or change by hand what calls {hooking.SCRIPT}",
        )


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    sync_directory(os.path.dirname(path))


def run_hosts(options: argparse.Namespace, context: Context) -> int:
    """Which agent hosts are here; put our hooks into one, or take them out.

    hosts                 lists the hosts, whether their hooks call this home, and
                          what transcripts of sessions lie there
    hosts install HOST    shows what would be added where; --yes adds it
    hosts install HOST --skill
                          the same of a skill that tells the agent when to record
                          and hand off; transcripts that are read need none
    hosts remove HOST     takes exactly that out again, hooks and skill

    HOST is claude-code, codex, hermes or openclaw. The hooks show staged context at
    a session's start and lines of memory at a prompt, and deny writes of MEMORY.md
    and protected files by the host's own file tools. What a shell or another
    program writes passes them by: 'nightledger guard' is what finds that.

    Reads   the hosts' configuration
    Writes  it, with --yes, and the file as it was beside it (.before-nightledger)
    Changes no memory.
    """
    home = Home(context.home_path).require()
    roots = host_roots()
    if options.action == "list":
        return _list(context, standings(home, roots), look_around(context.keys_dir, home))
    host = host_name(options.host or "")
    if host not in HOOKED:
        known = ", ".join(name.replace("_", "-") for name in HOOKED)
        raise errors.UsageError(
            f"no hooks are known for {options.host or 'no host'}", hint=f"known are {known}"
        )
    project = None if options.project is None else os.path.abspath(options.project)
    steps = _plan(options, home, host, roots[host], project)
    changing = [step for step in steps if step.changes]
    if options.yes:
        require_person("hosts", simulated=home.identity.simulated)
        for step in changing:
            take(step)
        _drop_empty_folders(steps)
    files = [{"path": step.path, "shown": step.shown} for step in changing]
    context.emit({"changed": bool(options.yes and changing), "files": files})
    _tell(context, options, host, changing)
    copies = (step.path + BACKUP for step in changing if options.action == "remove")
    stays = "{} stays: the file as it was before the hooks."
    say(context, *(stays.format(copy) for copy in copies if options.yes and os.path.exists(copy)))
    return 0


def _plan(options: argparse.Namespace, home: Home, host: str, root: str, project: str | None) -> list[Step]:
    if options.action == "install":
        if options.skill:
            return plan_skill(home, host, root, put=True)
        return plan_install(home, host, root, project)
    skill = [] if project else plan_skill(home, host, root, put=False)
    there = [step for step in skill if step.changes]
    return there if options.skill else [*plan_remove(home, host, root, project), *there]


def _list(context: Context, found: list[Standing], looks: list[Look]) -> int:
    names = ("host", "root", "found", "path", "installed")
    rows = [{name: getattr(one, name) for name in names} for one in found]
    context.emit({"hosts": rows, "transcripts": [asdict(look) for look in looks]})
    for one in found:
        name = one.host.replace("_", "-")
        say(context, f"{name}: {_told_standing(one, name)}")
    for look in looks:
        say(context, f"transcripts of {look.host.replace('_', '-')}: {tell_look(look)}")
    return 0


def _told_standing(one: Standing, name: str) -> str:
    command = f"'nightledger hosts install {name}'"
    if not one.found:
        return f"not found ({one.root})"
    if one.problem or not one.installed:
        return one.problem or f"no hooks for this home; {command} shows what to add"
    if not one.current:
        return f"calls another checkout for this home; {command} mends it"
    return f"calls this home at {', '.join(events_of(one.host))} ({one.path})"


def _tell(context: Context, options: argparse.Namespace, host: str, changing: list[Step]) -> None:
    """Say what was or would be done, and what is left to do."""
    install = options.action == "install"
    if not changing:
        what = "skill is" if options.skill else "hooks are"
        there = f"the {what} there" if install else "there is nothing of this home"
        context.print(f"Nothing to do: {there}.")
        return
    for step in changing:
        done = (("to take out of", "to add to"), ("taken out of", "added to"))[options.yes][install]
        context.print(f"{done} {step.path}")
        if not options.yes and install:
            context.print(step.shown.rstrip("\n"))
    if install and options.skill:
        always, read = cost_of(changing[0].shown)
        say(context, sentences("hosts")["cost"].format(always=always, read=read))
    if not options.yes:
        say(context, "Nothing was changed; --yes does it.")
    elif install and not options.skill:
        say(
            context,
            sentences("hosts")["afterwards"][host].format(
                name=os.path.basename(os.path.dirname(changing[0].path))
            ),
        )
    if options.yes and host == CODEX and any(SCRIPT.encode() in (step.before or b"") for step in changing):
        say(context, sentences("hosts")["moved_up"])


def _drop_empty_folders(steps: Iterable[Step]) -> None:
    """Take away a hook folder that nothing is left in."""
    for folder in {os.path.dirname(step.path) for step in steps if step.after is None}:
        if os.path.basename(folder).startswith("nightledger-"):
            with suppress(OSError):  # something is left in it
                os.rmdir(folder)

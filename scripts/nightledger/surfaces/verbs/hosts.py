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

import argparse
import os
from collections.abc import Iterable
from contextlib import suppress

from msgspec.structs import asdict

from nightledger.domain.errors import UsageError
from nightledger.files.home import Home
from nightledger.hosts.daylogs import CODEX
from nightledger.hosts.hooking import HOOKED, SCRIPT
from nightledger.surfaces.context import Context, host_roots, require_person
from nightledger.surfaces.hook import installing
from nightledger.surfaces.hook.running import host_name
from nightledger.surfaces.screen import say, sentences
from nightledger.surfaces.transcripts import Look, look_around, tell_look


def run(options: argparse.Namespace, context: Context) -> int:
    """List, install or remove."""
    home = Home(context.home_path).require()
    roots = host_roots()
    if options.action == "list":
        return _list(context, installing.standings(home, roots), look_around(context.keys_dir, home))
    host = host_name(options.host or "")
    if host not in HOOKED:
        known = ", ".join(name.replace("_", "-") for name in HOOKED)
        raise UsageError(f"no hooks are known for {options.host or 'no host'}", hint=f"known are {known}")
    project = None if options.project is None else os.path.abspath(options.project)
    steps = _plan(options, home, host, roots[host], project)
    changing = [step for step in steps if step.changes]
    if options.yes:
        require_person("hosts", simulated=home.identity.simulated)
        for step in changing:
            installing.take(step)
        _drop_empty_folders(steps)
    files = [{"path": step.path, "shown": step.shown} for step in changing]
    context.emit({"changed": bool(options.yes and changing), "files": files})
    _tell(context, options, host, changing)
    copies = (step.path + installing.BACKUP for step in changing if options.action == "remove")
    stays = "{} stays: the file as it was before the hooks."
    say(context, *(stays.format(copy) for copy in copies if options.yes and os.path.exists(copy)))
    return 0


def _plan(
    options: argparse.Namespace, home: Home, host: str, root: str, project: str | None
) -> list[installing.Step]:
    if options.action == "install":
        if options.skill:
            return installing.plan_skill(home, host, root, put=True)
        return installing.plan_install(home, host, root, project)
    skill = [] if project else installing.plan_skill(home, host, root, put=False)
    there = [step for step in skill if step.changes]
    return there if options.skill else [*installing.plan_remove(home, host, root, project), *there]


def _list(context: Context, found: list[installing.Standing], looks: list[Look]) -> int:
    names = ("host", "root", "found", "path", "installed")
    rows = [{name: getattr(one, name) for name in names} for one in found]
    context.emit({"hosts": rows, "transcripts": [asdict(look) for look in looks]})
    for one in found:
        name = one.host.replace("_", "-")
        say(context, f"{name}: {_standing(one, name)}")
    for look in looks:
        say(context, f"transcripts of {look.host.replace('_', '-')}: {tell_look(look)}")
    return 0


def _standing(one: installing.Standing, name: str) -> str:
    command = f"'nightledger hosts install {name}'"
    if not one.found:
        return f"not found ({one.root})"
    if one.problem or not one.installed:
        return one.problem or f"no hooks for this home; {command} shows what to add"
    if not one.current:
        return f"calls another checkout for this home; {command} mends it"
    return f"calls this home at {', '.join(installing.events_of(one.host))} ({one.path})"


def _tell(context: Context, options: argparse.Namespace, host: str, changing: list[installing.Step]) -> None:
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
        always, read = installing.cost_of(changing[0].shown)
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


def _drop_empty_folders(steps: Iterable[installing.Step]) -> None:
    """Take away a hook folder that nothing is left in."""
    for folder in {os.path.dirname(step.path) for step in steps if step.after is None}:
        if os.path.basename(folder).startswith("nightledger-"):
            with suppress(OSError):  # something is left in it
                os.rmdir(folder)

"""Make a home, or adopt an agent's workspace as one.

--guide leads through the first day, step by step: finds the workspace, adopts
it, checks its memory up, reads the host's transcripts, mines old logs, reviews,
shows the lines for the agent's instructions, names those for cron, puts the
host's hooks in, and has the keys backed up. Each step is asked for and is a
verb, called as you would call it; what is done is skipped. Left with q or
Ctrl-C, it goes on there when it is called again. Without a terminal it prints
the commands in their order.

Reads   nothing but names in the directory; config/constitution.json
Writes  the directories and files that it lists first, the constitution among
        them; keys in $NIGHTLEDGER_KEYS; with --guide .nightledger/started, and
        what the verbs write
Changes no memory, and none of an adopted workspace's bytes.
"""

import argparse
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

from nightledger.codec.constitution import dump_constitution
from nightledger.codec.settings import find_zone
from nightledger.domain.errors import RefusedError, UsageError
from nightledger.files.durable import is_within
from nightledger.files.home import Home
from nightledger.gate.founding import Founding, found, is_unfinished, plan, require_place
from nightledger.gate.recalling import require_sound, shipped_principles
from nightledger.hosts.daylogs import READ_NO_MEMORY, preset, why_empty
from nightledger.hosts.workspaces import host_of, memory_choices, own_memory
from nightledger.surfaces.cli import options_of
from nightledger.surfaces.context import CHECKOUT, Context, host_roots
from nightledger.surfaces.guide import ask_choice, guide
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import this_machine
from nightledger.surfaces.signing import fresh_passphrase
from nightledger.trust.keys import KeyRing

_OTHERWISE = (
    "leave it out; 'zone' may be set in config/nightledger/nightledger.yaml, a principle be added by "
    "'nightledger consent constitution amend', and the rest is fixed: make another home"
)


def run(options: argparse.Namespace, context: Context) -> int:
    """Make or complete the home, or lead through all that a first day has."""
    if options.guide:
        return guide(context, tuple(_given(options)), dry_run=options.dry_run)
    if not context.home:
        context.home = _standing_place()
    constitution = _constitution(options)
    founding = _founding(options, context, constitution)
    home, paths = founding.home, plan(founding)
    existed = os.path.lexists(home.identity_file)
    if existed:
        _require_as_made(options, home)
    if options.dry_run:
        context.emit({"home": context.home_path, "would_create": paths})
    else:
        passphrase = None if existed else fresh_passphrase(context, without=options.no_passphrase)
        identity = found(founding, passphrase, context.moment)
        record = {"home": context.home_path, "id": identity.id, "created": paths, "new": not existed}
        context.emit({**record, "gated": list(identity.gated), "empty": bool(why_empty(home))})
    _report(options, context, paths, founding, existed=existed)
    return 0


def _given(options: argparse.Namespace) -> Iterator[str]:
    """Return what a new home is to be, as it was typed; whether it is adopted, the guide finds."""
    for flag, told in options_of("init").items():
        row = told if isinstance(told, dict) else {}
        value = getattr(options, row.get("dest", flag[2:].replace("-", "_")))
        if flag in ("--guide", "--adopt", "--dry-run"):
            continue
        if value is True:
            yield flag
        elif value:
            for one in [value] if isinstance(value, str) else value:
                yield from (flag, one)


def _standing_place() -> str:
    place = os.getcwd()
    if is_within(place, CHECKOUT):
        raise UsageError(
            "which directory is to be the home? The current one is the program's own folder",
            hint="name it: --home DIR; 'nightledger init --guide' looks for your agent's",
        )
    return place


def _require_as_made(options: argparse.Namespace, home: Home) -> None:
    """Refuse what was asked for and is otherwise in the home that is there: no second ``init`` changes it.

    Raises:
        RefusedError: With the way to change it, where there is one.
    """
    made = home.identity
    wanted = {
        "gated": options.gated and tuple(options.gated),
        "simulated": options.simulated or None,
        "zone": options.zone,
        "host": options.host,
        "self": None if is_unfinished(home) else options.own,
    }
    for name, value in wanted.items():
        if value is not None and value != getattr(made, name, None):
            raise RefusedError(
                f"{home.root} is a home already, and --{name} differs from what it was made with",
                hint=_OTHERWISE,
            )


def _constitution(options: argparse.Namespace) -> bytes:
    """Return the constitution to begin with; none where none is wanted.

    Raises:
        UsageError: An own principle for a home that is to have none.
        RecordError: The own principle is too long, or scanners find something in it.
    """
    own = options.own
    if options.no_seed and own is not None:
        raise UsageError("--self adds a principle, and --no-seed wants none", hint="leave one of them out")
    if options.no_seed:
        return b""
    seeds = shipped_principles()
    return dump_constitution(seeds if own is None else require_sound(seeds.with_own(own), where="--self"))


def _founding(options: argparse.Namespace, context: Context, constitution: bytes) -> Founding:
    home = Home(context.home_path)
    known = os.path.lexists(home.identity_file)
    require_place(home, context.keys_dir, os.path.expanduser("~"), adopt=options.adopt)
    host = (options.host or "").replace("-", "_") or host_of(home.root, host_roots())
    if preset(host).host != host:
        raise UsageError(
            f"there is no host {host!r}", hint="one of openclaw, claude-code, codex, hermes, generic"
        )
    zone = options.zone or machine_zone()
    find_zone(zone, where="--zone")
    return Founding(
        home=home,
        ring=KeyRing(Path(context.keys_dir)),
        home_id=secrets.token_hex(16),
        machine=this_machine(),
        zone=zone,
        host=host,
        gated=tuple(
            options.gated or (home.identity.gated if known else _choose_gated(options, context, host))
        ),
        simulated=options.simulated,
        adopt=options.adopt,
        track=options.track,
        constitution=constitution if is_unfinished(home) else b"",
    )


def _choose_gated(options: argparse.Namespace, context: Context, host: str) -> tuple[str, ...]:
    """Return what is to be gated: what the host has, the first of it where nobody can be asked."""
    choices = memory_choices(context.home_path, host)
    if len(choices) == 1 or options.dry_run or context.json or not context.interactive():
        return choices[0]
    texts = [_named(context.home_path, names) for names in choices]
    return choices[ask_choice(context, "Which is the memory, to change by your signature alone?", texts)]


def _named(root: str, gated: Sequence[str]) -> str:
    missing = (" (not there yet)", "")
    return ", ".join(f"{name}{missing[os.path.lexists(os.path.join(root, name))]}" for name in gated)


def machine_zone() -> str:
    """Give the IANA name of this machine's zone: ``$TZ``, else ``/etc/localtime``, else UTC."""
    named = os.environ.get("TZ", "").lstrip(":")
    if "/" in named and not os.path.isabs(named):
        return named
    _, found, name = os.path.realpath("/etc/localtime").partition("zoneinfo/")
    return name if found else "UTC"


def _report(
    options: argparse.Namespace, context: Context, paths: list[str], founding: Founding, *, existed: bool
) -> None:
    guided, place = context.guided, context.home_path
    done = f"{'Would make' if options.dry_run else 'Made'} in {place}:"
    done += f" {len(paths)} files and folders" if guided else ""
    context.print(done if paths else f"{place} is a home already; nothing to do")
    context.print_lines([] if guided else [f"  {path}" for path in paths])
    if not existed:
        say(context, *_gated_notes(founding))
    if options.dry_run or not paths:
        return
    say(context, why_empty(founding.home))
    context.print(f"Keys are in {context.keys_dir}.")
    if options.no_passphrase and not existed:
        say(context, "The operator's key has no passphrase: whoever can read it can sign.")
        context.print_lines([] if guided else ["'nightledger doctor' says what that means."])
    if not guided:
        at = named_home(context)
        context.print(f"Next: nightledger check{at}\nThen: nightledger schedule --print cron{at}")


def named_home(context: Context) -> str:
    """Return what names the home in a command that a person copies; nothing where they stand in it."""
    stands = os.path.realpath(context.home_path) == os.path.realpath(os.curdir)
    return "" if stands else f" --home {quote(context.home_path)}"


def _gated_notes(founding: Founding) -> Iterator[str]:
    """Say what is gated, what of it is missing, and which memory of the host's own is not."""
    root, host, gated = founding.home.root, founding.host, founding.gated
    yield f"Changed by your signature alone from now on: {_named(root, gated)}."
    if host in READ_NO_MEMORY and not os.path.lexists(founding.home.path(gated[0])):
        yield (
            f"The first addition makes {gated[0]}; {host} reads it only where {preset(host).instructions} says so."
        )
    if own := own_memory(root, host, host_roots()):
        yield (
            f"{host} keeps a memory of its own beside it; to have that gated, too: "
            f"nightledger init --adopt --home {quote(own)}"
        )

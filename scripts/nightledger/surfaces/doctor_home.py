"""How doctor looks at the program and its schedule, at a home, and at what stands around it: other writers, locks, instructions.

Invariant: what others own is told with the setting to change, never changed.
"""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.domain.decision import Moment
from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.domain.settings import Settings
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.words import dump_moment
from nightledger.files import search_reader
from nightledger.files.configuration import (
    OPERATOR,
    home_zone,
    load_operator,
    load_staging_rules,
    settings_of,
)
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.search_index import index_path
from nightledger.files.staged import find_page
from nightledger.gate.gated import Held, lockables, read_gated
from nightledger.gate.opening import MEND
from nightledger.hosts.configured import Cap, Unread, read_cap
from nightledger.hosts.daylogs import detect_host, find_daylogs, named_config, preset, state_roots
from nightledger.hosts.workspaces import find_rivals
from nightledger.night import read_ledger
from nightledger.recall.relevant import kinds_to_say
from nightledger.recall.sources import MOST_BYTES, find_sources
from nightledger.surfaces.context import CHECKOUT, cap_config, this_machine
from nightledger.surfaces.doctor_keys import Check, State, found
from nightledger.surfaces.hook.running import full_command
from nightledger.surfaces.needs import OF_INTEGRITY, STRICTEST, of_look, of_notifier
from nightledger.surfaces.verbs.schedule import CALLS, Call, Place, unit_files
from nightledger.surfaces.verbs.stage import LIMIT_SAID, not_given
from nightledger.text.changes.diff import unified_diff
from nightledger.text.checkup.danger import lines_that_edit
from nightledger.trust import note

if TYPE_CHECKING:
    from nightledger.domain.decision import Event
    from nightledger.surfaces.verbs.verify import Seen

_CLOCK_SLACK = timedelta(minutes=2)
SILENT_DAYS = 3
"""Days without a daily log after which it is worth a look. Our choice."""


def check_home(home: Home, keys_dir: str) -> Iterator[Check]:
    """Look at the home's place and its settings.

    Args:
        home: Which.
        keys_dir: Where ``operator.yaml`` and the keys lie.
    """
    identity, here = home.identity, this_machine()
    if identity.simulated:
        yield found("home.simulated")
    where = "home.good" if identity.machine == here else "home.elsewhere"
    yield found(where, root=home.root, machine=identity.machine, here=here)
    if not os.access(home.root, os.W_OK):
        yield found("home.read_only", root=home.root)
    for path in home.leading_out()[:1]:
        yield found("home.leads_out", path=path, real=os.path.realpath(home.path(path)), root=home.root)
    yield from _settings(home, keys_dir)


def _settings(home: Home, keys_dir: str) -> Iterator[Check]:
    if problem := settings_of(home).problem:
        yield found("home.bad_settings", problem=problem, mend=f"{MEND}; {STRICTEST}")
    else:
        yield found("home.settings")
    notifier = "home.notifier" if load_operator(keys_dir).notify else "home.no_notifier"
    alarms = of_notifier(keys_dir, home)
    failed = [found("home.notifier_failed", message=one.message, hint=one.hint) for one in alarms]
    yield from failed or [found(notifier, path=os.path.join(keys_dir, OPERATOR))]


def check_seen(home: Home, seen: "Seen", at: Moment) -> Iterator[Check]:
    """Tell what ``verify`` found, as ``status`` tells it.

    Args:
        home: Whose.
        seen: The look.
        at: The clocks.
    """
    for alarm in of_look(home, seen, at):
        if alarm.kind:
            state = State.BAD if alarm.kind in OF_INTEGRITY else State.NOTE
            area = "memory" if alarm.kind in ("drift", "changed") else "log"
            yield Check(area=area, state=state, message=alarm.message, fix=alarm.hint)
    if seen.report.ok:
        yield found("log.good", size=seen.report.size)
        for what in seen.report.unchecked:
            yield found("log.unchecked", what=what)


def check_memory(home: Home, settings: Settings, now: datetime) -> Iterator[Check]:
    """Look at the host, its cap, and the daily logs that the night reads.

    Args:
        home: Whose.
        settings: Those in force.
        now: Aware, UTC.
    """
    host, seen = home.identity.host, detect_host(home.root)
    yield found("memory.host" if seen == host else "memory.other_host", host=host, seen=seen)
    for path in home.identity.gated:
        yield _size(home, path, read_cap(host, settings.cap_characters.get(host), cap_config(host), path))
    for source in find_sources(home):
        with suppress(OSError):
            size, most = os.stat(home.path(source.path)).st_size, MOST_BYTES.get(source.kind)
            if most and size > most:
                yield found("memory.cut", path=source.path, size=size, most=most)
    directories = preset(host).daily
    logs = find_daylogs(home, directories)
    if not logs:
        if not find_daylogs(
            home, (EXTRACTS,)
        ):  # else sessions are read instead, of which another check tells
            yield found("memory.no_logs", places=" or ".join(directories))
        return
    newest = logs[-1].day
    silent = (now.astimezone(home_zone(home, settings)).date() - newest).days
    places = " and ".join(sorted({os.path.dirname(log.path) for log in logs}))
    state = "memory.silent" if silent > SILENT_DAYS else "memory.logs"
    yield found(state, days=silent, count=len(logs), places=places, newest=newest)


def _size(home: Home, path: str, cap: Cap) -> Check:
    try:
        size = len(read_gated(home, path).decode("utf-8", "surrogateescape"))
    except NightledgerError as error:
        return found("memory.unreadable", problem=error, hint=error.hint)
    if not Path(home.path(path)).exists():
        return found("memory.not_yet", path=path)
    if cap.characters is None:
        return found("memory.no_cap", path=path, size=size)
    state = "memory.over_cap" if size > cap.characters else "memory.size"
    return found(state, path=path, size=size, cap=cap.characters, setting=cap.setting)


def check_clock(
    home: Home, settings: Settings, newest: "Event | None", now: datetime, boot: str
) -> Iterator[Check]:
    """Look whether the clock goes on from where the log stands.

    Args:
        home: Whose.
        settings: Those in force.
        newest: The last entry of its log.
        now: Aware, UTC.
        boot: Name of this boot; empty where the system does not tell.
    """
    yield found("clock.now", now=now, zone=home_zone(home, settings).key)
    if newest and newest.at > now + _CLOCK_SLACK:
        yield found("clock.behind", newest=newest.at)
    if not boot and not home.identity.simulated:
        yield found("clock.no_boots")


OLDEST_PYTHON = (3, 11)


def check_program() -> Iterator[Check]:
    """Look at what runs us; a package that is missing ends each verb with the way to mend it."""
    names = {"python": platform.python_version(), "system": platform.system(), "release": platform.release()}
    old = sys.version_info[:2] < OLDEST_PYTHON
    yield found("program.old" if old else "program.good", **names, wanted=".".join(map(str, OLDEST_PYTHON)))
    yield found("mldsa.good" if note.has_mldsa() else "mldsa.missing")
    yield found("keygen.good" if shutil.which("ssh-keygen") else "keygen.missing")


TIMEOUT_S = 10
LATELY = timedelta(hours=26)
"""The longest local day has 25 hours: a night that was called ran within this time."""


def check_schedule(home: Home, place: Place, user_dir: str, now: datetime) -> Iterator[Check]:
    """Look whether each call is installed.

    Args:
        home: Whose.
        place: What would be called.
        user_dir: The user's own directory, in which systemd and launchd look.
        now: Aware, UTC.
    """
    lines, missing = cron_lines(place), []
    for call in CALLS:
        by = _caller(call, place, lines, user_dir)
        if by:
            yield found("schedule.calls", by=by, name=call.name)
        else:
            missing.append(call.name)
    if not missing:
        return
    names = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
    newest = max((run.started_at for run in read_ledger(home)[0]), default=None)
    printed = f"nightledger schedule --print cron --home {shlex.quote(home.root)}"
    mend = f"{printed}; add the lines with: crontab -e"
    if newest is not None and timedelta() <= now - newest <= LATELY:
        yield found("schedule.unseen", names=names, newest=newest, mend=mend)
    elif home.identity.simulated:
        yield found("schedule.simulated", names=names)
    else:
        yield found("schedule.none", names=names, mend=mend)


def check_nights(home: Home, now: datetime) -> Iterator[Check]:
    """Say when this home was verified last without being asked: each night begins with it.

    Args:
        home: Whose.
        now: Aware, UTC.
    """
    newest = max((run.started_at for run in read_ledger(home)[0]), default=None)
    if newest is not None and timedelta() <= now - newest <= LATELY:
        yield found("nights.good", newest=newest)
        return
    since = f"since {newest:%Y-%m-%d %H:%M} UTC" if newest else "yet"
    early = home.identity.simulated or newest is None
    yield found("nights.none_yet" if early else "nights.stopped", since=since)


def cron_lines(place: Place) -> tuple[str, ...]:
    """Give the active lines of this user's crontab that call us for this home; () where there is no cron.

    Args:
        place: The checkout and the home.
    """
    program = shutil.which("crontab")
    if program is None:
        return ()
    try:
        ran = subprocess.run(  # noqa: S603 - crontab(1) itself, which only lists
            [program, "-l"], capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    lines = ran.stdout.decode("utf-8", "surrogateescape").splitlines() if ran.returncode == 0 else []
    ours = [line.strip() for line in lines if any(_names(line, call) for call in CALLS)]
    return tuple(line for line in ours if not line.startswith("#") and place.home in _words(line))


def _words(line: str) -> set[str]:
    """Return the words of a line of a crontab as a shell has them, of ``HOME=/srv/agent/`` the path, too; of a command in quotes its own."""
    shell = shlex.shlex(line.replace("\\%", "%"), posix=True, punctuation_chars=True)
    shell.whitespace_split, shell.commenters = True, ""
    try:
        words = list(shell)
    except ValueError:  # a quote that does not end, as in a comment
        return _words(line.partition(" #")[0]) if " #" in line else set()
    inner = (_words(word) for word in words if "scripts/" in word and " " in word)
    return {name.rstrip("/") for word in words for name in (word, word.partition("=")[2])}.union(*inner)


def installed_units(place: Place, user_dir: str) -> dict[str, tuple[str, ...]]:
    """Give the files of ours that systemd and launchd find, absolute, by who reads them.

    Args:
        place: The checkout and the home.
        user_dir: The user's own directory.
    """
    try:
        files = {caller: unit_files(place, caller) for caller in ("systemd", "launchd")}
    except NightledgerError:
        return {}  # a path that no unit can hold
    return {
        caller: tuple(path for unit in units if os.path.exists(path := os.path.join(user_dir, unit)))
        for caller, units in files.items()
    }


def _caller(call: Call, place: Place, lines: tuple[str, ...], user_dir: str) -> str:
    """Name what makes a call; empty where nothing does."""
    if any(_names(line, call) for line in lines):
        return "cron"
    for name, units in installed_units(place, user_dir).items():
        files = (os.path.basename(path) for path in units if not path.endswith(".service"))
        if any(f"-{call.name}-" in file or f".{call.name}." in file for file in files):
            return name
    return ""


def _names(line: str, call: Call) -> bool:
    return f"scripts/{call.script}" in line


# ------------------------------------------------------------ what stands around a home


_ANYBODY = "whoever may write in the directory can change the files, and apply"
_OWNER = (
    "the files' owner may unlock them, as chflags(1) has it: this stops accidents, not an agent of that user"
)
_ROOT = "only root applies: let root's cron call 'apply' and 'guard', with --home and NIGHTLEDGER_KEYS"


def check_rivals(home: Home) -> Iterator[Check]:
    """Look into the configuration of the home's host.

    Args:
        home: Whose.
    """
    host, user_home = home.identity.host, os.path.expanduser("~")
    root = state_roots(user_home, os.environ).get(host, "")
    config = named_config(host, user_home, os.environ)
    rivals = find_rivals(host, root, home.root, config) if root else ()
    for one in rivals:
        if isinstance(one, Unread):
            yield found("rivals.unread", path=one.path, reason=one.reason)
        else:
            facts = {"name": one.name, "writes": one.writes, "path": one.path, "setting": one.setting}
            yield found("rivals.unsure" if one.is_on is None else "rivals.on", **facts)
    if not rivals and root and not os.path.isdir(root) and not config:
        yield found("rivals.nowhere", root=root, host=host)
    elif not rivals and root:
        yield found("rivals.none", host=host)


def check_locks(home: Home) -> Iterator[Check]:
    """Look at each gated and protected file and at the audit log."""
    files = [one for one in lockables(home) if one.held is not Held.MISSING]
    by_held = {held: [one.path for one in files if one.held is held] for held in Held}
    if by_held[Held.IMPOSSIBLE]:
        yield found("locks.impossible", who=_ANYBODY)
        return
    if not by_held[Held.LOCKED]:
        yield found("locks.none", who=_ANYBODY, root=home.root)
        return
    yield found("locks.good", names=", ".join(by_held[Held.LOCKED]))
    if by_held[Held.UNLOCKED]:
        yield found("locks.some", names=", ".join(by_held[Held.UNLOCKED]))
    yield found("locks.who", who=_OWNER if os.uname().sysname == "Darwin" else _ROOT)


def check_search(home: Home) -> Iterator[Check]:
    """Tell why hooks at a prompt are silent: they read the index as it is, and leave it to searches to bring up to date."""
    stands, path = False, index_path(home)
    with suppress(search_reader.SearchIndexError):
        if os.path.lexists(path):
            with closing(search_reader.open_reader(path)) as reader:
                stands = bool(kinds_to_say(home, reader))
    if not stands:
        yield found("search.behind")


def check_staging(home: Home, now: datetime) -> Iterator[Check]:
    """Tell whether the staged page is over, so that nothing stages, else how much of it no session is given."""
    load_staging_rules(home)
    page = find_page(home)
    if page and dump_moment(now) >= page.good_until:
        yield found("staging.over", until=page.good_until)
    elif page and (count := not_given(page)):
        yield found("staging.cut", count=count, limit=LIMIT_SAID)


SOURCE = os.path.join("docs", "agent-instructions.md")
MAX_BYTES = 4 << 20
_COMMAND = re.compile(r"(?<=`)nightledger (\w+)")
_BLOCK = re.compile(r"^```markdown\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Offer(Struct, frozen=True, kw_only=True):
    """What could be added to a host's instructions.

    Attributes:
        path: The instructions, relative to the home.
        diff: Unified diff; empty where all lines are there.
        lines: What it adds, without line ends.
        gated: Whether it is the home's memory, too, and so changes by a signature alone.
        edits: Numbers of the lines there that tell the agent to edit memory itself.
    """

    path: str
    diff: str
    lines: tuple[str, ...] = ()
    gated: bool = False
    edits: tuple[int, ...] = ()


def agent_lines(checkout: str = CHECKOUT) -> tuple[str, ...]:
    """Give the lines that tell an agent when to log and to propose, without line ends.

    Raises:
        ConfigurationError: The document that holds them is missing or holds none.
    """
    path = os.path.join(checkout, SOURCE)
    raw = read_optional(path, MAX_BYTES) or b""
    found = _BLOCK.search(raw.decode("utf-8", "replace"))
    if found is None:
        raise ConfigurationError(
            f"{path} holds no lines to paste", hint="git status: the checkout is incomplete"
        )
    return tuple(found[1].rstrip("\n").split("\n"))


def offer(home: Home, *, checkout: str = CHECKOUT) -> Offer:
    """Compare the lines with what a home's host reads at the start of a session.

    Args:
        home: Whose.
        checkout: The folder that holds ``docs/``.

    Raises:
        UnreadableError: The instructions are no regular file of the home.
        ConfigurationError: The lines to paste are missing.
    """
    path = preset(home.identity.host).instructions
    raw = read_optional(home.path(path), MAX_BYTES, within=home.root) or b""
    before = raw.decode("utf-8", "surrogateescape")
    present = {line.strip() for line in before.split("\n")}
    plain = [line.replace("MEMORY.md", home.identity.gated[0]) for line in agent_lines(checkout)]
    lines = [_COMMAND.sub(lambda found: full_command(home, found[1]), line) for line in plain]
    told = [line for line, short in zip(lines, plain, strict=True) if {line.strip(), short.strip()} & present]
    missing = [line for line in lines if line not in told]
    edits = lines_that_edit(before, home.identity.gated)
    if not missing:
        return Offer(path=path, diff="", edits=edits)
    if missing == lines[1:]:
        missing = lines  # a heading of that name alone is not ours
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    after = before + gap + "\n".join(missing) + "\n"
    gated = path in home.identity.gated
    diff = unified_diff(before, after, path=path)
    return Offer(path=path, diff=diff, lines=tuple(missing), gated=gated, edits=edits)

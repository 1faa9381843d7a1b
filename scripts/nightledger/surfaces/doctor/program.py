"""Is the program whole: interpreter, ML-DSA, ssh-keygen? Does anything call it: cron, systemd, launchd; or do runs of late say that something else does?"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import Home
from nightledger.night import read_ledger
from nightledger.surfaces.doctor.checks import Check, found
from nightledger.surfaces.verbs.schedule import CALLS, Call, Place, unit_files
from nightledger.trust import checkpoint

OLDEST_PYTHON = (3, 11)


def check_program() -> Iterator[Check]:
    """Look at what runs us; a package that is missing ends each verb with the way to mend it."""
    names = {"python": platform.python_version(), "system": platform.system(), "release": platform.release()}
    old = sys.version_info[:2] < OLDEST_PYTHON
    yield found("program.old" if old else "program.good", **names, wanted=".".join(map(str, OLDEST_PYTHON)))
    yield found("mldsa.good" if checkpoint.has_mldsa() else "mldsa.missing")
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
    mend = (
        f"nightledger schedule --print cron --home {shlex.quote(home.root)}; add the lines with: crontab -e"
    )
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
    names = {place.home, shlex.quote(place.home).replace("%", "\\%")}
    ours = [line.strip() for line in lines if any(_names(line, call) for call in CALLS)]
    return tuple(line for line in ours if not line.startswith("#") and any(name in line for name in names))


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

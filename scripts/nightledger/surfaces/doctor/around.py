"""What stands around a home: other writers, locks of the operating system, the search index, other machines.

Invariant: what others own is told with the setting to change, never changed. A prompt cannot wait for the search
index, which searches bring up to date: so it is told where the index is behind.
"""

import os
from collections.abc import Iterator
from datetime import datetime

from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.search_index import index_path
from nightledger.files.search_reader import Reader, open_reader
from nightledger.files.search_schema import BusyIndexError, OtherVersionError, SearchIndexError
from nightledger.gate.guard.locking import Held, lockables
from nightledger.hosts.configured import Unread
from nightledger.hosts.presets import named_config, state_roots
from nightledger.hosts.rivals import find_rivals
from nightledger.recall.relevant import KINDS, kinds_to_say
from nightledger.recall.sources import find_sources
from nightledger.remote.notes import recent_dead_letters, told
from nightledger.surfaces.doctor.checks import Check, good, note
from nightledger.surfaces.doctor.home import filesystem_of

_FIX = "nightledger stage brings it up to date, and so does recall"
_UNTIL = "until then prompt hooks"


def check_rivals(home: Home) -> Iterator[Check]:
    """Look into the configuration of the home's host.

    Args:
        home: Whose.
    """
    host = home.identity.host
    user_home = os.path.expanduser("~")
    root = state_roots(user_home, os.environ).get(host, "")
    config = named_config(host, user_home, os.environ)
    found = find_rivals(host, root, home.root, config) if root else ()
    for one in found:
        if isinstance(one, Unread):
            yield note(f"{one.path} cannot be read: {one.reason}", "see for yourself what it turns on")
        elif one.is_on is None:
            said = f"{one.name} {one.writes}; {one.path} does not say whether it is on, and versions differ"
            yield note(said, f"to turn it off, set {one.setting}")
        else:
            yield note(f"{one.name} {one.writes}", f"to turn it off, set {one.setting} in {one.path}")
    if not found and root and not os.path.isdir(root) and not config:
        told = (
            f"{root} is not there: of {host}'s configuration nothing was looked at but what lies in the home"
        )
        yield note(told, "run doctor as the user whose agent it is, with the variables that agent has")
    elif not found and root:
        yield good(f"nothing of {host}'s configuration writes the memory beside the gate")


def check_machines(home: Home, now: datetime) -> Iterator[Check]:
    """Look for dead letters of the last seven days.

    Args:
        home: Whose.
        now: Aware, UTC.
    """
    if found := recent_dead_letters(home, now):
        yield note(told(found), "nightledger channel status")


def check_locks(home: Home, keys_dir: str) -> Iterator[Check]:
    """Look at each gated and protected file and at the audit log.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` lies.
    """
    found = [one for one in lockables(home) if one.held is not Held.MISSING]
    by_held = {held: [one.path for one in found if one.held is held] for held in Held}
    if by_held[Held.IMPOSSIBLE]:
        kind = filesystem_of(home.root) or "its kind is not told"
        yield note(f"not enforced: this file system ({kind}) knows no locks on files; {_who(unlocked=True)}")
        return
    if not by_held[Held.LOCKED]:
        yield note(
            f"no file is locked by the operating system; {_who(unlocked=True)}",
            f"as root: nightledger lock --home '{home.root}'",
        )
        return
    yield good(f"locked by the operating system: {', '.join(by_held[Held.LOCKED])}")
    if by_held[Held.UNLOCKED]:
        yield note(f"not locked: {', '.join(by_held[Held.UNLOCKED])}", "as root: nightledger lock")
    helper = load_operator(keys_dir).lock_helper
    yield note(_helper(helper) if helper else _who(unlocked=False))


def _who(*, unlocked: bool) -> str:
    if unlocked:
        return "whoever may write in the directory can change the files, and apply"
    if os.uname().sysname == "Darwin":
        return "the files' owner may unlock them, as chflags(1) has it: this stops accidents, not an agent of that user"
    return "only root applies: let root's cron call 'apply' and 'guard', with --home and NIGHTLEDGER_KEYS"


def _helper(helper: tuple[str, ...]) -> str:
    return (
        f"root applies, and whoever may run {' '.join(helper)}: an agent that runs as the same user may, too"
    )


def check_search(home: Home) -> Iterator[Check]:
    """Look at the index as a hook at a prompt would.

    Args:
        home: Whose.
    """
    path = index_path(home)
    if not os.path.lexists(path):
        yield note(f"there is no search index yet; {_UNTIL} say nothing", _FIX)
        return
    try:
        reader = open_reader(path)
        try:
            yield from _behind(home, reader)
        finally:
            reader.close()
    except BusyIndexError:
        yield note("another run is bringing the search index up to date", "look again in a moment")
    except OtherVersionError as error:
        fix = "use that version, or: nightledger rebuild" if error.newer else _FIX
        yield note(f"{error}; {_UNTIL} say nothing", fix)
    except SearchIndexError as error:
        yield note(f"{error}; {_UNTIL} say nothing", _FIX)


def _behind(home: Home, reader: Reader) -> Iterator[Check]:
    said = kinds_to_say(home, reader)
    changed = _changed(home, reader)
    if not said:
        yield note(f"the search index is older than the audit log; {_UNTIL} say nothing", _FIX)
    if changed:
        names = ", ".join(changed)
        yield note(f"the search index has not seen {names} as it is now; {_UNTIL} say nothing of it", _FIX)
    if said and not changed:
        yield good(f"the search index stands for what hooks speak of: {reader.count():,} chunks")


def _changed(home: Home, reader: Reader) -> list[str]:
    """Name the files that hooks speak of and whose size or time is not the index's."""
    known = {row[0]: row[1:] for row in reader.ask("SELECT path, size, mtime_ns FROM files")}
    names = [source.path for source in find_sources(home) if source.kind.value in KINDS]
    return [name for name in names if known.get(name) != _stat(home.path(name))]


def _stat(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns

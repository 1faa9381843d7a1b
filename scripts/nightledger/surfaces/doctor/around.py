"""What stands around a home: other writers, locks of the operating system, the search index, staged context, other machines.

Invariant: what others own is told with the setting to change, never changed. A prompt cannot wait for the search
index, which searches bring up to date: so it is told where the index is behind.
"""

import os
import stat
from collections.abc import Iterator
from datetime import datetime

from nightledger.domain.operator import CalendarAddress
from nightledger.domain.words import dump_moment
from nightledger.files.configuration import load_operator, load_staging_rules
from nightledger.files.home import Home
from nightledger.files.search_index import index_path
from nightledger.files.search_reader import (
    BusyIndexError,
    OtherVersionError,
    Reader,
    SearchIndexError,
    open_reader,
)
from nightledger.files.staged import find_page
from nightledger.files.staging_troubles import read_troubles
from nightledger.gate.guard.locking import Held, lockables
from nightledger.hosts.configured import Unread
from nightledger.hosts.presets import named_config, state_roots
from nightledger.hosts.rivals import find_rivals
from nightledger.recall.relevant import KINDS, kinds_to_say
from nightledger.recall.sources import find_sources
from nightledger.remote.notes import recent_dead_letters, told
from nightledger.surfaces.doctor.checks import Check, found
from nightledger.surfaces.doctor.home import filesystem_of
from nightledger.surfaces.staging.telling import LIMIT_SAID, not_given

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


def check_machines(home: Home, now: datetime) -> Iterator[Check]:
    """Look for dead letters of the last seven days.

    Args:
        home: Whose.
        now: Aware, UTC.
    """
    if letters := recent_dead_letters(home, now):
        yield found("machines.letters", told=told(letters))


def check_locks(home: Home, keys_dir: str) -> Iterator[Check]:
    """Look at each gated and protected file and at the audit log.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` lies.
    """
    files = [one for one in lockables(home) if one.held is not Held.MISSING]
    by_held = {held: [one.path for one in files if one.held is held] for held in Held}
    if by_held[Held.IMPOSSIBLE]:
        kind = filesystem_of(home.root) or "its kind is not told"
        yield found("locks.impossible", kind=kind, who=_ANYBODY)
        return
    if not by_held[Held.LOCKED]:
        yield found("locks.none", who=_ANYBODY, root=home.root)
        return
    yield found("locks.good", names=", ".join(by_held[Held.LOCKED]))
    if by_held[Held.UNLOCKED]:
        yield found("locks.some", names=", ".join(by_held[Held.UNLOCKED]))
    yield found("locks.who", who=_who_applies(load_operator(keys_dir).lock_helper))


def _who_applies(helper: tuple[str, ...]) -> str:
    if helper:
        return f"root applies, and whoever may run {' '.join(helper)}: an agent that runs as the same user may, too"
    return _OWNER if os.uname().sysname == "Darwin" else _ROOT


def check_search(home: Home) -> Iterator[Check]:
    """Look at the index as a hook at a prompt would.

    Args:
        home: Whose.
    """
    path = index_path(home)
    if not os.path.lexists(path):
        yield found("search.none")
        return
    try:
        reader = open_reader(path)
        try:
            yield from _behind(home, reader)
        finally:
            reader.close()
    except BusyIndexError:
        yield found("search.busy")
    except OtherVersionError as error:
        yield found("search.newer" if error.newer else "search.damaged", problem=error)
    except SearchIndexError as error:
        yield found("search.damaged", problem=error)


def _behind(home: Home, reader: Reader) -> Iterator[Check]:
    said, changed = kinds_to_say(home, reader), _changed(home, reader)
    if not said:
        yield found("search.older")
    if changed:
        yield found("search.behind", names=", ".join(changed))
    if said and not changed:
        yield found("search.good", count=reader.count())


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


def check_staging(home: Home, keys_dir: str, now: datetime) -> Iterator[Check]:
    """Look at staging's rules, calendars and page; no server is asked.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` names the calendars.
        now: Aware, UTC.
    """
    load_staging_rules(home)
    calendars = load_operator(keys_dir).calendars
    for name, address in sorted(calendars.items()):
        yield _calendar(name, address)
    if not calendars:
        yield found("staging.no_calendar")
    for trouble in read_troubles(home):
        yield found("staging.trouble", what=trouble.what, since=trouble.since)
    page = find_page(home)
    if page is None:
        yield found("staging.altered" if os.path.lexists(home.staged_context) else "staging.nothing")
    elif dump_moment(now) >= page.good_until:
        yield found("staging.over", until=page.good_until)
    else:
        yield found("staging.good", count=len(page.lines), until=page.good_until)
        if count := not_given(page):
            yield found("staging.cut", count=count, limit=LIMIT_SAID)


def _calendar(name: str, address: CalendarAddress) -> Check:
    if address.file and not os.path.isfile(address.file):
        return found("staging.calendar_gone", name=name)
    if address.password_file and not os.path.isfile(address.password_file):
        return found("staging.password_gone", name=name)
    if address.password_file and os.stat(address.password_file).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return found("staging.password_open", name=name, path=address.password_file)
    return found("staging.calendar", name=name, how="a file" if address.file else "asked over the network")

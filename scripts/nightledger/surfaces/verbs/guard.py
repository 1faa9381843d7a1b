"""Look whether a gated or protected file was changed outside Nightledger.

Cron runs it every 10 minutes.

What was found is kept byte for byte and offered in 'nightledger review',
section by section.

--lock has the operating system lock gated and protected files, and the audit
log: files become immutable, the log append-only. Then only root can apply: cron
calls 'apply' and 'guard' as root with --home and NIGHTLEDGER_KEYS; 'undo' and
'edit' want --unlock before and --lock after. Linux: root; macOS: the files'
owner may do it and undo it.

Reads   the gated and protected files and their flags, audit/
Writes  audit/, memory/state/proposals/; memory/state/ATTENTION.md where the log
        or the home does not hold; the files' flags, with --lock and --unlock
Changes no memory.
"""

import argparse
import json
import os

from nightledger.domain.errors import MissingFileError, UnreadableError
from nightledger.files.durable import read_regular
from nightledger.surfaces.context import Context, is_believed

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any

    from nightledger.domain.states import Book
    from nightledger.files.home import Home
    from nightledger.gate.guarding import Sighting

MARK = os.path.join(".nightledger", "guarded")
"""Disposable: how the files looked to stat(2) when all was told; spares cron a full look."""
MAX_MARK_BYTES = 1 << 20
_SETTLED_NS = 1_000_000_000
"""A file changed within a second before the mark is looked at again: clocks of file systems are coarse."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Look, keep, offer; 4 when a file cannot be looked after. Or lock and unlock."""
    if options.locks:
        return _set_locks(options.locks, context)
    if context.quiet and not (options.exit_code or context.json) and _nothing_new(context):
        return 0
    from nightledger.domain.errors import EXIT_ALARM, IntegrityError, RefusedError
    from nightledger.surfaces.cli import import_msgspec

    import_msgspec()
    try:
        return _look_after(options, context)
    except (IntegrityError, RefusedError) as error:
        from nightledger.files.owner import acting_as_owner
        from nightledger.surfaces.telling import tell_instead

        with acting_as_owner(context.home_path):
            if not tell_instead(context, error):
                raise
        return EXIT_ALARM


def _look_after(options: argparse.Namespace, context: Context) -> int:
    from nightledger.domain.errors import EXIT_ALARM
    from nightledger.surfaces.session import look_after, writing

    with writing(context) as session:
        paths = _watched(session.gate.home, session.ledger.book)
        before = _looks(session.gate.home.root, paths)
        sightings = look_after(session)
    if not any(sighting.problem or sighting.new for sighting in sightings):
        _leave_mark(context, before)
    context.emit({"drift": [_record(sighting) for sighting in sightings]})
    for sighting in sightings:
        if sighting.new or sighting.problem or not context.quiet:
            context.print_lines(_lines(sighting))
    if not sightings and not context.quiet:
        context.print("Every gated and protected file is as it was accepted.")
    alarms = (one.problem or (options.exit_code and not one.relocked) for one in sightings)
    return EXIT_ALARM if any(alarms) else 0


def _set_locks(wanted: str, context: Context) -> int:
    """Lock what can be locked, or unlock everything, and say how each file stands."""
    from nightledger.surfaces.cli import import_msgspec

    import_msgspec()
    from nightledger.gate.gated import lock_files, unlock_files
    from nightledger.surfaces.screen import sentences
    from nightledger.surfaces.session import writing

    act = lock_files if wanted == "lock" else unlock_files
    with writing(context, person=True) as session:
        found = act(session.gate, session.moment)
    context.emit({"files": [{"path": f.path, "flag": f.flag.value, "held": f.held.value} for f in found]})
    told = sentences("locks")
    context.print_lines(f"{one.path}: {told[one.held.value]}" for one in found if one.held.value in told)
    return 0


def _nothing_new(context: Context) -> bool:
    """Tell, by one small file and some stat calls, that nothing was touched since all was told."""
    try:
        mark = os.path.join(context.home_path, MARK)
        marked_ns = os.stat(mark).st_mtime_ns
        written = json.loads(read_regular(mark, MAX_MARK_BYTES))
        looks, believed = written["looks"], is_believed(written["at"], context.now)
        now = _looks(context.home_path, list(looks))
    except (
        UnreadableError, MissingFileError, OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError,
    ):  # fmt: skip
        return False
    settled = all(look is None or marked_ns - look[-1] > _SETTLED_NS for look in now.values())
    return bool(looks) and settled and now == looks and believed


def _looks(root: str, paths: "list[str]") -> "dict[str, list[int] | None]":
    """Give what stat(2) says of files; None for a missing one, and for one that cannot be reached."""
    return {path: _look(os.path.join(root, path)) for path in paths}


def _look(path: str) -> "list[int] | None":
    try:
        status = os.stat(path)
    except OSError:  # a link to itself stops no look at the other files
        return None
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _leave_mark(context: Context, looks: "dict[str, list[int] | None]") -> None:
    from nightledger.files.atomic import replace_file

    content = json.dumps({"at": context.now.timestamp(), "looks": looks})
    replace_file(os.path.join(context.home_path, MARK), content.encode(), disposable=True)


def _watched(home: "Home", book: "Book") -> list[str]:
    """Return every file on which a look depends, relative to the home."""
    from nightledger.domain.consent import PROTECTED_FILES
    from nightledger.gate.gated import watched

    own = (home.relative(home.settings), home.relative(home.audit_log))
    return [*watched(home, book), *PROTECTED_FILES, *own]


def _record(sighting: "Sighting") -> "dict[str, Any]":
    from nightledger.domain.words import dump_moment

    return {
        **{name: getattr(sighting, name) for name in ("path", "new", "protected", "relocked")},
        **{name: getattr(sighting, name) or None for name in ("proposal", "writer", "problem")},
        "known_earlier": dump_moment(sighting.earlier) if sighting.earlier else None,
    }


def _lines(sighting: "Sighting") -> list[str]:
    """Return what was found and what to do."""
    from nightledger.surfaces import screen

    if sighting.problem:
        text = f"cannot be looked after: {sighting.problem}"
    elif sighting.relocked:
        text = "was not locked any more, and is locked again."
    elif sighting.earlier:
        text = f"went back to what was accepted on {sighting.earlier:%Y-%m-%d %H:%M} UTC."
    else:
        text = f"was changed outside Nightledger (writer: {sighting.writer})."
    asks = sighting.proposal and not (sighting.problem or sighting.relocked)
    todo = " 'nightledger review' asks about each section." if asks else ""
    return screen.wrap(screen.shown(f"{sighting.path} {text}{todo}"), indent="  ", first="")

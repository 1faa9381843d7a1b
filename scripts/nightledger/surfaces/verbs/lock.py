"""Have the operating system lock gated and protected files, and the audit log.

Files become immutable, the log append-only.

Then only root can apply: cron calls 'apply' and 'guard' as root with --home
and NIGHTLEDGER_KEYS; 'undo' and 'edit' want --off before and lock after.
Linux: root; macOS: the files' owner may do it and undo it. --off takes the
locks away.

Reads   the files' flags
Writes  the files' flags, the audit log
Changes no memory.
"""

import argparse

from nightledger.gate.gated import lock_files, unlock_files
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import writing

_TOLD = {
    "locked": "locked",
    "unlocked": "not locked",
    "impossible": "not enforced: its file system knows no such locks",
    "missing": "not there",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Lock what can be locked, or unlock everything, and say how each file stands."""
    act = unlock_files if options.off else lock_files
    with writing(context, person=True) as session:
        found = act(session.gate, session.moment)
    context.emit({"files": [{"path": f.path, "flag": f.flag.value, "held": f.held.value} for f in found]})
    for one in found:
        if one.held.value != "missing":
            context.print(f"{one.path}: {_TOLD[one.held.value]}")
    return 0

"""Take the operating system's locks away from gated and protected files and from the audit log.

Reads   the files' flags
Writes  the files' flags, the audit log
Changes no memory.
"""

import argparse

from nightledger.gate.guard.locking import unlock_files
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs.lock import change


def run(options: argparse.Namespace, context: Context) -> int:
    """Unlock everything, and say how each file stands."""
    del options

    return change(context, unlock_files)

"""Take the operating system's locks away from gated and protected files and from the audit log.

Reads   the files' flags
Writes  the files' flags, the audit log
Changes no memory.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """``unlock`` has no options of its own."""
    del parser


def run(options: argparse.Namespace, context: Context) -> int:
    """Unlock everything, and say how each file stands."""
    del options
    from nightledger.gate.locking import unlock_files
    from nightledger.surfaces.session import writing
    from nightledger.surfaces.verbs.lock import show

    with writing(context, person=True) as session:
        show(context, unlock_files(session.gate, session.moment))
    return 0

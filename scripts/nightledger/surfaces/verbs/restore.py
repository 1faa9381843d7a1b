"""Make a home from a backup, in a directory that is missing or empty.

Reads   FILE
Writes  the home; keys in $NIGHTLEDGER_KEYS where there are none of this home
Changes no memory that is here: nothing is ever overwritten.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``restore``."""
    parser.add_argument("file", metavar="FILE", help="made by 'nightledger backup'")
    parser.add_argument(
        "--take-over",
        action="store_true",
        help="this machine writes the home from now on; the log tells of it",
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Unpack, check, put in place, and say what is missing."""
    from nightledger.surfaces import screen
    from nightledger.surfaces.restore import restore
    from nightledger.surfaces.session import this_machine
    from nightledger.trust.pin import FILE as PIN

    done = restore(context, options.file, takes_over=options.take_over)
    context.emit(
        {
            "home": context.home_path,
            "about": dict(done.archive.about),
            "files": len(done.archive.members),
            "machine": done.machine,
            "keys": list(done.keys),
            "missing": list(done.missing),
            "lost": done.lost,
            "pinned_from_backup": PIN in done.keys,
        }
    )
    lines = [f"{len(done.archive.members)} files are in {context.home_path}, checked; its log holds."]
    if done.keys:
        lines.append(f"Put into {context.keys_dir}: {', '.join(done.keys)}.")
    if PIN in done.keys:
        lines.append(
            "This machine had never seen this home: what its log must begin with, and by which keys, is believed "
            "of the backup itself."
        )
    if done.missing:
        lines.append(
            f"Not here: {', '.join(done.missing)}. Without them this machine can look, and not write."
        )
    if done.machine != this_machine():
        lines.append(f"{done.machine} writes it; --take-over makes this machine the one.")
    if done.lost:
        lines.append(f"{done.lost} entries that this machine had seen are lost; the log says so from now on.")
    for line in lines:
        for row in screen.wrap(screen.shown(line), indent="  ", first=""):
            context.print(row)
    return 0

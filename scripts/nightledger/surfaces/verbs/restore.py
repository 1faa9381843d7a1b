"""Make a home from a backup, in a directory that is missing or empty; or take over the home that stands there.

Reads   FILE
Writes  the home; keys in $NIGHTLEDGER_KEYS where there are none of this home, and the pin with --take-over
Changes no memory that is here: nothing is ever overwritten.
"""

import argparse
from collections.abc import Iterable

from nightledger.domain.errors import UsageError
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.restore import restore, take_over_here
from nightledger.surfaces.session import this_machine
from nightledger.trust.pin import FILE as PIN


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``restore``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="made by 'nightledger backup'; none with --take-over: the home that stands there, put back by other means",
    )
    parser.add_argument(
        "--take-over",
        action="store_true",
        help="this machine writes the home from now on; you sign for entries that are lost, and the log tells of it",
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Unpack, check, put in place, and say what is missing."""
    if options.file is None:
        return _take_over_here(context, takes_over=options.take_over)

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
    _print(context, lines)
    return 0


def _print(context: Context, lines: Iterable[str]) -> None:
    for line in lines:
        context.print_lines(screen.wrap(screen.shown(line), indent="  ", first=""))


def _take_over_here(context: Context, *, takes_over: bool) -> int:
    """Take over the home that stands in its place, and say what that cost."""
    if not takes_over:
        raise UsageError(
            "name a backup, or --take-over for the home that stands there", hint="nightledger restore FILE"
        )
    loss = take_over_here(context)
    context.emit(
        {"home": context.home_path, "machine": this_machine(), "size": loss.stands.size, "lost": loss.lost}
    )
    text = f"{this_machine()} writes {context.home_path}; nothing that this machine had seen is missing."
    if loss.must_be_signed:
        text = (
            f"Signed: the log of {loss.stands.size} entries that stands in {context.home_path} is the home's, and {loss.lost} that "
            "this machine had seen are lost. The log tells of it for ever. What was approved and not applied is asked "
            "again; a key that was revoked in the lost part signs again: 'nightledger key list' shows who may."
        )
    _print(context, [text])
    return 0

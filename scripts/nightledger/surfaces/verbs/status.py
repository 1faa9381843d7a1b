"""What waits, what cools, what can be undone, what ran, what is wrong: one screen.

It checks all that 'verify' checks, or that no file has changed since it last did and found nothing wrong.

Reads   audit/, memory/, the gated files, the pin in $NIGHTLEDGER_KEYS
Writes  looked.json beside that pin: how the files looked when all was well
Changes no memory.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``status``."""
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help="exit with 3 when something waits for the operator (with 4 on an alarm of 'verify' always)",
    )
    parser.add_argument("--held", action="store_true", help="list all that scanners held back, and no more")


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the screen."""
    from nightledger.domain.errors import EXIT_ALARM, EXIT_WAITING
    from nightledger.surfaces.status import look
    from nightledger.surfaces.status_text import held_lines, status_lines, status_record

    status = look(context)
    context.emit(status_record(status))
    context.print_lines(held_lines(status) if options.held else status_lines(status, context.short))
    if status.alarmed:
        return EXIT_ALARM
    return EXIT_WAITING if options.exit_code and status.waits else 0

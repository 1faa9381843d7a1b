"""What waits, what cools, what can be undone, what ran, what is wrong: one screen.

Reads   audit/, memory/system/runs.jsonl, the gated files, the pin in
        $NIGHTLEDGER_KEYS
Changes no memory, and writes nothing at all.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``status``."""
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help="exit with 3 when something waits for the operator, with 4 on an integrity alarm",
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the screen."""
    from nightledger.domain.errors import EXIT_ALARM, EXIT_WAITING
    from nightledger.surfaces.status import look
    from nightledger.surfaces.status_text import status_lines, status_record

    status = look(context)
    context.emit(status_record(status))
    for line in status_lines(status):
        context.print(line)
    if not options.exit_code:
        return 0
    return EXIT_ALARM if status.alarmed else EXIT_WAITING if status.waits else 0

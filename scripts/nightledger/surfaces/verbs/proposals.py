"""List proposals and their states.

Reads   memory/state/proposals/, audit/
Changes no memory.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``proposals``."""
    parser.add_argument("--all", action="store_true", help="those that are closed, too")
    parser.add_argument(
        "--exit-code", action="store_true", help="exit with 3 when something waits for the operator"
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the list."""
    from nightledger.domain.errors import EXIT_WAITING
    from nightledger.domain.judge import EDIT_LANE
    from nightledger.gate.stored import read_stored
    from nightledger.surfaces import screen
    from nightledger.surfaces.listing import proposal_record
    from nightledger.surfaces.session import reading

    with reading(context) as session:
        book = session.ledger.book
        records = [
            proposal_record(session.gate, book, item.proposal, session.moment.at)
            for item in read_stored(session.gate, book)
        ]
        shown = [
            record
            for record in records
            if options.all or record["state"] in ("pending", "stale", "deferred", "approved", "cooling")
        ]
        context.emit(shown)
        for record in shown:
            context.print(f"{record['id']}  {record['state']:<9} {len(record['changes'])} change(s)")
            for line in screen.wrap(screen.shown(record["title"]), indent="    ", first="    "):
                context.print(line)
        if not shown:
            context.print("Nothing waits." if not options.all else "Nothing was ever proposed.")
        waits = any(status.open_changes() for status in book.proposals.values() if status.lane != EDIT_LANE)
    return EXIT_WAITING if options.exit_code and waits else 0

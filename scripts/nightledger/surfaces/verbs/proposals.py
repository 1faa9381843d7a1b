"""List proposals and their states.

Reads   memory/state/proposals/, audit/
Changes no memory.
"""

import argparse
from typing import TYPE_CHECKING

from nightledger.surfaces.context import Context

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nightledger.surfaces.session import Session

_WAITING = ("pending", "stale", "deferred")
_SIGNED = ("approved", "cooling")
_TOLD = {
    "altered": "its file is not what was logged: put it back from a backup; 'nightledger verify' names it",
    "expired": "nobody answered it before newer drift took its place; its file went when nothing needed it",
    "expunged": "it held a text that the operator had removed for ever",
}
"""What is said of a proposal whose file is not to be had, by its state."""


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
    from nightledger.surfaces import screen
    from nightledger.surfaces.listing import ALTERED
    from nightledger.surfaces.session import reading

    with reading(context) as session:
        shown = list(_records(session, closed=options.all))
    context.emit(shown)
    for record in shown:
        altered = record["state"] in _TOLD
        count = "set aside" if record["state"] == ALTERED else f"{len(record['changes'])} change(s)"
        context.print(f"{record['id']}  {record['state']:<9} {count}")
        told = _TOLD[record["state"]] if altered else record["title"]
        for line in screen.wrap(screen.shown(told), indent="    ", first="    "):
            context.print(line)
    if not shown:
        context.print("Nothing waits." if not options.all else "Nothing was ever proposed.")
    waits = any(record["state"] in _WAITING and record["lane"] != EDIT_LANE for record in shown)
    return EXIT_WAITING if options.exit_code and waits else 0


def _records(session: "Session", *, closed: bool) -> "Iterator[dict[str, Any]]":
    """Give what is shown; the files of what is closed are not looked at unless they are asked for."""
    from nightledger.domain.errors import AlteredError
    from nightledger.gate.stored import read_proposal
    from nightledger.surfaces.listing import proposal_record, set_aside_record, state_of

    gate, book, now = session.gate, session.ledger.book, session.moment.at
    for status in book.proposals.values():
        if not closed and state_of(gate, book, status, now) not in (*_WAITING, *_SIGNED):
            continue
        try:
            proposal = read_proposal(gate, status).proposal
        except AlteredError:
            yield set_aside_record(book, status)
        else:
            yield proposal_record(gate, book, proposal, now)

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

    from nightledger.domain.proposal import Proposal
    from nightledger.domain.states import ProposalStatus
    from nightledger.surfaces.session import Session

_WAITING = ("pending", "stale", "deferred")
_SIGNED = ("approved", "cooling")
_ALTERED = "its file is not what was logged: put it back from a backup, or close it with 'nightledger reject'"
_CLOSED = "its file is not what was logged, and you closed it"


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
        given_up = session.ledger.book.closed()
    context.emit(shown)
    for record in shown:
        altered = record["state"] == ALTERED
        count = "set aside" if altered else f"{len(record['changes'])} change(s)"
        context.print(f"{record['id']}  {record['state']:<9} {count}")
        told = (_CLOSED if record["id"] in given_up else _ALTERED) if altered else record["title"]
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
    from nightledger.gate.told import told_at_home
    from nightledger.surfaces.listing import proposal_record, set_aside_record, state_of

    gate, book, now = session.gate, session.ledger.book, session.moment.at
    found: list[tuple[ProposalStatus, Proposal | None]] = []
    for status in book.proposals.values():
        if not closed and state_of(gate, book, status, now) not in (*_WAITING, *_SIGNED):
            continue
        try:
            found.append((status, read_proposal(gate, status).proposal))
        except AlteredError:
            found.append((status, None))
    told = told_at_home(gate.home, [proposal for _, proposal in found if proposal])
    for status, proposal in found:
        if proposal is None:
            yield set_aside_record(status)
        else:
            yield proposal_record(gate, book, proposal, now, told=told)

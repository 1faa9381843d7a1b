"""List proposals and their states.

Reads   memory/state/proposals/, audit/
Changes no memory.
"""

import argparse
from dataclasses import dataclass
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
_GONE = {
    "expired": "nobody answered it before newer drift took its place; its file went when nothing needed it",
    "expunged": "it held a text that the operator had removed for ever",
}
"""What is said of a proposal whose file was removed, by its state."""
_ALTERED = "its file is not what was logged: put it back from a backup, or close it with 'nightledger reject'"
_CLOSED = "its file is not what was logged, and you closed it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``proposals``."""
    parser.add_argument("--all", action="store_true", help="those that are closed, too")
    parser.add_argument(
        "--exit-code", action="store_true", help="exit with 3 when something waits for the operator"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One proposal of the list.

    Attributes:
        status: What the log says of it.
        state: The word for it.
        proposal: Its file; None where that is not what was logged.
    """

    status: "ProposalStatus"
    state: str
    proposal: "Proposal | None"


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the list."""
    from nightledger.domain.errors import EXIT_WAITING
    from nightledger.domain.judge import EDIT_LANE
    from nightledger.gate.proposing.told import told_at_home
    from nightledger.surfaces import screen
    from nightledger.surfaces.session import reading

    with reading(context) as session:
        listed = list(_listed(session, closed=options.all))
    told = told_at_home(session.gate.home, [one.proposal for one in listed if one.proposal])
    if context.json:
        context.emit([_record(session, one, told) for one in listed])
    else:
        given_up = session.ledger.book.closed()
        rows = [(one, *_told(one, told, given_up)) for one in listed]
        context.print_lines(_table(rows) if screen.terminal() and rows else _lines(rows))
    if not listed:
        context.print("Nothing waits." if not options.all else "Nothing was ever proposed.")
    waits = any(one.state in _WAITING and one.status.lane != EDIT_LANE for one in listed)
    return EXIT_WAITING if options.exit_code and waits else 0


def _listed(session: "Session", *, closed: bool) -> "Iterator[Listed]":
    """Give what is shown; the files of what is closed are not looked at unless they are asked for."""
    from nightledger.domain.errors import AlteredError
    from nightledger.gate.stored import read_proposal
    from nightledger.surfaces.listing import set_aside_state, state_of

    gate, book, now = session.gate, session.ledger.book, session.moment.at
    for status in book.proposals.values() if closed else book.live():
        state = state_of(gate, book, status, now)
        if not closed and state not in (*_WAITING, *_SIGNED):
            continue
        try:
            yield Listed(status=status, state=state, proposal=read_proposal(gate, status).proposal)
        except AlteredError:
            yield Listed(status=status, state=set_aside_state(book, status), proposal=None)


def _record(session: "Session", one: Listed, told: frozenset[str]) -> "dict[str, Any]":
    from nightledger.surfaces.listing import proposal_record, set_aside_record

    if one.proposal is None:
        return set_aside_record(session.ledger.book, one.status)
    return proposal_record(session.gate, session.ledger.book, one.proposal, session.moment.at, told=told)


def _told(one: Listed, told: frozenset[str], given_up: frozenset[str]) -> tuple[str, str]:
    """Give how many changes a proposal has, and its title or what is to be said of it."""
    from nightledger.surfaces import screen

    if one.proposal:
        return f"{len(one.proposal.changes)} change(s)", screen.shown(one.proposal.title, told=told)
    if one.state in _GONE:
        return "0 change(s)", _GONE[one.state]
    return "set aside", _CLOSED if one.status.id in given_up else _ALTERED


def _table(rows: list[tuple[Listed, str, str]]) -> list[str]:
    from nightledger.surfaces import screen
    from nightledger.surfaces.table import GAP, table

    left = 10 + GAP + max(len(one.state) for one, _, _ in rows) + GAP
    told = (screen.wrap(f"{count}: {text}", indent="  ", first="", less=left) for _, count, text in rows)
    cells = (
        (one.status.id[:10], one.state, "\n".join(what)) for (one, _, _), what in zip(rows, told, strict=True)
    )
    return table(cells, "cyan", "", "", heads=("id", "state", "what"))


def _lines(rows: list[tuple[Listed, str, str]]) -> "Iterator[str]":
    from nightledger.surfaces import screen

    for one, count, text in rows:
        yield f"{one.status.id}  {one.state:<9} {count}"
        yield from screen.wrap(text, indent="    ", first="    ")

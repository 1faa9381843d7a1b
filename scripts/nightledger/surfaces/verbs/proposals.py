"""List proposals and their states.

Reads   memory/state/proposals/, audit/
Writes  the audit log, with --ask-again
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
    from nightledger.domain.states import Book, ProposalStatus
    from nightledger.surfaces.session import Session

_WAITING = ("pending", "stale", "deferred")
_SIGNED = ("approved", "cooling")
_EXPUNGED = "it held a text that the operator had removed for ever"
_ALTERED = "its file is not what was logged: put it back from a backup, or close it with 'nightledger reject'"
_CLOSED = "its file is not what was logged, and you closed it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``proposals``."""
    parser.add_argument("--all", action="store_true", help="those that are closed, too")
    parser.add_argument(
        "--ask-again",
        metavar="HEADING",
        help="propose from a heading again that you refused; 'status' names them",
    )
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
        answers: What became of its changes.
    """

    status: "ProposalStatus"
    state: str
    proposal: "Proposal | None"
    answers: "list[dict[str, Any]]"


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the list."""
    from nightledger.domain.errors import EXIT_WAITING
    from nightledger.domain.judge import EDIT_LANE
    from nightledger.gate.proposing.told import told_at_home
    from nightledger.surfaces.session import reading

    if options.ask_again is not None:
        return _ask_again(context, options.ask_again)
    with reading(context) as session:
        listed = list(_listed(session, closed=options.all))
    told = told_at_home(session.gate.home, [one.proposal for one in listed if one.proposal])
    if context.json:
        context.emit([_record(session, one, told) for one in listed])
    else:
        for one in listed:
            for line in _lines(one, told, session.ledger.book):
                context.print(line)
    if not listed:
        context.print("Nothing waits." if not options.all else "Nothing was ever proposed.")
    waits = any(one.state in _WAITING and one.status.lane != EDIT_LANE for one in listed)
    return EXIT_WAITING if options.exit_code and waits else 0


def _listed(session: "Session", *, closed: bool) -> "Iterator[Listed]":
    """Give what is shown; the files of what is closed are not looked at unless they are asked for."""
    from nightledger.domain.errors import AlteredError
    from nightledger.gate.stored import read_proposal
    from nightledger.gate.review.answers_given import answers_given, read_causes
    from nightledger.surfaces.listing import set_aside_state, state_of

    causes = read_causes(session.ledger.log.events)
    gate, book, now = session.gate, session.ledger.book, session.moment.at
    for status in book.proposals.values() if closed else book.live():
        state = state_of(gate, book, status, now)
        if not closed and state not in (*_WAITING, *_SIGNED):
            continue
        answers = answers_given(gate, session.ledger, status, causes)
        try:
            proposal = read_proposal(gate, status).proposal
            yield Listed(status=status, state=state, proposal=proposal, answers=answers)
        except AlteredError:
            aside = set_aside_state(book, status)
            yield Listed(status=status, state=aside, proposal=None, answers=answers)


def _record(session: "Session", one: Listed, told: frozenset[str]) -> "dict[str, Any]":
    from nightledger.surfaces.listing import proposal_record, set_aside_record

    more = {"waiting": list(one.status.open_changes()), "answers": one.answers}
    book = session.ledger.book
    if one.proposal is None:
        return set_aside_record(book, one.status) | more
    return proposal_record(session.gate, book, one.proposal, session.moment.at, told=told) | more


def _lines(one: Listed, told: frozenset[str], book: "Book") -> "Iterator[str]":
    from nightledger.surfaces import screen
    from nightledger.gate.review.answers_given import answer_texts

    all_of, waits, gone_at = len(one.status.changes), len(one.status.open_changes()), None
    count = f"{all_of} change(s)" if waits in (0, all_of) else f"{waits} of {all_of} changes wait"
    if one.proposal:
        text = screen.shown(one.proposal.title, told=told)
    elif one.status.sha256 in book.gone:
        gone_at = book.gone_at[one.status.sha256]
        text = _EXPUNGED if one.state == "expunged" else ""
    else:
        count, text = "set aside", _CLOSED if one.status.id in book.closed() else _ALTERED
    yield f"{one.status.id}  {one.state:<9} {count}"
    texts = [text, *answer_texts(one.answers, all_of)]
    texts += [f"its text went on {gone_at:%Y-%m-%d}, when nothing needed it"] if gone_at and not text else []
    for line in filter(None, texts):
        yield from screen.wrap(screen.shown(line, told=told), indent="      ", first="    ")


def _ask_again(context: Context, name: str) -> int:
    """Log that a heading is asked about again.

    Raises:
        RefusedError: It is asked about as it is.
    """
    from nightledger.domain.errors import RefusedError
    from nightledger.domain.event import EventName
    from nightledger.gate.opening import record
    from nightledger.gate.proposing.unasked import find_unasked, hash_of, key_of
    from nightledger.surfaces import screen
    from nightledger.surfaces.session import writing

    with writing(context, person=True) as session:
        unasked = {key_of(one.name) for one in find_unasked(session.gate, session.ledger.book)}
        if key_of(name) not in unasked:
            raise RefusedError(
                f"nothing is held back from {name!r}", hint="'nightledger status' names what is"
            )
        record(session.gate, [(EventName.ASKED_AGAIN, {"sha256": hash_of(name)})], session.moment)
    context.emit({"asked_again": name})
    for line in screen.wrap(f"From the next night on {screen.shown(name)!r} is proposed from again."):
        context.print(line)
    return 0

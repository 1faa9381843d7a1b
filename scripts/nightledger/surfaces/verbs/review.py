"""Read what is proposed, answer, sign once.

Reads   memory/state/proposals/, the gated files, audit/
Writes  audit/decisions/ and the audit log, after one signature
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse
from collections.abc import Iterator

from nightledger.gate.gated import why_unreadable
from nightledger.gate.integrity.checking import find_drift
from nightledger.gate.review import held_back
from nightledger.gate.review.reviewing import Item, list_items, read_documents
from nightledger.gate.stored import find_set_aside, find_status
from nightledger.surfaces import screen
from nightledger.surfaces import session as sessions
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.listing import item_record
from nightledger.surfaces.questions import keeping, questions_of, tell_unsigned
from nightledger.surfaces.session import Session
from nightledger.surfaces.settling import settle, tell_settled

AGAIN = "nightledger review"
OPTIONS = {
    "id": {"nargs": "?", "help": "only this proposal"},
    "--remote": ("NAME", "what waits on another machine ('channel peer list' names those known)"),
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Show what waits; on a terminal ask for answers and sign them."""
    if options.remote:
        from nightledger.remote.reviewing import review_remote

        return review_remote(context, options.remote)
    asks = context.interactive() and not context.json
    with sessions.reading(context, person=asks) as session:
        book = session.ledger.book
        items = list_items(session.gate, session.ledger, read_documents(session.gate))
        if options.id is not None:
            wanted = find_status(book, options.id).id
            items = [item for item in items if item.stored.proposal.id == wanted]
        _open(context, session, items)
        if asks:
            return _ask_and_sign(context, session, items)
        context.emit([item_record(item) for item in items])
        for at, item in enumerate(items, 1):
            context.print_lines(screen.item_lines(item, at, len(items)))
            context.print(f"  id: {context.short(item.stored.proposal.id)}#{item.change.n}\n")
        if items:
            say(context, "To answer, run 'nightledger review' on a terminal, or 'nightledger approve ID'.")
    return 0


def _open(context: Context, session: Session, items: list[Item]) -> None:
    say(context, *_notices(session, items, guided=context.guided), indent=screen.INSIDE)
    proposals = {item.stored.proposal.id: item.stored.proposal for item in items}
    for name, proposal in proposals.items():
        which = f"{name}, " if len(proposals) > 1 else "Size: "
        if sizes := screen.meter(proposal):
            say(context, which + sizes, indent="    ", first="  ")
    if items:
        context.print()


def _notices(session: Session, items: list[Item], *, guided: bool) -> Iterator[str]:
    home, book = session.gate.home, session.ledger.book
    if home.identity.simulated:
        yield "This is a simulated home: its clock is whatever --now says."
    for name in find_set_aside(home, book):
        yield (
            f"! {name} was altered after it was proposed and is set aside; 'nightledger verify' names its file. "
            f"Put it back from a backup, or close it: nightledger reject {name} --reason ..."
        )
    yield from () if guided else held_back.notices(home, session.ledger.log.events)
    drifted, unseen = find_drift(home, book), False
    for path in home.identity.gated:
        if why := why_unreadable(home, path):
            yield f"! {path} cannot be read, and nothing about it can be signed: {why}"
        elif path in drifted and book.open_drift(path) is None:
            unseen = True
            yield (
                f"{path} was changed outside Nightledger since it was last signed, and no item asks about it yet: "
                "'nightledger guard' makes one."
            )
        elif path in drifted and items:
            yield f"{path} was changed outside Nightledger since it was last signed: that comes first."
    if not items:
        yield "Nothing else waits for you." if unseen else "Nothing waits for you."
        return
    proposals = {item.stored.proposal.id for item in items}
    yield f"{len(items)} change(s) in {len(proposals)} proposal(s) wait for you."


def _ask_and_sign(context: Context, session: Session, items: list[Item]) -> int:
    questions = questions_of(context, session, items)
    with keeping(questions, AGAIN):
        answers = questions.ask_all()
        settled = settle(context, session, items, answers)
    if questions.given and not answers:
        tell_unsigned(questions, AGAIN)
        return 0
    questions.keep({})
    tell_settled(context, settled)
    return 1 if settled.refusals else 0

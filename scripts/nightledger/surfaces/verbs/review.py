"""Read what is proposed, answer, sign once.

Reads   memory/state/proposals/, the gated files, audit/
Writes  audit/decisions/ and the audit log, after one signature
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse
from collections.abc import Iterator, Sequence

from nightledger.domain.decision import Decision, DecisionType
from nightledger.gate.gated import why_unreadable
from nightledger.gate.integrity.checking import find_drift
from nightledger.gate.review import held_back
from nightledger.gate.review.reviewing import Item, list_items, read_documents
from nightledger.gate.stored import find_set_aside, find_status
from nightledger.surfaces import screen
from nightledger.surfaces import session as sessions
from nightledger.surfaces.answers import keeping, questions_of, tell_refusals, tell_unsigned
from nightledger.surfaces.context import Context
from nightledger.surfaces.listing import item_record
from nightledger.surfaces.session import Session
from nightledger.surfaces.settling import settle

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
    if context.json or not context.interactive():
        with sessions.reading(context) as session:
            documents = read_documents(session.gate)
            items = _wanted(options, list_items(session.gate, session.ledger, documents), session)
            context.emit([item_record(item) for item in items])
            _show_all(context, session, items)
        return 0
    with sessions.reading(context, person=True) as session:
        return _ask_and_sign(options, context, session)


def _wanted(options: argparse.Namespace, items: list[Item], session: Session) -> list[Item]:
    if options.id is None:
        return items
    wanted = find_status(session.ledger.book, options.id).id
    return [item for item in items if item.stored.proposal.id == wanted]


def _show_all(context: Context, session: Session, items: list[Item]) -> None:
    _opening(context, session, items)
    for at, item in enumerate(items, 1):
        context.print_lines(screen.item_lines(item, at, len(items)))
        context.print(f"  id: {item.stored.proposal.id}#{item.change.n}")
        context.print()
    if items:
        how = "To answer, run 'nightledger review' on a terminal, or 'nightledger approve ID'."
        context.print_lines(screen.wrap(how, indent="  ", first=""))


def _opening(context: Context, session: Session, items: list[Item]) -> None:
    for text in _notices(session, items, guided=context.guided):
        context.print_lines(screen.wrap(screen.shown(text), indent=screen.INSIDE, first=""))
    proposals = {item.stored.proposal.id: item.stored.proposal for item in items}
    for name, proposal in proposals.items():
        which = f"{name[:8]}, " if len(proposals) > 1 else "Size: "
        if sizes := screen.meter(proposal):
            context.print_lines(screen.wrap(which + sizes, indent="    ", first="  "))
    if items:
        context.print()


def _notices(session: Session, items: list[Item], *, guided: bool) -> Iterator[str]:
    home, book = session.gate.home, session.ledger.book
    if home.identity.simulated:
        yield "This is a simulated home: its clock is whatever --now says."
    for name in find_set_aside(home, book):
        yield (
            f"! {name} was altered after it was proposed and is set aside; 'nightledger verify' names its file. "
            f"Put it back from a backup, or close it: nightledger reject {name[:10]} --reason ..."
        )
    yield from () if guided else held_back.notices(home, session.ledger.log.events)
    drifted, unseen = find_drift(home, book), False
    for path in home.identity.gated:
        if why := why_unreadable(home, path):
            yield f"! {path} cannot be read, and nothing about it can be signed: {why}"
        elif path in drifted and book.open_drift(path) is None:
            unseen = True
            yield (
                f"Drift: {path} is not as it was last signed, and no item asks about it yet: 'nightledger guard' "
                "makes one, and 'nightledger review' on a terminal does while no other run is at work."
            )
        elif path in drifted and items:
            yield f"Drift: {path} is not as it was last signed: what was changed outside the gate comes first."
    if not items:
        yield "Nothing else waits for you." if unseen else "Nothing waits for you."
        return
    proposals = {item.stored.proposal.id for item in items}
    yield f"{len(items)} change(s) in {len(proposals)} proposal(s) wait for you."


def _ask_and_sign(options: argparse.Namespace, context: Context, session: Session) -> int:
    documents = read_documents(session.gate)
    items = _wanted(options, list_items(session.gate, session.ledger, documents), session)
    _opening(context, session, items)
    questions = questions_of(context, session, items)
    with keeping(questions, AGAIN):
        answers = questions.ask_all()
        settled = settle(context, session, items, answers)
    if questions.given and not answers:
        tell_unsigned(questions, AGAIN)
        return 0
    questions.keep({})
    tell_refusals(context, settled.refusals)
    report_signed(context, settled.decisions)
    return 1 if settled.refusals else 0


def report_signed(context: Context, decisions: Sequence[Decision]) -> None:
    """Say what was signed and when it can be applied."""
    for decision in decisions:
        if decision.type is DecisionType.DRIFT:
            path = screen.shown(decision.targets[0].path)
            context.print_lines(
                screen.wrap(f"Settled {path}: {_kept(decision)}.", indent=screen.INSIDE, first="")
            )
    approved = [decision for decision in decisions if decision.type is DecisionType.APPROVE]
    rejected = sum(len(d.changes) for d in decisions if d.type is DecisionType.REJECT)
    if rejected:
        context.print(f"Rejected {rejected} change(s).")
    if approved:
        count = sum(len(decision.changes) for decision in approved)
        when = max(decision.not_before for decision in approved)
        applies = "" if context.guided else "; 'nightledger apply' then applies them"
        told = f"Signed {count} change(s). They cool until {when:%Y-%m-%d %H:%M} UTC{applies}."
        context.print_lines(screen.wrap(told, indent="  ", first=""))


def _kept(decision: Decision) -> str:
    """Say what was kept of what had drifted in one file, and what was not."""
    if not decision.changes:
        return "took back every change that you answered"
    took = decision.targets[0].base != decision.targets[0].result
    return f"kept {len(decision.changes)} change(s){', the rest you answered was taken back' if took else ''}"

"""Read what is proposed, answer, sign once.

Reads   memory/state/proposals/, the gated files, audit/
Writes  audit/decisions/ and the audit log, after one signature
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial

from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.gated import why_unreadable
from nightledger.gate.integrity.checking import find_drift
from nightledger.gate.review.choices import counts_of
from nightledger.gate.review.draft import keep_draft, read_draft
from nightledger.gate.review.noted_under import heading_of
from nightledger.gate.review.reviewing import Answer, Item, list_items, read_documents
from nightledger.gate.stored import find_set_aside, find_status
from nightledger.surfaces import evidence, held_back, screen
from nightledger.surfaces import session as sessions
from nightledger.surfaces.context import Context
from nightledger.surfaces.editing import revise_change
from nightledger.surfaces.listing import item_record
from nightledger.surfaces.questions import Questions
from nightledger.surfaces.session import Session
from nightledger.surfaces.settling import settle

KEPT = "your answers are kept; 'nightledger review' takes them up"
OPTIONS = {
    "id": {"nargs": "?", "help": "only this proposal"},
    "--remote": ("NAME", "what waits on another machine ('channel peer list' names those known)"),
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Show what waits; on a terminal ask for answers and sign them."""
    if options.remote:
        from nightledger.surfaces.channel.remote_review import review_remote

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
    for text in _notices(session, items):
        context.print_lines(screen.wrap(screen.shown(text), indent=screen.INSIDE, first=""))
    proposals = {item.stored.proposal.id: item.stored.proposal for item in items}
    for name, proposal in proposals.items():
        which = f"{name[:8]}, " if len(proposals) > 1 else "Size: "
        if sizes := screen.meter(proposal):
            context.print_lines(screen.wrap(which + sizes, indent="    ", first="  "))
    if items:
        context.print()


def _notices(session: Session, items: list[Item]) -> Iterator[str]:
    home, book = session.gate.home, session.ledger.book
    if home.identity.simulated:
        yield "This is a simulated home: its clock is whatever --now says."
    for name in find_set_aside(home, book):
        yield (
            f"! {name} was altered after it was proposed and is set aside; 'nightledger verify' names its file. "
            f"Put it back from a backup, or close it: nightledger reject {name[:10]} --reason ..."
        )
    yield from held_back.notices(home, session.ledger.log.events)
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
    questions = questions_of(context, session, items, only=options.id is not None)
    with keeping(questions):
        answers = questions.ask_all()
        settled = settle(context, session, items, answers)
    if questions.given and not answers:
        told = f"Nothing was signed{f'; {KEPT}' if questions.kept else ''}."
        context.print_lines(screen.wrap(told, indent="  ", first=""))
        return 0
    questions.keep({})
    for refusal in settled.refusals:
        told = f"not signed: {refusal.proposal}: {screen.shown(refusal.reason)}"
        context.print_lines(screen.wrap(told, indent=screen.INSIDE, first=""))
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
        told = f"Signed {count} change(s). They cool until {when:%Y-%m-%d %H:%M} UTC; 'nightledger apply' then applies them."
        context.print_lines(screen.wrap(told, indent="  ", first=""))


def _kept(decision: Decision) -> str:
    """Say what was kept of what had drifted in one file, and what was not."""
    if not decision.changes:
        return "took back every change that you answered"
    took = decision.targets[0].base != decision.targets[0].result
    return f"kept {len(decision.changes)} change(s){', the rest you answered was taken back' if took else ''}"


def questions_of(context: Context, session: Session, items: list[Item], *, only: bool) -> Questions:
    """Give the questions about some items, with the answers that an earlier review left unsigned.

    Whatever ends a review, an interrupt or a wrong passphrase, what was answered is asked no second time.

    Args:
        context: The command's surroundings.
        session: The home, as shown.
        items: What is asked about.
        only: Whether other proposals wait that are not asked about.
    """
    gate = session.gate

    def more(item: Item) -> list[str]:
        expunged = read_forgotten(gate, (), session.ledger.book).expunged
        return evidence.lines(gate.home, item.change, told=item.told, expunged=expunged)

    def keep(given: Mapping[int, Answer]) -> bool:
        try:
            keep_draft(gate, items, given, only=only)
        except (NightledgerError, OSError) as error:
            context.note(f"what you answer cannot be kept until it is signed: {error}")
            return False
        return True

    heading = cache(partial(heading_of, gate.home))
    given, changed = read_draft(gate, items)
    questions = Questions(
        context=context,
        items=items,
        more=more,
        given=given,
        keep=keep,
        edit=lambda item: revise_change(context, item),
        heading=lambda item: heading(item.change.evidence),
    )
    taken_up = f"Taken up from your last review: {counts_of(items, given)}; b goes back to them."
    asked_again = f"Changed since you answered, so asked again: {changed}."
    for text in [taken_up] * bool(given) + [asked_again] * bool(changed):
        context.print_lines(screen.wrap(text, indent="  ", first=""))
    return questions


@contextmanager
def keeping(questions: Questions) -> Iterator[None]:
    """Tell, whatever ends a review, that what was answered is kept.

    Raises:
        RefusedError: The operator interrupted it.
    """
    try:
        yield
    except (KeyboardInterrupt, EOFError, NightledgerError) as error:
        if not (questions.given and questions.kept):
            raise
        if not isinstance(error, NightledgerError):
            raise RefusedError("interrupted", hint=KEPT) from None
        error.hint = f"{error.hint}; {KEPT}" if error.hint else KEPT
        raise

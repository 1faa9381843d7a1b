"""Take an applied change back, within 7 days, at once; later edits survive.

Reads   audit/, the gated files
Writes  the gated files, audit/decisions/, the audit log
Changes memory: the operator signs it here.
"""

import argparse

from nightledger.domain.errors import FileChangedError
from nightledger.gate.apply.undoing import Undo, plan_undo, reversal, undo_choice
from nightledger.gate.apply.writing import write_all
from nightledger.gate.proposing.proposing import propose
from nightledger.gate.review.composing import make_decision
from nightledger.gate.review.reviewing import read_documents
from nightledger.gate.stored import find_status
from nightledger.surfaces import signing
from nightledger.surfaces.answering import parse_numbers
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, following, reading, writing
from nightledger.surfaces.undo_text import undo_rows
from nightledger.text.changes.masked import mask_diff


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``undo``."""
    parser.add_argument(
        "id", help="the proposal, or PROPOSAL#N (also PROPOSAL:N, which make can pass) for one of its changes"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what it would change, and change nothing"
    )
    parser.add_argument(
        "--diff", action="store_true", help="print every line of the diff, also where it is long"
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Show the diff, sign, and take it back; or propose a reversal."""
    name, _, number = options.id.replace(":", "#").partition("#")
    only = parse_numbers(number) if number else ()
    with reading(context, person=True) as seen:
        undo = _plan(seen, name, only)
        context.print_lines(undo_rows(undo, in_full=options.diff))
    if options.dry_run:
        context.emit(
            {
                "proposal": undo.status.id,
                "changes": list(undo.changes),
                "diff": mask_diff(undo.diff),
                "problem": undo.problem,
            }
        )
        context.print(undo.problem or "Nothing was changed (--dry-run).")
        return 0
    if not undo.problem:
        return _undo(context, seen, undo)
    with writing(context, person=True) as session:
        return _propose_reversal(context, session, undo)


def _plan(session: Session, name: str, only: tuple[int, ...]) -> Undo:
    status = find_status(session.ledger.book, name)
    return plan_undo(session.gate, session.ledger, status, only, session.moment)


def _undo(context: Context, seen: Session, shown: Undo) -> int:
    signer = signing.unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        undo = _plan(session, shown.status.id, shown.changes)
        if undo.problem or undo_choice(undo) != undo_choice(shown):
            raise FileChangedError("what it would change is not what was shown any more; nothing was signed")
        decision = make_decision(session.gate, undo.status, undo_choice(undo), signing.prepare(session))
        accepted = signing.sign_all(session, [decision], signer)[0]
        write_all(session.gate, accepted, accepted.changes, undo.writes, session.moment)
        if undo.brings_links:
            from nightledger.surfaces.rebuild import relink

            with following(context):
                relink(session)
    numbers = ", ".join(map(str, undo.changes))
    context.emit({"decision": accepted.id, "proposal": undo.stored.proposal.id, "undone": list(undo.changes)})
    context.print(f"Took back change {numbers} of {undo.stored.proposal.id}.")
    return 0


def _propose_reversal(context: Context, session: Session, undo: Undo) -> int:
    submission = reversal(undo, read_documents(session.gate))
    outcome = propose(session.gate, session.ledger, submission, session.moment)
    made = outcome.proposal.id if outcome.proposal else None
    context.emit({"proposal": undo.stored.proposal.id, "problem": undo.problem, "reversal": made})
    context.print(f"It cannot be taken back in place: {undo.problem}.")
    if made:
        context.print(f"The reversal waits as {made}: 'nightledger review'.")
    elif outcome.suppressed:
        context.print("Its reversal waits already: 'nightledger review'.")
    elif outcome.held:
        context.print("What it would bring back holds a secret or hidden text, which never comes back.")
    else:
        context.print(
            "What it put in is no longer there as it was; 'nightledger edit' changes the file by hand."
        )
    return 0 if made else 1

"""Take an applied change back, within 7 days, at once; later edits survive.

Reads   audit/, the gated files
Writes  the gated files, audit/decisions/, the audit log
Changes memory: the operator signs it here.
"""

import argparse

from nightledger.domain.errors import FileChangedError
from nightledger.domain.words import numbered
from nightledger.gate.deciding import decide, terms_of
from nightledger.gate.proposing import propose
from nightledger.gate.reviewing import Documents
from nightledger.gate.stored import find_status
from nightledger.gate.undoing import Undo, plan_undo, reversal, undo_choice
from nightledger.gate.writing import write_all
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, following, reading, writing
from nightledger.surfaces.verbs.approve import parse_numbers
from nightledger.text.scanners.scan import mask_diff


def run(options: argparse.Namespace, context: Context) -> int:
    """Show the diff, sign, and take it back; or propose a reversal."""
    name, _, number = options.id.replace(":", "#").partition("#")
    only = parse_numbers(number) if number else ()
    with reading(context, person=True) as seen:
        undo = _plan(seen, name, only)
        context.print_lines(screen.diff_lines(undo.diff))
    if options.dry_run:
        record = {"proposal": undo.status.id, "changes": list(undo.changes)}
        context.emit({**record, "diff": mask_diff(undo.diff), "problem": undo.problem})
        say(context, undo.problem or "Nothing was changed (--dry-run).")
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
        decision = decide(terms_of(session.gate), undo_choice(undo), signing.prepare(session), undo.status)
        accepted = signing.sign_all(session, [decision], signer)[0]
        write_all(session.gate, accepted, accepted.changes, undo.writes, session.moment)
        if undo.brings_links:
            from nightledger.surfaces.rebuilding import relink

            with following(context):
                relink(session)
    name = undo.stored.proposal.id
    context.emit({"decision": accepted.id, "proposal": name, "undone": list(undo.changes)})
    say(context, f"Took back {numbered(undo.changes)} of {name}.")
    return 0


def _propose_reversal(context: Context, session: Session, undo: Undo) -> int:
    submission = reversal(undo, Documents(session.gate))
    outcome = propose(session.gate, session.ledger, submission, session.moment)
    session.reread()
    made = outcome.proposal.id if outcome.proposal else None
    context.emit({"proposal": undo.stored.proposal.id, "problem": undo.problem, "reversal": made})
    if made:
        then = f"The reversal waits as {made}: 'nightledger review'."
    elif outcome.suppressed:
        then = "Its reversal waits already: 'nightledger review'."
    elif outcome.held:
        then = "What it would bring back holds a secret or hidden text, which never comes back."
    else:
        then = "What it put in is no longer there as it was; 'nightledger edit' changes the file by hand."
    say(context, f"It cannot be taken back in place: {undo.problem}.", then)
    return 0 if made else 1

"""Take an applied change back, within 7 days, at once; later edits survive.

Reads   audit/, the gated files
Writes  the gated files, audit/decisions/, the audit log
Changes memory: the operator signs it here.
"""

import argparse
from collections.abc import Iterator, Sequence

from nightledger.domain.errors import FileChangedError
from nightledger.domain.kept import is_copy
from nightledger.domain.proposal import Op
from nightledger.gate.apply.giving_back import link_back, undo_diff
from nightledger.gate.apply.undoing import Undo, plan_undo, reversal, undo_choice
from nightledger.gate.apply.writing import Write, write_all
from nightledger.gate.proposing.proposing import propose
from nightledger.gate.review.composing import make_decision
from nightledger.gate.review.reviewing import read_documents
from nightledger.gate.stored import find_status
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.session import Session, following, reading, writing
from nightledger.surfaces.verbs.approve import parse_numbers
from nightledger.text.changes.masked import mask_diff
from nightledger.text.markdown.document import decode, split_lines

OPTIONS = {
    "id": "the proposal, or PROPOSAL#N (also PROPOSAL:N, which make can pass) for one of its changes",
    "--dry-run": "show what it would change, and change nothing",
    "--diff": "print every line of the diff, also where it is long",
}


MOST_ROWS = 60
"""Lines of a diff that are printed unasked: two screens. Of a longer one, full texts that return are summed up; ``--diff`` prints them."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Show the diff, sign, and take it back; or propose a reversal."""
    name, _, number = options.id.replace(":", "#").partition("#")
    only = parse_numbers(number) if number else ()
    with reading(context, person=True) as seen:
        undo = _plan(seen, name, only)
        context.print_lines(undo_rows(undo, in_full=options.diff))
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
        decision = make_decision(session.gate, undo.status, undo_choice(undo), signing.prepare(session))
        accepted = signing.sign_all(session, [decision], signer)[0]
        write_all(session.gate, accepted, accepted.changes, undo.writes, session.moment)
        if undo.brings_links:
            from nightledger.surfaces.rebuild import relink

            with following(context):
                relink(session)
    name, numbers = undo.stored.proposal.id, ", ".join(map(str, undo.changes))
    context.emit({"decision": accepted.id, "proposal": name, "undone": list(undo.changes)})
    say(context, f"Took back change {numbers} of {name}.")
    return 0


def _propose_reversal(context: Context, session: Session, undo: Undo) -> int:
    submission = reversal(undo, read_documents(session.gate))
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


def undo_rows(undo: Undo, *, in_full: bool) -> Iterator[str]:
    """Give the diff to be read before it is signed; daily logs and the archive in one line where it is long.

    Every line that comes into a gated file, or goes out of one, is printed.

    Args:
        undo: As it was worked out.
        in_full: Print the whole diff, however long it is.
    """
    if in_full or undo.diff.count("\n") <= MOST_ROWS:
        yield from screen.diff_lines(undo.diff)
        return
    yield from _summed_up(undo)
    for write in undo.writes:  # whatever is no full text that returns is never summed up
        if not write.restores and not is_copy(write.path):
            yield from screen.diff_lines(undo_diff(write))
    for change in undo.stored.proposal.changes:
        if change.op is Op.DELETE_LINK and change.n in undo.changes:
            yield from screen.diff_lines(link_back(change))


def _summed_up(undo: Undo) -> Iterator[str]:
    logs = [write for write in undo.writes if write.restores]
    copies = [write for write in undo.writes if is_copy(write.path)]
    told = [f"{_count(len(undo.changes), 'change')}:"]
    if logs:
        lines = _count(sum(len(split_lines(decode(write.after))) for write in logs), "line")
        told.append(f"{_count(len(logs), 'daily log')} again with the full text, {lines}: {_names(logs)}")
    if copies:
        told.append(f"{_count(len(copies), 'full text')} out of the archive: {_names(copies)}")
    if logs or copies:
        told.append("--diff shows every line.")
    for text in told:
        yield from screen.wrap(screen.shown(text), indent="  ", first="")


def _names(writes: Sequence[Write]) -> str:
    paths = sorted(write.path for write in writes)
    return paths[0] if len(paths) == 1 else f"{paths[0]} to {paths[-1]}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

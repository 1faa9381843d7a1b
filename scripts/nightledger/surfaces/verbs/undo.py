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
from nightledger.surfaces.answering import parse_numbers
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, following, reading, writing
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
    for text in _summed_up(undo):
        margin = "  " if text.startswith("  ") else ""
        yield from screen.wrap(screen.shown(text.strip()), indent=margin + "  ", first=margin)
    for diff in _in_full(undo):
        yield from screen.diff_lines(diff)


def _summed_up(undo: Undo) -> Iterator[str]:
    count = len(undo.changes)
    yield f"{count} {'change' if count == 1 else 'changes'} of {undo.stored.proposal.id}:"
    logs = [write for write in undo.writes if write.restores]
    copies = [write for write in undo.writes if is_copy(write.path)]
    if logs:
        lines = sum(len(split_lines(decode(write.after))) for write in logs)
        noun = _count(len(logs), "daily log")
        yield f"  {noun} again with the full text, {_count(lines, 'line')}: {_names(logs)}"
    if copies:
        yield f"  {_count(len(copies), 'full text')} out of the archive: {_names(copies)}"
    if logs or copies:
        yield "--diff shows every line."


def _in_full(undo: Undo) -> Iterator[str]:
    """Give the diffs that are never summed up: of whatever is no full text that returns."""
    for write in undo.writes:
        if not write.restores and not is_copy(write.path):
            yield undo_diff(write)
    for change in undo.stored.proposal.changes:
        if change.op is Op.DELETE_LINK and change.n in undo.changes:
            yield link_back(change)


def _names(writes: Sequence[Write]) -> str:
    paths = sorted(write.path for write in writes)
    return paths[0] if len(paths) == 1 else f"{paths[0]} to {paths[-1]}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

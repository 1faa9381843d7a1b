"""Approve one proposal without the review screen.

Reads   memory/state/proposals/, the gated files, audit/
Writes  audit/decisions/ and the audit log
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse
import re

from msgspec.structs import replace

from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import FileChangedError, RefusedError, UsageError
from nightledger.domain.states import ProposalStatus
from nightledger.domain.words import numbered, show
from nightledger.gate.deciding import decide, terms_of
from nightledger.gate.editing import answer_of
from nightledger.gate.proposing import propose
from nightledger.gate.reviewing import Documents, Item, Verb, changed_lines, items_of, with_shares
from nightledger.gate.stored import find_status, is_altered
from nightledger.gate.undoing import Undo, plan_undo, reversal, undo_choice
from nightledger.gate.writing import write_all
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.listing import diff_sha256 as hash_diffs
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, following, reading, writing
from nightledger.surfaces.signing import close, require_signed, settle, tell_settled
from nightledger.text.scanners.scan import mask_diff


def run(options: argparse.Namespace, context: Context) -> int:
    """Show the diff and sign it."""
    return answer_one(context, options.id, options.only, Verb.APPROVE, diff_sha256=options.diff_sha256)


def run_reject(options: argparse.Namespace, context: Context) -> int:
    """Reject one proposal, with a reason.

    Reads   memory/state/proposals/, audit/
    Writes  audit/decisions/ and the audit log
    Changes no memory. What was rejected returns only with new independent evidence.
    A proposal whose file was altered or lost is closed, all of it: 'verify' then
    names it as a note.
    """
    if not options.reason.strip():
        raise UsageError("the reason is empty", hint="--reason 'true that day only'")
    return answer_one(context, options.id, options.only, Verb.REJECT, reason=options.reason)


def answer_one(
    context: Context,
    id_text: str,
    only: str | None,
    verb: Verb,
    *,
    reason: str = "",
    diff_sha256: str | None = None,
) -> int:
    """Show the changes of one proposal, sign the answer to them, and say what follows.

    To reject a proposal whose file is not what was logged is to close it, all of it.

    Raises:
        UsageError: No such proposal or change waits.
        AlteredError: Its file is not what was logged, and it is to be approved.
        RefusedError: The diff is not the one that was named, or changes do not fit or were
            settled elsewhere meanwhile; the others are signed.
    """
    with reading(context, person=True) as home:
        documents = Documents(home.gate)
        status = find_status(home.ledger.book, id_text)
        if verb is Verb.REJECT and _is_to_close(home, status, only):
            _emit(context, close(context, home, status, reason))
            say(
                context,
                f"Closed {status.id}: its file is not what was logged. Nothing of it can be answered or "
                "applied any more; what was applied stays. 'nightledger verify' names it as a note.",
            )
            return 0
        waiting = items_of(home.gate, home.ledger.book, status, DecisionType(verb.value), documents)
        items = _chosen(waiting, status.id, only)
        _check_diff(waiting, items, diff_sha256)
        told = with_shares(home.gate, home.ledger.book, items) if verb is Verb.APPROVE else []
        for at, item in enumerate(told, 1):
            context.print_lines([*screen.item_lines(item, at, len(told)), ""])
    settled = settle(context, home, items, [answer_of(item, verb, reason) for item in items])
    for decision in settled.decisions:
        _emit(context, decision)
    tell_settled(context, replace(settled, refusals=()))
    require_signed(settled)
    return 0


def _emit(context: Context, decision: Decision) -> None:
    context.emit(
        {
            "decision": decision.id,
            "type": decision.type.value,
            "proposal": decision.proposal,
            "changes": list(decision.changes),
            "not_before": decision.not_before.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    )


def _is_to_close(home: Session, status: ProposalStatus, only: str | None) -> bool:
    """Tell whether a proposal can only be closed: nobody knows any more what is in it."""
    if not is_altered(home.gate.home, status):
        return False
    if status.id in home.ledger.book.closed():
        raise UsageError(f"{status.id} was closed before", hint="'nightledger verify' names it as a note")
    if only is not None:
        raise UsageError(
            f"the file of {status.id} is not what was logged, so nobody knows what change {only} says",
            hint="without --only the whole proposal is closed",
        )
    return True


def _chosen(waiting: list[Item], name: str, only: str | None) -> list[Item]:
    hint = f"'nightledger proposals {name}' says what became of it"
    if not waiting:
        raise UsageError(f"nothing of {name} waits for an answer", hint=hint)
    if only is None:
        return waiting
    numbers = parse_numbers(only)
    chosen = [item for item in waiting if item.change.n in numbers]
    missing = sorted(set(numbers) - {item.change.n for item in chosen})
    if missing:
        raise UsageError(f"no answer is waited for: {numbered(missing)} of {name}", hint=hint)
    return chosen


def parse_numbers(text: str) -> tuple[int, ...]:
    """Read ``1,3``.

    Raises:
        UsageError: It is not a list of numbers from 1.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"0*[1-9][0-9]{0,8}", part) for part in parts):
        raise UsageError(f"{show(text)} is not a list of change numbers", hint="write it as 1,3")
    return tuple(sorted({int(part) for part in parts}))


def _check_diff(waiting: list[Item], items: list[Item], wanted: str | None) -> None:
    """Compare with the hash that ``proposals ID`` gives: of all changes, whichever of them are answered now.

    That diff is what a proposal says of itself, and was masked where it was made; so what its hunks do now
    has to read the same.
    """
    actual = hash_diffs([change.diff for change in waiting[0].stored.proposal.changes])
    if wanted is None:
        return
    if wanted.lower() != actual:
        raise RefusedError(
            f"the diff has SHA-256 {actual}, not {wanted}",
            hint="read it again with 'nightledger proposals ID', then approve that",
        )
    other = [
        item.change.n
        for item in items
        if item.diff and _lines(item.diff) != _lines(mask_diff(item.change.diff, told=item.told))
    ]
    if other:
        raise RefusedError(
            f"not what that diff shows, as the file is now: {numbered(other)}",
            hint="'nightledger review' shows what it does",
        )


def _lines(diff: str) -> list[str]:
    """Give what comes and what goes, each in its order, and the headings under which it stands, without the numbers of lines."""
    heads = (line.split("@@", 2)[-1] for line in diff.split("\n") if line.startswith("@@ "))
    return [*sorted(changed_lines(diff), key=lambda line: line[0]), *heads]


def run_undo(options: argparse.Namespace, context: Context) -> int:
    """Take an applied change back, within 7 days, at once; later edits survive.

    Reads   audit/, the gated files
    Writes  the gated files, audit/decisions/, the audit log
    Changes memory: the operator signs it here.
    """
    name, _, number = options.id.replace(":", "#").partition("#")
    only = parse_numbers(number) if number else ()
    with reading(context, person=True) as seen:
        undo = _plan_undo(seen, name, only)
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


def _plan_undo(session: Session, name: str, only: tuple[int, ...]) -> Undo:
    status = find_status(session.ledger.book, name)
    return plan_undo(session.gate, session.ledger, status, only, session.moment)


def _undo(context: Context, seen: Session, shown: Undo) -> int:
    signer = signing.unlock(seen, context)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        undo = _plan_undo(session, shown.status.id, shown.changes)
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

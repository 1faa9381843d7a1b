"""Apply what is signed and has cooled.

Cron runs it every 10 minutes; early is harmless.

Reads   audit/, memory/state/proposals/
Writes  the gated files, the audit log
Changes memory: only hunks that the operator signed, after the cooling period.
"""

import argparse
import json
import os

from nightledger.domain.errors import MissingFileError, UnreadableError
from nightledger.domain.words import numbered
from nightledger.files.durable import read_regular, read_start
from nightledger.surfaces.context import Context, is_believed

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from nightledger.domain.states import DecisionStatus
    from nightledger.gate.applying import Attempt
    from nightledger.surfaces.session import Session

WITNESS_MARK = os.path.join(".nightledger", "witness-due")
"""Disposable: when witnesses are to be asked next; absent where none was asked yet."""
MARK = os.path.join(".nightledger", "apply-after")
"""Disposable: size of the log, the time before which nothing can be applied, and when that was found; spares cron a full look."""
MAX_MARK_BYTES = 4_096


def run(options: argparse.Namespace, context: Context) -> int:
    """Apply each approval that may be; what fails stays queued while the rest applies."""
    asked = options.id is not None
    if not (asked or context.json or context.interactive()) and _nothing_yet(context):
        return _ask_witnesses(context) if _witnesses_due(context) else 0
    from nightledger.surfaces.cli import import_msgspec

    import_msgspec()
    if alarm := _ask_witnesses(context):  # whatever the mark says: who is asked stands outside the home
        context.emit([])
        return alarm
    from nightledger.domain.errors import EXIT_ALARM
    from nightledger.gate.stored import undo_of
    from nightledger.surfaces.session import writing

    with writing(context, person=asked) as session:
        attempts, aside = _apply_in(context, session, options.id)
        _leave_mark(session)
        offers = [undo_of(session.gate, session.ledger.book, one.proposal, one.changes) for one in attempts]
    alarm = EXIT_ALARM if aside else 0
    if any(attempt.changes for attempt in attempts):
        alarm = _ask_witnesses(context) or alarm  # what was applied is to be seen by others, too
    _tell(context, attempts, offers, asked=asked)
    return alarm or _status(attempts, asked=asked)


def _apply_in(context: Context, session: "Session", name: str | None) -> "tuple[list[Attempt], bool]":
    """Look after the files, then apply what may be; tell whether something altered was set aside."""
    from nightledger.gate.stored import find_status
    from nightledger.surfaces.session import following, look_after

    attempts, aside = [], False
    look_after(session)
    if session.ledger.book.unsettled():
        from nightledger.gate.drifting import finish_settlements

        finish_settlements(session.gate, session.ledger, session.moment)
    wanted = find_status(session.reread().book, name).id if name else None
    for decision in session.ledger.book.approvals_to_apply():
        if wanted in (None, decision.proposal):
            attempt, altered = _apply(session, decision)
            attempts.append(attempt)
            aside = aside or altered
            session.reread()
    with following(context):
        if any(attempt.changes for attempt in attempts):
            look_after(session)  # what stands around the change is drift of other bytes now
        if any(attempt.forgot for attempt in attempts):
            from nightledger.surfaces.rebuilding import relink

            relink(session)
    return attempts, aside


def _apply(session: "Session", decision: "DecisionStatus") -> "tuple[Attempt, bool]":
    """Apply one approval; the rest go on where its proposal or decision was altered, or its file cannot be read.

    Raises:
        NightledgerError: It was begun, and the next start has to finish it first; or nothing can be applied.
    """
    from nightledger.domain.errors import AlteredError, RefusedError
    from nightledger.gate.applying import Attempt, apply_one

    try:
        return apply_one(session.gate, session.ledger, decision, session.moment), False
    except (AlteredError, RefusedError, UnreadableError) as error:
        altered = isinstance(error, AlteredError)
        if not altered and session.reread().book.unfinished():
            raise
        told = "; ".join(filter(None, (f"it is set aside: {error}" if altered else str(error), error.hint)))
        return Attempt(decision=decision.id, proposal=decision.proposal, reasons=(told,)), altered


def _status(attempts: "list[Attempt]", *, asked: bool) -> int:
    refused = any(attempt.reasons or attempt.stale for attempt in attempts)
    early = asked and any(attempt.wait_s or attempt.waits for attempt in attempts)
    return 1 if refused or early or (asked and not attempts) else 0


def _tell(context: Context, attempts: "list[Attempt]", offers: "list[str]", *, asked: bool) -> None:
    context.emit([_record(attempt) for attempt in attempts])
    told = asked or not context.quiet  # cron hears of what was done or failed, not of what waits
    for one, offer in zip(attempts, offers, strict=True):
        from nightledger.surfaces.screen import say

        name = one.proposal
        if one.changes:
            say(context, f"Applied {numbered(one.changes)} of {name}; {offer}")
        for n, reason in one.stale:
            has = "has no place any more"
            say(context, f"Change {n} of {name} {has}: {reason}. 'nightledger review' asks again.")
        say(context, *(f"{name} was not applied: {reason}" for reason in one.reasons))
        say(context, *(f"Change {n} of {name} waits: {reason}." for n, reason in one.waits if told))
        if one.wait_s and told:
            say(context, f"{name} is cooling: {_duration(one.wait_s)} to go. Nothing was changed.")
        if one.raced:
            say(
                context,
                "Another program wrote the file at the same moment; its bytes are kept in audit/blobs.",
            )
    if not attempts and told:
        context.print("Nothing is signed that is not applied.")


def _duration(seconds: int) -> str:
    hours, minutes = divmod(-(-seconds // 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _record(attempt: "Attempt") -> dict[str, object]:
    return {
        "proposal": attempt.proposal,
        "decision": attempt.decision,
        "applied": list(attempt.changes),
        "stale": [{"n": n, "reason": reason} for n, reason in attempt.stale],
        "reasons": list(attempt.reasons),
        "waits": [{"n": n, "reason": reason} for n, reason in attempt.waits],
        "wait_s": attempt.wait_s,
        "raced": attempt.raced,
    }


def _nothing_yet(context: Context) -> bool:
    """Tell, by one small file and a stat, that nothing can be applied now."""
    try:
        mark = json.loads(read_regular(os.path.join(context.home_path, MARK), MAX_MARK_BYTES))
        size = os.stat(os.path.join(context.home_path, "audit", "trusted-channel-audit.jsonl")).st_size
        return bool(
            mark["size"] == size
            and (mark["after"] is None or context.now.timestamp() < mark["after"])
            and is_believed(mark["at"], context.now)
        )
    except (
        UnreadableError, MissingFileError, OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError,
    ):  # fmt: skip
        return False


def _leave_mark(session: "Session") -> None:
    from nightledger.files.atomic import replace_file
    from nightledger.surfaces.listing import cooling_ends

    home, ends = session.gate.home, cooling_ends(session.gate, session.ledger.book)
    after = min((end.timestamp() for end in ends.values()), default=None)
    at = session.moment.at.timestamp()
    content = json.dumps({"size": os.stat(home.audit_log).st_size, "after": after, "at": at})
    replace_file(os.path.join(home.root, MARK), content.encode("ascii"), disposable=True)


def _witnesses_due(context: Context) -> bool:
    """Tell, by one small file, whether witnesses are to be asked now; where there is none, a full look asks."""
    try:
        said = read_start(os.path.join(context.home_path, WITNESS_MARK), 20)
        return int(said) <= context.now.timestamp()
    except (UnreadableError, MissingFileError, OSError, ValueError):
        return False


def _ask_witnesses(context: Context) -> int:
    from nightledger.files.configuration import load_operator

    if not load_operator(context.keys_dir).witnesses:
        return 0
    from nightledger.remote.witness_asking import ask_quietly

    return ask_quietly(context)

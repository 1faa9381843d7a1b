"""Compare what the log names with what lies on disk: trust files, proposals, decisions, gated files.

Invariant: damage is named, never raised, so that one look tells everything.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Decision, DecisionType, Moment
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.states import Book, DecisionStatus, Gone, Restored
from nightledger.domain.trusting import EMPTY_SHA256, TRUST_FILES
from nightledger.files.home import Home
from nightledger.gate.gated import read_gated, read_target, watched
from nightledger.gate.opening import Ledger, why_another
from nightledger.gate.stored import find_replaced, is_altered, is_unanswered_drift, read_logged
from nightledger.gate.trust_changes import find_differing
from nightledger.gate.trusting import Trust, judge_decision

NOT_IN_FORCE = "it is not the file that the log names; the one that the log names stays in force"
NOT_REMOVED = "the log says that it removed what it does not name"
DISPUTED = "the log says that bytes of it were accepted that no operator signed; they count for nothing"
_REJECTIONS = frozenset({DecisionType.REJECT, DecisionType.CLOSE})
CHECKPOINTS = "audit/checkpoints"


class Altered(Struct, frozen=True, kw_only=True):
    """A file that is not what the log says of it.

    Attributes:
        path: Relative to the home.
        message: What is wrong with it.
        is_kept: Whether the bytes that the log names are kept and stay in force: ``key restore`` puts
            them back.
        is_blob: Whether it is bytes kept for an undo, or for whoever checks later.
        is_alarm: Whether something needs it.
    """

    path: str
    message: str
    is_kept: bool = False
    is_blob: bool = False
    is_alarm: bool = True


class Closed(Struct, frozen=True, kw_only=True):
    """Something whose file is not what was logged, and that the operator ended by a signature that holds.

    Attributes:
        name: Id of the proposal or the decision.
        how: What the operator did about it.
        at: When that was recorded.
    """

    name: str
    how: str
    at: datetime


class Held(Struct, frozen=True, kw_only=True):
    """The decisions of a log, after each signature was verified.

    Attributes:
        decisions: Those that hold, by id.
        keys: Fingerprint of the key that signed each of them.
        away: Ids of those whose files an operator had removed by a signature that holds.
        altered: What is wrong with the others.
        closed: Those of the others that the operator ended; they count for nothing, and are no alarm.
    """

    decisions: Mapping[str, Decision]
    keys: Mapping[str, str]
    away: frozenset[str] = frozenset()
    altered: tuple[Altered, ...] = ()
    closed: tuple[Closed, ...] = ()


def find_altered(home: Home, ledger: Ledger, at: Moment, held: Held | None = None) -> tuple[Altered, ...]:
    """Name every trust file, proposal and decision that is not what was logged or signed, and every lost copy.

    So is ``home.json``, which says which files are gated.

    A copy is the full text of a daily log that was compressed: the archive must hold it as it was.

    A proposal that the operator closed for that is left out: :func:`find_closed` names it.
    Decisions are judged by the set that was in force where they stand in the log, whatever lies
    on disk. Every signature is verified at each look: who can write the log cannot sign for
    the operator.

    Args:
        home: Whose.
        ledger: Its log, as checked.
        at: The clocks; they tell whether a reset of the keys is over.
        held: Its decisions, where they were verified already.
    """
    held = held or verify_decisions(home, ledger)
    why = why_another(home.identity, ledger.book.genesis)
    return (
        *([Altered(path=home.relative(home.identity_file), message=why)] if why else ()),
        *_trust_files(home, ledger, Trust(home, ledger), at),
        *_proposals(home, ledger.book),
        *held.altered,
        *_copies(home, ledger.book),
        *_restored(home, ledger.book, held.decisions),
    )


def _restored(home: Home, book: Book, decisions: Mapping[str, Decision]) -> Iterator[Altered]:
    for one in book.restored:
        if not is_signed_for(one, decisions.get(one.decision)):
            where = home.relative(home.audit_log)
            yield Altered(
                path=where, message=f"line {one.line} says that entries are lost, and no operator signed that"
            )


def verify_decisions(home: Home, ledger: Ledger, *, only: str | None = None) -> Held:
    """Verify every decision by the set in force at its place in the log, and compare it with its entry.

    An expunge may remove a decision's file; that is believed where its own decision holds, and
    names this very file. An approval that was altered ends with what rejects it, or removes it.

    Args:
        home: Whose.
        ledger: Its log, as checked.
        only: Id of the one decision that is asked about; None verifies all.
    """
    trust = Trust(home, ledger)
    decisions: dict[str, Decision] = {}
    keys: dict[str, str] = {}
    wrong: dict[str, Altered] = {}
    asked = ledger.book.decisions if only is None else {only} & ledger.book.decisions.keys()
    for name in asked:
        status, path = ledger.book.decisions[name], _path(home, name)
        try:
            trust.signers_of(status)
        except NightledgerError as error:  # nobody can say who could sign: then no decision can be judged
            wrong[name] = Altered(path=home.relative(home.config_dir), message=str(error))
            break
        try:
            judged = judge_decision(home, ledger, trust, status)
        except NightledgerError as error:
            wrong[name] = Altered(path=path, message=str(error))
            continue
        if judged.problem or judged.by is None:
            where = f"{path}.sig" if judged.in_signature else path
            wrong[name] = Altered(path=where, message=judged.problem)
        else:
            decisions[name], keys[name] = judged.decision, judged.by.fingerprint
    return _ended(home, ledger, Held(decisions=decisions, keys=keys), wrong)


def _ended(home: Home, ledger: Ledger, held: Held, wrong: Mapping[str, Altered]) -> Held:
    """Part what was altered and stays an alarm from what the operator ended by one of the decisions that hold."""
    book, decisions = ledger.book, held.decisions
    removed = {path: os.path.lexists(home.path(path)) for path, _ in _removed(decisions)}
    back = {name: [removed.get(_path(home, name)), removed.get(f"{_path(home, name)}.sig")] for name in wrong}
    away = frozenset(name for name, files in back.items() if False in files and True not in files)
    closed = {
        name: at
        for name in wrong
        if name not in away and (at := _rejected_at(book, book.decisions[name], decisions))
    }
    found = [one for name, one in wrong.items() if name not in away and name not in closed]
    return replace(
        held,
        away=away,
        altered=(*found, *_removed_otherwise(home, book, decisions)),
        closed=tuple(
            Closed(name=name, how="what it approved was rejected", at=at) for name, at in closed.items()
        ),
    )


def _rejected_at(book: Book, status: DecisionStatus, decisions: Mapping[str, Decision]) -> datetime | None:
    """Return when the last change that an altered approval is about was rejected; None where one was not."""
    if status.type is not DecisionType.APPROVE or not status.changes:
        return None
    changes = book.proposals[status.proposal].changes
    rejections = {name for name, one in decisions.items() if one.type in _REJECTIONS}
    ends = [changes[n].decision if n in changes else None for n in status.changes]
    if not rejections.issuperset(ends):
        return None
    return max(book.decisions[name].recorded.at for name in ends if name)


def _path(home: Home, decision: str) -> str:
    return home.relative(home.decision(decision))


def _removed(decisions: Mapping[str, Decision]) -> frozenset[tuple[str, str]]:
    """Return path and hash of every file that an operator signed away."""
    return frozenset(
        (target.path, target.base)
        for decision in decisions.values()
        if decision.type is DecisionType.EXPUNGE
        for target in decision.targets
        if target.result == EMPTY_SHA256
    )


def _removed_otherwise(home: Home, book: Book, decisions: Mapping[str, Decision]) -> Iterator[Altered]:
    """Name each expunge of which the log says that more was removed, or is withheld since, than was signed."""
    for name, sha256s in book.expunged.items():
        signed = {sha256 for _, sha256 in _removed({name: decisions[name]})} if name in decisions else None
        if signed is not None and not (
            signed.issuperset(sha256s) and set(decisions[name].reason.split()).issuperset(book.withheld[name])
        ):
            yield Altered(path=_path(home, name), message=NOT_REMOVED)


def find_closed(home: Home, book: Book) -> tuple[Closed, ...]:
    """Return the proposals that are not what was logged, and that the operator closed for that."""
    closes = [status for status in book.decisions.values() if status.type is DecisionType.CLOSE]
    return tuple(
        Closed(name=status.proposal, how="it was closed for that", at=status.recorded.at)
        for status in closes
        if is_altered(home, book.proposals[status.proposal])
    )


def find_drift(home: Home, book: Book) -> tuple[str, ...]:
    """Name the gated files whose bytes are not those last accepted, or cannot be read.

    What an apply that a crash cut short has put in place is no drift: the next run finishes it.
    """
    present = {path: _sha256(home, path) for path in watched(home, book)}
    cut_short = {
        (target.path, target.after)
        for apply in book.unfinished()
        for target in apply.targets
        if present.get(target.path) == target.after and book.cut_short[apply.id]
    }
    return tuple(
        path
        for path, sha256 in present.items()
        if sha256 != book.gated.get(path) and (path, sha256) not in cut_short
    )


def accepted_since(home: Home, book: Book, path: str) -> datetime | None:
    """Return since when the bytes that now stand in a gated file were accepted, where that is over; else None."""
    return book.accepted_at(path, _sha256(home, path))


def find_unsettled(home: Home, book: Book) -> tuple[str, ...]:
    """Name the gated files that drifted, and the protected files that changed and were not acknowledged."""
    protected = [path for path in book.protected if book.open_drift(path) is not None]
    return (*find_drift(home, book), *protected)


def _sha256(home: Home, path: str) -> str:
    try:
        return hashlib.sha256(read_gated(home, path)).hexdigest()
    except NightledgerError:
        return "unreadable"


def _trust_files(home: Home, ledger: Ledger, trust: Trust, at: Moment) -> Iterator[Altered]:
    try:
        differing, void = find_differing(home, ledger, at), trust.void
    except NightledgerError as error:
        yield Altered(path=home.relative(home.config_dir), message=str(error))
        return
    for path in (
        *(TRUST_FILES[name] for name in differing),
        *map(home.relative, find_replaced(home, ledger.book)),
    ):
        yield Altered(path=path, message=NOT_IN_FORCE, is_kept=True)
    for n in sorted(void):
        step = ledger.book.trust.steps[n]
        yield Altered(
            path=home.relative(home.decision(step.decision) if step.decision else home.audit_log),
            message="it changed trust files and is not signed by who could; the change counts for nothing",
        )


def _proposals(home: Home, book: Book) -> Iterator[Altered]:
    closed = book.closed()
    for status in (status for status in book.proposals.values() if status.id not in closed):
        why = book.gone.get(status.sha256)
        if why is Gone.EXPUNGED or (why and is_unanswered_drift(status)):
            continue
        try:
            read_logged(home, status)
        except AlteredError as error:
            message = str(error) if error.__cause__ else "it was changed after it was proposed"
            yield Altered(path=home.relative(home.proposal(status.id)), message=message)


def _copies(home: Home, book: Book) -> Iterator[Altered]:
    cut_short = {target.path for apply in book.unfinished() for target in apply.targets}
    for log, copy in sorted(book.copies.items()):
        if copy in cut_short:  # the next run finishes it, or takes it back
            continue
        try:
            content = read_target(home, copy)
        except NightledgerError as error:
            yield Altered(path=copy, message=str(error))
            continue
        if not content:
            yield Altered(path=copy, message=f"it is missing: the full text of {log} was there")
        elif hashlib.sha256(content).hexdigest() != book.kept[copy]:
            yield Altered(path=copy, message=f"it was changed: it is not the full text of {log} any more")


def is_signed_for(one: Restored, decision: Decision | None) -> bool:
    """Return whether a decision that holds says what an entry says was lost."""
    if decision is None or decision.type is not DecisionType.RESTORE:
        return False
    lost = lost_size(decision)
    said = (one.size, one.root, one.lost)
    return lost is not None and said == (decision.log.size, decision.targets[0].base, max(0, lost - one.size))


def lost_size(decision: Decision) -> int | None:
    """Return the size of the head that a decision says is lost; None where it is no such decision."""
    (target, *more) = decision.targets or (None,)
    place, _, size = target.path.rpartition("/") if target else ("", "", "")
    fits = (
        target is not None
        and place == CHECKPOINTS
        and size.isdecimal()
        and target.result == decision.log.root
    )
    return int(size) if fits and not (more or decision.proposal or decision.changes) else None

"""Compare what the log names with what lies on disk: trust files, proposals, decisions, gated files.

Invariant: damage is named, never raised, so that one look tells everything.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from nightledger.codec.records import decode_record
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.moment import Moment
from nightledger.domain.states import Book, DecisionStatus, Gone
from nightledger.domain.trusting import TRUST_FILES
from nightledger.files.home import Home
from nightledger.gate.gated import sha256_gated
from nightledger.gate.kept_files import read_target
from nightledger.gate.opening import Ledger
from nightledger.gate.signed import Signed, read_signed, signer_of
from nightledger.gate.stored import is_altered, read_logged
from nightledger.gate.trust_changes import is_outrun
from nightledger.gate.trusting import Trust, is_on_log, trust_files, who_changed

NOT_IN_FORCE = "it is not the file that the log names; the one that the log names stays in force"
FORKED = "the log head that it names is no part of this log: FORK, the operator had seen another history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Altered:
    """A file that is not what the log says of it.

    Attributes:
        path: Relative to the home.
        message: What is wrong with it.
    """

    path: str
    message: str


def find_altered(home: Home, ledger: Ledger, at: Moment) -> tuple[Altered, ...]:
    """Name every trust file, proposal and decision that is not what was logged or signed, and every lost copy.

    A copy is the full text of a daily log that was compressed: the archive must hold it as it was.

    A proposal that the operator closed for that is left out: :func:`find_closed` names it.
    Decisions are judged by the set that was in force where they stand in the log, whatever lies
    on disk. Every signature is verified at each look: who can write the log cannot sign for
    the operator.

    Args:
        home: Whose.
        ledger: Its log, as checked.
        at: The clocks; they tell whether a reset of the keys is over.
    """
    trust = Trust(home, ledger)
    return (
        *_trust_files(home, ledger, trust, at),
        *_proposals(home, ledger.book),
        *_decisions(home, ledger, trust),
        *_copies(home, ledger.book),
    )


def find_closed(home: Home, book: Book) -> tuple[str, ...]:
    """Name the proposals that are not what was logged, and that the operator closed for that."""
    closed = book.closed()
    return tuple(
        status.id for status in book.proposals.values() if status.id in closed and is_altered(home, status)
    )


def find_drift(home: Home, book: Book) -> tuple[str, ...]:
    """Name the gated files whose bytes are not those last accepted, or cannot be read.

    What an apply that a crash cut short has put in place is no drift: the next run finishes it.
    """
    cut_short = {(target.path, target.after) for apply in book.unfinished() for target in apply.targets}
    return tuple(
        path
        for path in home.identity.gated
        for sha256 in [_sha256(home, path)]
        if sha256 != book.gated.get(path) and (path, sha256) not in cut_short
    )


def accepted_since(home: Home, book: Book, path: str) -> datetime | None:
    """Give since when the bytes that now stand in a gated file were accepted, where that is over; else None."""
    sha256 = _sha256(home, path)
    known = book.accepted.get(path, ())
    return next((accepted.at for accepted in known if accepted.sha256 == sha256), None)


def find_unsettled(home: Home, book: Book) -> tuple[str, ...]:
    """Name the gated files that drifted, and the protected files that changed and were not acknowledged."""
    protected = [path for path in book.protected if book.open_drift(path) is not None]
    return (*find_drift(home, book), *protected)


def _sha256(home: Home, path: str) -> str:
    try:
        return sha256_gated(home, path)
    except NightledgerError:
        return "unreadable"


def _trust_files(home: Home, ledger: Ledger, trust: Trust, at: Moment) -> Iterator[Altered]:
    try:
        in_force, void = trust.files(at), trust.void
    except NightledgerError as error:
        yield Altered(path=home.relative(home.config_dir), message=str(error))
        return
    for name, sha256 in sorted(trust_files(home).items()):
        if sha256 != in_force.get(name) and not is_outrun(ledger, trust, name, sha256, at):
            yield Altered(path=TRUST_FILES[name], message=NOT_IN_FORCE)
    for n in sorted(void):
        step = ledger.book.trust.steps[n]
        yield Altered(
            path=home.relative(home.decision(step.decision)),
            message="it changed trust files and is not signed by who could; the change counts for nothing",
        )


def _proposals(home: Home, book: Book) -> Iterator[Altered]:
    closed = book.closed()
    for status in (status for status in book.proposals.values() if status.id not in closed):
        if status.sha256 in book.gone:
            continue
        try:
            read_logged(home, status)
        except AlteredError as error:
            message = str(error) if error.__cause__ else "it was changed after it was proposed"
            yield Altered(path=home.relative(home.proposal(status.id)), message=message)


def _decisions(home: Home, ledger: Ledger, trust: Trust) -> Iterator[Altered]:
    for status in ledger.book.decisions.values():
        if ledger.book.gone.get(status.sha256) is Gone.EXPUNGED:
            continue
        path = home.decision(status.id)
        try:
            signed = read_signed(home, status)
            decision = decode_record(Decision, signed.content, where=path)
        except NightledgerError as error:
            yield Altered(path=home.relative(path), message=str(error))
            continue
        try:
            signer = _signer(signed, trust, status)
        except NightledgerError as error:
            yield Altered(path=home.relative(home.config_dir), message=str(error))
            return
        if signer != decision.principal:
            yield Altered(
                path=f"{home.relative(path)}.sig", message="it is no signature of who the decision names"
            )
        elif status.signature_sha256 not in ("", signed.signature_sha256):
            yield Altered(path=f"{home.relative(path)}.sig", message="it was changed after it was recorded")
        elif not is_on_log(ledger.log, decision):
            yield Altered(path=home.relative(path), message=FORKED)


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


def _signer(signed: Signed, trust: Trust, status: DecisionStatus) -> str | None:
    signers = trust.signers_of(status)
    found = signer_of(signed, signers, status.recorded)
    if found is None and status.type is DecisionType.TRUST:
        by, _ = who_changed(signed, signers, status.recorded)
        return by.principal if by else None
    return found

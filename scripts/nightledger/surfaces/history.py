"""What changed a gated file: each apply, edit and undo, who signed it, and whether it can be undone.

Invariant: it is told from the log, and from proposals and decisions whose bytes are those
that the log names; what is not is named as such.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import LINKS
from nightledger.domain.proposal import Change, Proposal
from nightledger.domain.states import Apply, Book, ChangeState, ProposalStatus
from nightledger.gate.integrity.trusting import read_claim
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.screening import told_at_home
from nightledger.gate.stored import read_proposal, without_secrets
from nightledger.text.scanners.scan import mask_secrets


class Told(Struct, frozen=True, kw_only=True):
    """One change of a step, in one line.

    Attributes:
        n: Its number in the proposal.
        reason: Why it was proposed, secrets masked; empty where the proposal's file is not as logged.
        removed: The text that went, secrets masked; empty where none did, or the proposal's file is not as logged.
        added: The text that came, likewise.
        state: ``applied``, ``undone``, or what became of it since.
        undo_until: Until when it can be taken back; None where it cannot.
        gone_at: When its text went because nothing needed it any more; None where it did not.
        said_by: Who said what it rests on, as the proposal has it (``agent``, ``tool``).
        veiled: Whether it took out a secret, which no undo brings back.
    """

    n: int
    reason: str
    removed: str
    added: str
    state: str
    undo_until: datetime | None
    gone_at: datetime | None = None
    said_by: tuple[str, ...] = ()
    veiled: bool = False


class Step(Struct, frozen=True, kw_only=True):
    """One time that gated files were changed.

    Attributes:
        at: When; aware, UTC.
        kind: ``apply``, ``edit``, ``undo``, or ``drift`` where what others wrote was settled.
        paths: Files, relative to the home; the links, where one was forgotten.
        proposal: Id.
        decision: Id.
        signer: Principal whose signature verifies; empty where none does.
        changes: Those that it was about.
        raced: Whether another program wrote at the same moment.
        drifted: Files among ``paths`` that had been changed outside Nightledger before.
    """

    at: datetime
    kind: str
    paths: tuple[str, ...]
    proposal: str
    decision: str
    signer: str
    changes: tuple[Told, ...]
    raced: bool
    drifted: tuple[str, ...]


def applies_to(book: Book, path: str | None) -> tuple[Apply, ...]:
    """Give the applies, edits and undos that changed a gated file, the newest first.

    Args:
        book: What the log adds up to.
        path: A gated file; None takes all.
    """
    return tuple(
        apply
        for apply in reversed(tuple(book.applies.values()))
        if _counts(book, apply) and (path is None or any(target.path == path for target in apply.targets))
    )


def history_of(gate: Gate, ledger: Ledger, applies: Iterable[Apply], now: datetime) -> tuple[Step, ...]:
    """Tell of applies what they did, with proposals and decisions read and checked.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        applies: Some of :func:`applies_to`, which is quick; this takes a signature for each.
        now: Aware, UTC.
    """
    shown = tuple(applies)
    proposals = {
        name: proposal
        for name in dict.fromkeys(apply.proposal for apply in shown)
        if (proposal := _proposal(gate, ledger.book.proposals[name]))
    }
    told = told_at_home(gate.home, proposals.values())
    changes = {
        name: {
            change.n: replace(
                change,
                reason=mask_secrets(change.reason, told=told),
                before=mask_secrets(change.before, told=told),
                after=mask_secrets(change.after, told=told),
            )
            for change in proposal.changes
        }
        for name, proposal in proposals.items()
    }
    return tuple(_step(gate, ledger, apply, changes.get(apply.proposal, {}), now) for apply in shown)


def _counts(book: Book, apply: Apply) -> bool:
    """Tell whether an apply was finished, and is of a decision and a proposal that the log knows."""
    known = apply.decision in book.decisions and apply.proposal in book.proposals
    return known and apply.outcome in ("done", "raced")


def _step(gate: Gate, ledger: Ledger, apply: Apply, changes: Mapping[int, Change], now: datetime) -> Step:
    book = ledger.book
    status, decision = book.proposals[apply.proposal], book.decisions[apply.decision]
    return Step(
        at=apply.at,
        kind=_kind(decision.type, status),
        paths=tuple(target.path for target in apply.targets) or (LINKS,),
        proposal=apply.proposal,
        decision=apply.decision,
        signer=_signer(gate, ledger, apply.decision),
        changes=tuple(_told(gate, ledger, apply, changes, now)),
        raced=apply.outcome == "raced",
        drifted=tuple(found.path for found in book.drifted if found.apply == apply.id),
    )


def _kind(decision: DecisionType, status: ProposalStatus) -> str:
    if decision in (DecisionType.UNDO, DecisionType.DRIFT):
        return decision.value
    return "edit" if status.lane == EDIT_LANE else "apply"


def _told(
    gate: Gate, ledger: Ledger, apply: Apply, changes: Mapping[int, Change], now: datetime
) -> Iterator[Told]:
    book = ledger.book
    status = book.proposals[apply.proposal]
    back = book.decisions[apply.decision].type is DecisionType.UNDO
    gone_at = book.gone_at.get(status.sha256) if status.sha256 in book.gone else None
    for n in (number for number in apply.changes if number in status.changes):
        state, found = status.changes[n], changes.get(n)
        until = apply.at + timedelta(days=gate.undo_days)
        own = state.state is ChangeState.APPLIED and state.decision == apply.decision
        open_ = own and now < until
        texts = (found.before, found.after) if found else ("", "")
        yield Told(
            n=n,
            reason=found.reason if found else "",
            removed=texts[back],
            added=texts[1 - back],
            state=state.state.value,
            undo_until=until if open_ else None,
            veiled=open_ and not without_secrets(gate, status, [n]),
            gone_at=gone_at,
            said_by=tuple(origin.value for origin in found.provenance) if found else (),
        )


def _proposal(gate: Gate, status: ProposalStatus) -> Proposal | None:
    try:
        return read_proposal(gate, status).proposal
    except NightledgerError:
        return None


def _signer(gate: Gate, ledger: Ledger, decision: str) -> str:
    try:
        claim = read_claim(gate.home, ledger, ledger.book.decisions[decision])
    except NightledgerError:
        return ""
    return claim.signer or ""

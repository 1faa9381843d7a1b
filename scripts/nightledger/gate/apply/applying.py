"""Apply what is signed and has cooled: what decides that a gated file is written.

Invariant: only hunks that an operator signed are placed, each exactly where it was signed for, on the
bytes of now; scanners, CommonMark and cap have looked at what comes of it. ``writing.py`` writes it.
"""

import os
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Decision
from nightledger.domain.event import EventName
from nightledger.domain.finding import Severity
from nightledger.domain.judge import Rules, judge
from nightledger.domain.kept import hunks_on
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Op
from nightledger.domain.states import Book, DecisionStatus
from nightledger.gate.apply.planning import plan_apply
from nightledger.gate.apply.writing import PutBackError, Write, write_all
from nightledger.gate.deciding import read_claim, why_void
from nightledger.gate.forgetting.tombstones import count_outcomes
from nightledger.gate.guard.locking import why_locked
from nightledger.gate.integrity.witnessing import witnessed
from nightledger.gate.kept_files import is_gated, places_of
from nightledger.gate.opening import Gate, Ledger, record
from nightledger.gate.proposing.hunks import hunks_sha256
from nightledger.gate.proposing.room import withdraw_twins
from nightledger.gate.proposing.screening import own_values
from nightledger.gate.stored import Stored, read_proposal
from nightledger.text.markdown.check import check_blocks
from nightledger.text.scanners.scan import scan


class Attempt(Struct, frozen=True, kw_only=True):
    """What became of one approval.

    Attributes:
        decision: Its id.
        proposal: What it is about.
        changes: Numbers of the changes applied.
        stale: For each change that has no place any more, its number and why.
        reasons: Why nothing was applied; empty when something was.
        waits: For each change that touches what drifted, its number and why; it is tried again.
        wait_s: Seconds until asking again may help.
        raced: Whether a writer that ignores our lock wrote at the same moment; its bytes are kept.
        forgot: Whether it deleted a link: the view of links is to be folded anew.
    """

    decision: str
    proposal: str
    changes: tuple[int, ...] = ()
    stale: tuple[tuple[int, str], ...] = ()
    reasons: tuple[str, ...] = ()
    waits: tuple[tuple[int, str], ...] = ()
    wait_s: int = 0
    raced: bool = False
    forgot: bool = False


def apply_one(gate: Gate, ledger: Ledger, status: DecisionStatus, moment: Moment) -> Attempt:
    """Apply one approval, or say why not; the caller holds the home's lock."""
    proposal_status = ledger.book.proposals[status.proposal]
    stored = read_proposal(gate, proposal_status)
    claim = replace(read_claim(gate.home, ledger, status), witnessed=witnessed(gate, ledger, status, moment))
    rules = Rules(
        origin=gate.home.identity.origin,
        cooling=gate.cooling,
        consent=gate.consent,
        gated=gate.home.identity.gated,
        daily=places_of(gate.home).daily,
    )
    verdict = judge(claim, stored.proposal, stored.sha256, proposal_status, rules=rules, now=moment)
    reasons = (*verdict.reasons, *_hunk_reasons(stored, claim.decision))
    live = proposal_status.approved_by(status.id)
    void = why_void(gate.home, ledger, status, moment)
    if void:
        stale = _ask_again(gate, claim.decision, [(n, void) for n in live], moment)
        return Attempt(decision=status.id, proposal=status.proposal, stale=stale)
    if claim.latest(moment) >= claim.decision.expires:
        reason = f"its approval expired at {claim.decision.expires:%Y-%m-%d %H:%M} UTC"
        stale = _ask_again(gate, claim.decision, [(n, reason) for n in live], moment)
        return Attempt(decision=status.id, proposal=status.proposal, stale=stale)
    if reasons or verdict.wait_s:
        return Attempt(decision=status.id, proposal=status.proposal, reasons=reasons, wait_s=verdict.wait_s)
    return _place(gate, ledger.book, stored, claim.decision, moment)


def _ask_again(
    gate: Gate, decision: Decision, stale: Sequence[tuple[int, str]], moment: Moment
) -> tuple[tuple[int, str], ...]:
    """Log that approved changes cannot be applied, so that the operator is asked again."""
    fields: dict[str, object] = {
        "proposal": decision.proposal,
        "changes": [n for n, _ in stale],
        "decision": decision.id,
    }
    if stale:
        record(gate, [(EventName.STALE, fields)], moment)
    return tuple(stale)


def _hunk_reasons(stored: Stored, decision: Decision) -> list[str]:
    """Check that the hunks about to be placed are those that were signed."""
    signed = [change for change in stored.proposal.changes if change.n in decision.changes]
    return [
        f"the changes to {target.path} are not those that were signed"
        for target in decision.targets
        if hunks_sha256(hunks_on(target.path, signed)) != target.hunks_sha256
    ]


def _place(gate: Gate, book: Book, stored: Stored, decision: Decision, moment: Moment) -> Attempt:
    """Place the approved changes that are still to be applied; the others were answered since."""
    live = book.proposals[decision.proposal].approved_by(decision.id)
    plan = plan_apply(gate, book, stored, decision, live)
    stale = _ask_again(gate, decision, list(plan.stale.items()), moment)
    applied = tuple(n for n in live if n not in plan.stale and n not in plan.waits)
    reasons = [reason for write in plan.writes for reason in _why_not_now(gate, write)] if applied else []
    attempt = Attempt(
        decision=decision.id,
        proposal=decision.proposal,
        stale=stale,
        reasons=tuple(reasons),
        waits=tuple(plan.waits.items()),
    )
    if reasons or not applied:
        return attempt
    forgets = any(c.op is Op.DELETE_LINK for c in stored.proposal.changes if c.n in applied)
    besides = {"outcomes": count_outcomes(gate.home)} if forgets else {}
    try:
        raced = write_all(gate, decision, applied, plan.writes, moment, besides=besides)
    except PutBackError as error:
        return replace(attempt, reasons=(str(error),))
    withdraw_twins(gate, book, stored, applied, moment)
    return replace(attempt, changes=applied, raced=raced, forgot=forgets)


def _why_not_now(gate: Gate, write: Write) -> list[str]:
    locked = why_locked(gate, write.path)
    return [*check_result(gate, write), *([locked] if locked else [])]


def check_result(gate: Gate, write: Write, *, capped: bool = True) -> list[str]:
    """Let CommonMark, scanners and cap look at the bytes that would stand there.

    Of a file that is not gated scanners look at what is new text in it, not at bytes that only moved.

    Args:
        gate: The home.
        write: What would be written.
        capped: Whether the host's cap counts. Not for an undo: what it gives back stood there, however
            large its file was.
    """
    gated = is_gated(gate.home, write.path)
    reasons = check_text(write) if gated else _scanned(write.path, write.fresh)
    directory = os.path.dirname(gate.home.resolve(write.path))
    while not os.path.lexists(directory):
        directory = os.path.dirname(directory)
    if not os.access(directory, os.W_OK):
        reasons.append(f"{directory} may not be written by this user")
    if own_values(gate, _added(write)):
        reasons.append(f"{write.path}: a row of the operator's rule files holds the new text back")
    before, after = (len(text.decode("utf-8", "surrogateescape")) for text in (write.before, write.after))
    cap = gate.cap_characters if gated and capped else None
    if cap is not None and after > max(cap, before):
        reasons.append(f"{write.path} would have {after} characters and its host shows {gate.cap.told}")
    return reasons


def check_text(write: Write) -> list[str]:
    """Let CommonMark and scanners look at the bytes that would stand there."""
    reasons = [f"{write.path}: {reason}" for reason in check_blocks(write.before, write.after)]
    return [*reasons, *_scanned(write.path, _added(write))]


def _scanned(path: str, added: str) -> list[str]:
    seen = sorted({f.rule for f in scan(added) if f.severity is not Severity.FLAG})
    return [f"{path}: the scanner {rule} holds the new text back" for rule in seen]


def _added(write: Write) -> str:
    before, after = (
        text.decode("utf-8", "surrogateescape").split("\n") for text in (write.before, write.after)
    )
    old = set(before)
    return "\n".join(line for line in after if line not in old)

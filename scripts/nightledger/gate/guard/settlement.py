"""Settle drift: what the operator keeps is accepted, what they take back goes, in one signed decision.

Invariant: a decision of type ``drift`` names the changes kept, the bytes that stood there
and the bytes afterwards; it is carried out on those very bytes or not at all, and a change
without an answer stays drift. It does not cool: it is about bytes that stand there already.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress

from nightledger.domain.decision import DecisionTarget
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.finding import Severity
from nightledger.domain.judge import Claim
from nightledger.domain.moment import Moment
from nightledger.domain.states import Book, DecisionStatus
from nightledger.gate.apply.writing import Write, write_all
from nightledger.gate.gated import read_accepted, read_watched
from nightledger.gate.guard.locking import why_locked
from nightledger.gate.integrity.trusting import read_claim, why_void
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.signed import hunks_sha256
from nightledger.gate.stored import Stored, read_proposal
from nightledger.text.changes.course import shows, trace_drift
from nightledger.text.changes.diff import new_lines
from nightledger.text.changes.sections import is_made_of
from nightledger.text.markdown.document import decode, encode
from nightledger.text.scanners.scan import scan

NEVER_CHANGED = "it is a protected file, which is never changed by us: put it back yourself, or keep it"
NOT_SHOWN = (
    "it does not show what drifted; the bytes accepted before may be lost: 'nightledger guard' looks anew"
)
ELSEWHERE = "its sections would be accepted as they stand in neither text: keep or take back all that drifted"
"""Why a change of a drift is not kept without another."""
CHANGED_AGAIN = "the file has changed again: 'nightledger guard' looks anew"


def plan_settlement(
    gate: Gate, book: Book, stored: Stored, kept: Sequence[int], taken_back: Sequence[int]
) -> Write | str:
    """Give the new bytes of a file, and those accepted from then on; or why it cannot be settled.

    Args:
        gate: The home.
        book: What its log adds up to.
        stored: The item.
        kept: Numbers of the changes that are accepted.
        taken_back: Numbers of those that go; the others stay as they are.
    """
    path = stored.proposal.targets[0].path
    present = read_watched(gate.home, path)
    kept_before = read_accepted(gate.home, book, path)
    why = _why_not(book, stored, present, taken_back, is_known=kept_before is not None)
    if why:
        return why
    accepted = b"" if kept_before is None else kept_before
    course = trace_drift(decode(accepted), decode(present))
    if not shows(stored.proposal, course):
        return NOT_SHOWN
    stays = [n for n in range(1, len(course.runs) + 1) if n not in taken_back]
    texts = course.rebuild(stays), course.rebuild(kept)
    others = course.rebuild([n for n in range(1, len(course.runs) + 1) if n not in kept])
    if not (
        is_made_of(texts[0], [decode(accepted), decode(present)])
        and is_made_of(texts[1], [decode(accepted)], [(others, decode(present))])
    ):
        return ELSEWHERE
    after, signed = map(encode, texts)
    if after != present and (locked := why_locked(gate, path)):
        return locked
    if secrets := _secrets_returning(present, after):
        return f"taking it back would bring a secret back ({', '.join(secrets)}): keep it instead"
    return Write(path=path, before=present, after=after, accepted_before=accepted, accepted=signed)


def _why_not(book: Book, stored: Stored, present: bytes, taken_back: Sequence[int], *, is_known: bool) -> str:
    """Say why an item cannot be settled so; empty where it can."""
    target = stored.proposal.targets[0]
    drift = book.drifts.get(target.path)
    if drift is None or drift.proposal != stored.proposal.id or drift.base != book.accepted_of(target.path):
        return CHANGED_AGAIN
    if hashlib.sha256(present).hexdigest() != target.base_sha256:
        return CHANGED_AGAIN
    if taken_back and target.path not in book.gated:
        return NEVER_CHANGED
    if taken_back and not is_known:
        return "the bytes accepted before were never kept: keep it whole, or edit the file"
    return ""


def _secrets_returning(before: bytes, after: bytes) -> list[str]:
    """Name what scanners block in lines that would come back; what was removed as a secret stays away."""
    coming = scan(new_lines(decode(before), decode(after)))
    return sorted({finding.rule for finding in coming if finding.severity is Severity.BLOCK})


def settled_target(stored: Stored, write: Write, kept: Sequence[int]) -> DecisionTarget:
    """Return what a decision says of the file whose drift it settles."""
    hunks = [change.hunk for change in stored.proposal.changes if change.n in kept]
    return DecisionTarget(
        path=write.path,
        base=hashlib.sha256(write.before).hexdigest(),
        result=hashlib.sha256(write.after).hexdigest(),
        hunks_sha256=hunks_sha256(hunks),
    )


def carry_out(
    gate: Gate, ledger: Ledger, status: DecisionStatus, taken_back: Sequence[int], moment: Moment
) -> None:
    """Carry a recorded decision about drift out at once; the caller holds the home's lock.

    What a rival wrote at the same moment is kept, and offered by the next look.

    Args:
        gate: The home.
        ledger: Its log, in which the decision is recorded.
        status: The decision.
        taken_back: Numbers of the changes that the operator takes back.
        moment: The clocks.

    Raises:
        RefusedError: The decision does not verify, or the file is not what was signed.
        AlteredError: Its file, or its proposal's, is not what was logged.
    """
    claim = read_claim(gate.home, ledger, status)
    stored = read_proposal(gate, ledger.book.proposals[status.proposal])
    reasons = _reasons(claim, stored, moment)
    void = why_void(gate.home, ledger, status, moment)
    reasons += [void] if void else []
    write = plan_settlement(gate, ledger.book, stored, claim.decision.changes, taken_back)
    if isinstance(write, str):
        reasons.append(write)
    elif (settled_target(stored, write, claim.decision.changes),) != claim.decision.targets:
        reasons.append("the file would not become what was signed")
    if reasons or isinstance(write, str):
        raise RefusedError(
            f"decision {status.id} is not carried out:\n  " + "\n  ".join(reasons),
            hint="'nightledger review' asks again, over the bytes of now",
        )
    changes = claim.decision.changes
    besides = {"taken_back": list(taken_back)} if taken_back else {}
    write_all(gate, claim.decision, changes, [write], moment, besides=besides)


def _reasons(claim: Claim, stored: Stored, moment: Moment) -> list[str]:
    reasons = []
    if claim.signer is None or claim.signer != claim.decision.principal or not claim.on_log:
        reasons.append("its signature does not verify")
    if claim.decision.proposal_sha256 != stored.sha256:
        reasons.append("it was signed over other bytes of this item")
    if claim.latest(moment) >= claim.decision.expires:
        reasons.append("it has expired")
    return reasons


def finish_settlements(gate: Gate, ledger: Ledger, moment: Moment) -> None:
    """Carry out decisions about drift that were recorded and not carried out: after a crash, or from elsewhere.

    What such a decision does not keep is taken back, where that gives the bytes that were signed; else its
    item stays, and is asked about again.
    """
    for status in ledger.book.unsettled():
        open_changes = ledger.book.proposals[status.proposal].open_changes()
        taken_back = tuple(n for n in open_changes if n not in status.changes)
        with suppress(NightledgerError):
            carry_out(gate, ledger, status, taken_back, moment)

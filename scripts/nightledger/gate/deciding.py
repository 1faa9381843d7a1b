"""Accept signed decisions: the one door through which an operator's word enters.

Invariant: a decision is accepted once, only for this home, only over the proposal's
logged bytes, only under a key of the signer set in force, and only when the head that
it names is a prefix of this log. Where it was made counts for nothing.
"""

import hashlib

from nightledger.codec.records import dump_record, parse_record
from nightledger.domain.decision import Decision, DecisionType, EventName, Moment
from nightledger.domain.errors import RefusedError
from nightledger.domain.judge import EDIT_LANE
from nightledger.files.atomic import replace_file
from nightledger.gate import expunging, restoring, trust_changes
from nightledger.gate import naming as pinning
from nightledger.gate.consenting import review_reasons
from nightledger.gate.opening import Gate, Ledger, record
from nightledger.gate.stored import KEPT, Signed, keep, sign, signed_by, with_id
from nightledger.gate.trusting import Trust, is_on_log, who_changed
from nightledger.trust.signers import SignedBy

DISPUTED = "no operator signed that: settle it first ('nightledger review', or any 'nightledger edit' of it)"
"""Else such bytes could be taken for those that the operator saw when signing (``gate/applies.py``)."""

__all__ = ["Signed", "accept", "sign", "with_id"]


def accept(gate: Gate, ledger: Ledger, signed: Signed, moment: Moment) -> Decision:
    """Check a decision, store it with its signature, and log it.

    Raises:
        RecordError: The bytes are no decision.
        RefusedError: With every reason at once.
    """
    decision = parse_record(Decision, signed.content, where="the decision")
    reasons = _reasons(gate, ledger, decision, signed, moment)
    if reasons:
        raise RefusedError(f"decision {decision.id} is refused:\n  " + "\n  ".join(reasons))
    path = gate.home.decision(decision.id)
    if decision.type in KEPT:
        keep(gate.home, signed)
    replace_file(f"{path}.sig", signed.signature.encode("ascii"))
    replace_file(path, signed.content)
    fields: dict[str, object] = {
        "decision": decision.id,
        "sha256": hashlib.sha256(signed.content).hexdigest(),
        "signature_sha256": signed.signature_sha256,
        "type": decision.type.value,
        "proposal": decision.proposal,
        "changes": list(decision.changes),
    }
    record(gate, [(EventName.DECIDED, fields), *_consequences(gate, ledger, decision, moment)], moment)
    if decision.type is DecisionType.TRUST:
        trust_changes.put_in_place(gate, decision)
    return decision


def _consequences(
    gate: Gate, ledger: Ledger, decision: Decision, moment: Moment
) -> list[tuple[EventName, dict[str, object]]]:
    """Return what is logged in one write with the decision, so that no crash parts them."""
    if decision.type is DecisionType.TRUST:
        return trust_changes.change_events(gate, ledger, decision, moment)
    if decision.type is DecisionType.EXPUNGE:
        return expunging.expunge_events(gate, ledger, decision)
    if decision.type is DecisionType.RESTORE:
        return restoring.restore_events(ledger, decision)
    return []


def _reasons(gate: Gate, ledger: Ledger, decision: Decision, signed: Signed, moment: Moment) -> list[str]:
    reasons = []
    if dump_record(decision) != signed.content or with_id(decision).id != decision.id:
        reasons.append("its bytes are not the canonical form of what they say")
    if decision.id in ledger.book.decisions:
        reasons.append("it was recorded before; a decision counts once")
    if decision.origin != gate.home.identity.origin:
        reasons.append("it was signed for another home")
    trust = Trust(gate.home, ledger)
    by, by_recovery = _who(signed, decision, trust, moment)
    if by is None:
        reasons.append("no key in allowed_signers verifies the signature")
    elif by.principal != decision.principal:
        reasons.append(f"it was signed by {by.principal!r} and names {decision.principal!r}")
    if not is_on_log(ledger, decision):
        reasons.append("the log head that it names is not a prefix of this log")
    if moment.at >= decision.expires:
        reasons.append("it has expired")
    return reasons + _subject_reasons(gate, ledger, decision, moment, by_recovery=by_recovery)


def _subject_reasons(
    gate: Gate, ledger: Ledger, decision: Decision, moment: Moment, *, by_recovery: bool
) -> list[str]:
    if decision.type is DecisionType.TRUST:
        trust = Trust(gate.home, ledger)
        return trust_changes.change_reasons(gate, trust, decision, moment, by_recovery=by_recovery)
    if decision.type is DecisionType.CONSENT:
        return review_reasons(gate, decision)
    if decision.type is DecisionType.EXPUNGE:
        return expunging.expunge_reasons(gate, ledger, decision)
    if decision.type is DecisionType.RESTORE:
        return restoring.restore_reasons(ledger, decision)
    if decision.type in pinning.PIN_TYPES:
        return pinning.pin_reasons(gate, ledger, decision)
    return _proposal_reasons(ledger, decision)


def _who(signed: Signed, decision: Decision, trust: Trust, moment: Moment) -> tuple[SignedBy | None, bool]:
    """Return who signed, and whether as a recovery key, which can sign for changes of trust files only."""
    if decision.type is DecisionType.TRUST:
        return who_changed(signed, trust.signers(moment), moment)
    return signed_by(signed, trust.signers(moment), moment), False


def _proposal_reasons(ledger: Ledger, decision: Decision) -> list[str]:
    status = ledger.book.proposals.get(decision.proposal)
    if status is None:
        return [f"there is no proposal {decision.proposal}"]
    if decision.proposal_sha256 != status.sha256:
        return ["it was signed over other bytes of this proposal"]
    answerable = status.answerable(decision.type)
    reasons = [f"change {n} is {status.state_of(n).value}" for n in decision.changes if n not in answerable]
    if decision.type is not DecisionType.DRIFT and status.lane != EDIT_LANE:
        disputed = [one.path for one in decision.targets if ledger.book.is_disputed(one.path)]
        reasons += [f"the log says that bytes of {path} were accepted; {DISPUTED}" for path in disputed]
    return reasons

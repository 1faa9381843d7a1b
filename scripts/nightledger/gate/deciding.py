"""Accept signed decisions: the one door through which an operator's word enters.

Invariant: a decision is accepted once, only for this home, only over the proposal's
logged bytes, only under a key of the signer set in force, and only when the head that
it names is a prefix of this log. Where it was made counts for nothing.
"""

import hashlib
from dataclasses import dataclass, replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import decode_record, dump_record, parse_record, to_plain
from nightledger.domain.decision import NAMESPACE, Decision
from nightledger.domain.errors import AlteredError, RefusedError, UnreadableError
from nightledger.domain.event import EventName
from nightledger.domain.ids import content_id
from nightledger.domain.judge import Claim
from nightledger.domain.moment import Moment
from nightledger.domain.states import DecisionStatus
from nightledger.files.atomic import replace_file
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.gate.opening import Gate, Ledger, read_signers, record
from nightledger.trust.reading import VerifiedLog
from nightledger.trust.signers import SignerSet, verify_signature
from nightledger.trust.sshsig import SignatureError, Signer

MAX_DECISION_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A decision's exact bytes with the detached signature over them."""

    content: bytes
    signature: str


def with_id(decision: Decision) -> Decision:
    """Give the decision with the id that its other fields make."""
    fields = to_plain(replace(decision, id=""))
    return replace(decision, id=content_id("d", canonical(fields)))


def sign(decision: Decision, signer: Signer) -> Signed:
    """Sign a decision's canonical bytes."""
    content = dump_record(decision)
    return Signed(content=content, signature=signer.sign(content, NAMESPACE))


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
    replace_file(f"{path}.sig", signed.signature.encode("ascii"))
    replace_file(path, signed.content)
    fields: dict[str, object] = {
        "decision": decision.id,
        "sha256": hashlib.sha256(signed.content).hexdigest(),
        "type": decision.type.value,
        "proposal": decision.proposal,
        "changes": list(decision.changes),
    }
    record(gate, [(EventName.DECIDED, fields)], moment)
    return decision


def read_claim(home: Home, ledger: Ledger, status: DecisionStatus) -> Claim:
    """Read a recorded decision and verify it anew, before it is acted on.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    signed = read_signed(home, status)
    decision = decode_record(Decision, signed.content, where=home.decision(status.id))
    return Claim(
        decision=decision,
        signer=signer_of(signed, read_signers(home, ledger.book), status.recorded),
        on_log=_on_log(ledger.log, decision),
        recorded=status.recorded,
    )


def read_signed(home: Home, status: DecisionStatus) -> Signed:
    """Read a recorded decision's bytes, which are those of its leaf, and the signature beside them, unchecked.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    path = home.decision(status.id)
    try:
        content = read_regular(path, MAX_DECISION_BYTES)
        signature = read_regular(f"{path}.sig", MAX_DECISION_BYTES).decode("ascii", "replace")
    except UnreadableError as error:
        raise AlteredError(str(error)) from error
    if hashlib.sha256(content).hexdigest() != status.sha256:
        raise AlteredError(f"{path} was changed after it was recorded")
    return Signed(content=content, signature=signature)


def _reasons(gate: Gate, ledger: Ledger, decision: Decision, signed: Signed, moment: Moment) -> list[str]:
    reasons = []
    if dump_record(decision) != signed.content or with_id(decision).id != decision.id:
        reasons.append("its bytes are not the canonical form of what they say")
    if decision.id in ledger.book.decisions:
        reasons.append("it was recorded before; a decision counts once")
    if decision.origin != gate.home.identity.origin:
        reasons.append("it was signed for another home")
    signer = signer_of(signed, read_signers(gate.home, ledger.book), moment)
    if signer is None:
        reasons.append("no key in allowed_signers verifies the signature")
    elif signer != decision.principal:
        reasons.append(f"it was signed by {signer!r} and names {decision.principal!r}")
    if not _on_log(ledger.log, decision):
        reasons.append("the log head that it names is not a prefix of this log")
    if moment.at >= decision.expires:
        reasons.append("it has expired")
    return reasons + _proposal_reasons(ledger, decision)


def _proposal_reasons(ledger: Ledger, decision: Decision) -> list[str]:
    status = ledger.book.proposals.get(decision.proposal)
    if status is None:
        return [f"there is no proposal {decision.proposal}"]
    if decision.proposal_sha256 != status.sha256:
        return ["it was signed over other bytes of this proposal"]
    answerable = status.answerable(decision.type)
    return [f"change {n} is {status.state_of(n).value}" for n in decision.changes if n not in answerable]


def signer_of(signed: Signed, signers: SignerSet, moment: Moment) -> str | None:
    """Give the name of who signed; None where no key of the set verifies the signature for that time."""
    try:
        return verify_signature(
            signed.content, signed.signature, namespace=NAMESPACE, signers=signers, at=moment.at
        ).principal
    except SignatureError:
        return None


def _on_log(log: VerifiedLog, decision: Decision) -> bool:
    if not 0 < decision.log.size <= log.size:
        return False
    return log.root_at(decision.log.size).hex() == decision.log.root

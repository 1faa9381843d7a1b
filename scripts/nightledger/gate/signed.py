"""Decisions as signed bytes: made, read from disk, and who signed them.

Invariant: bytes are given out only when they are those of their entry; a signature says
who made it only against a signer set that the caller brings.
"""

import hashlib
from dataclasses import dataclass, replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import dump_record, to_plain
from nightledger.domain.decision import NAMESPACE, Decision
from nightledger.domain.errors import AlteredError, UnreadableError
from nightledger.domain.ids import content_id
from nightledger.domain.moment import Moment
from nightledger.domain.states import DecisionStatus
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.trust.signers import SignedBy, SignerSet, verify_signature
from nightledger.trust.sshsig import SignatureError, Signer

MAX_DECISION_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A decision's exact bytes with the detached signature over them."""

    content: bytes
    signature: str

    @property
    def signature_sha256(self) -> str:
        """Hex SHA-256 of the signature's file."""
        return hashlib.sha256(self.signature.encode("ascii", "replace")).hexdigest()


def with_id(decision: Decision) -> Decision:
    """Give the decision with the id that its other fields make."""
    fields = to_plain(replace(decision, id=""))
    return replace(decision, id=content_id("d", canonical(fields)))


def sign(decision: Decision, signer: Signer, *, namespace: str = NAMESPACE) -> Signed:
    """Sign a decision's canonical bytes."""
    content = dump_record(decision)
    return Signed(content=content, signature=signer.sign(content, namespace))


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


def signed_by(
    signed: Signed, signers: SignerSet, moment: Moment, namespace: str = NAMESPACE
) -> SignedBy | None:
    """Say who signed; None where no key of the set verifies the signature for that time and purpose."""
    try:
        return verify_signature(
            signed.content, signed.signature, namespace=namespace, signers=signers, at=moment.at
        )
    except SignatureError:
        return None


def signer_of(signed: Signed, signers: SignerSet, moment: Moment) -> str | None:
    """Give the name of who signed; None where no key of the set verifies the signature for that time."""
    found = signed_by(signed, signers, moment)
    return found.principal if found else None

"""Decisions as signed bytes: made, read from disk, and who signed them.

Invariant: bytes are given out only when they are those of their entry; a signature says
who made it only against a signer set that the caller brings. What keys and consent rest on
is kept twice, so that no program of the same user stops the operator by changing one file.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import decode_record, dump_record, to_plain
from nightledger.domain.decision import NAMESPACE, Decision, DecisionType
from nightledger.domain.errors import AlteredError, NightledgerError, UnreadableError
from nightledger.domain.ids import content_id
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Hunk
from nightledger.domain.states import Book, DecisionStatus
from nightledger.files.blobs import BlobStore
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.trust.signers import SignedBy, SignerSet, verify_signature
from nightledger.trust.sshsig import SignatureError, Signer

MAX_DECISION_BYTES = 1_000_000
KEPT = frozenset({DecisionType.TRUST, DecisionType.CONSENT, DecisionType.RESTORE})
"""Decisions on which others rest; their bytes and their signature's are kept as blobs, too."""


class Signed(Struct, frozen=True, kw_only=True):
    """A decision's exact bytes with the detached signature over them."""

    content: bytes
    signature: str

    @property
    def signature_sha256(self) -> str:
        """Hex SHA-256 of the signature's file."""
        return hashlib.sha256(self.signature.encode("ascii", "replace")).hexdigest()


def with_id(decision: Decision) -> Decision:
    """Return the decision with the id that its other fields make."""
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


def reason_of(home: Home, status: DecisionStatus) -> str:
    """Return the operator's words in a recorded decision; empty where its file is gone or not what was logged."""
    with suppress(NightledgerError):
        return decode_record(Decision, read_signed(home, status).content, where=status.id).reason
    return ""


def keep(home: Home, signed: Signed) -> None:
    """Keep a decision and its signature as blobs; both are on disk when this returns."""
    blobs = BlobStore(home.blobs_dir)
    blobs.put(signed.content)
    blobs.put(signed.signature.encode("ascii"))


def read_kept(home: Home, status: DecisionStatus) -> Signed:
    """Read a recorded decision; what is not the file that was logged is taken from its blob.

    Raises:
        AlteredError: Its file is missing or is not what was logged, and no blob has its bytes.
    """
    try:
        content, signature = (_file_or_blob(home, path, sha256) for path, sha256 in _files(home, status))
    except NightledgerError:
        return read_signed(home, status)
    return Signed(content=content, signature=signature.decode("ascii", "replace"))


def find_replaced(home: Home, book: Book) -> dict[str, bytes]:
    """Return the files of kept decisions that are not those that were logged, each with the bytes that a blob has."""
    found = {}
    kept = [one for one in book.decisions.values() if one.type in KEPT and one.sha256 not in book.gone]
    for path, sha256 in (file for status in kept for file in _files(home, status)):
        if _file(path, sha256) is None:
            with suppress(NightledgerError):
                found[path] = BlobStore(home.blobs_dir).get(sha256)
    return found


def _files(home: Home, status: DecisionStatus) -> tuple[tuple[str, str], ...]:
    """Return both files of a decision with their hashes."""
    path = home.decision(status.id)
    return (path, status.sha256), (f"{path}.sig", status.signature_sha256)


def _file_or_blob(home: Home, path: str, sha256: str) -> bytes:
    content = _file(path, sha256)
    return BlobStore(home.blobs_dir).get(sha256) if content is None else content


def _file(path: str, sha256: str) -> bytes | None:
    """Return a file's bytes where they have this hash."""
    try:
        content = read_regular(path, MAX_DECISION_BYTES)
    except UnreadableError:
        return None
    return content if hashlib.sha256(content).hexdigest() == sha256 else None


def signed_by(
    signed: Signed, signers: SignerSet, moment: Moment, namespace: str = NAMESPACE
) -> SignedBy | None:
    """Return who signed; None where no key of the set verifies the signature for that time and purpose."""
    try:
        return verify_signature(
            signed.content, signed.signature, namespace=namespace, signers=signers, at=moment.at
        )
    except SignatureError:
        return None


def hunks_sha256(hunks: Sequence[Hunk]) -> str:
    """Give the hex SHA-256 of the canonical JSON of hunks, in their order."""
    return hashlib.sha256(canonical([to_plain(hunk) for hunk in hunks])).hexdigest()

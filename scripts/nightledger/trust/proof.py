r"""Proofs that are carried away: of one line in the log, and that one head continues another.

Of a line: c2sp.org/tlog-proof@v1, ``c2sp.org/tlog-proof@v1\n[extra <base64>\n]index <n>\n
<base64 hash>*\n\n<checkpoint>``. Of a continuation: the body that a witness is asked with
(c2sp.org/tlog-witness), ``old <size>\n<base64 hash>*\n\n<checkpoint>``. Invariant: what is
parsed is dumped to the same bytes, and nothing is verified by parsing it.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from nightledger.domain.errors import IntegrityError
from nightledger.trust.event import MAX_LEAF_BYTES
from nightledger.trust.merkle import DIGEST_BYTES, leaf_hash, verify_consistency, verify_inclusion
from nightledger.trust.note import (
    MAX_NOTE_BYTES,
    MAX_SIZE,
    Checkpoint,
    NoteError,
    decode_base64,
    encode_base64,
    parse_head,
)
from nightledger.trust.policy import Policy, cosigned_times, verify_log

HEADER = "c2sp.org/tlog-proof@v1"
MAX_HASHES = 63
"""c2sp.org/tlog-witness; no tree of 2**63 leaves needs more."""
MAX_PROOF_BYTES = MAX_NOTE_BYTES + (1 << 18)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")


class ProofFormError(IntegrityError):
    """A proof is not of its form."""

    hint = "ask for it again: 'nightledger verify --prove' and '--continues' write such files"


class QuorumError(IntegrityError):
    """Fewer witnesses have cosigned a checkpoint than the policy asks for."""

    hint = "a later checkpoint may carry their lines; ask for a proof from that one"


class LogProof(Struct, frozen=True, kw_only=True):
    """That some line is in a log.

    Attributes:
        index: Its leaf, from 0.
        hashes: Inclusion proof, 32 bytes each, the nearest sibling first.
        checkpoint: The signed note whose tree it is in, as bytes.
        extra: What came along; ours is the line itself. Proved only when it is the leaf.
    """

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes = b""


class Continuation(Struct, frozen=True, kw_only=True):
    """That a head continues a smaller one.

    Attributes:
        old_size: Size of the smaller one; 0 claims nothing.
        hashes: Consistency proof, 32 bytes each (RFC 6962 section 2.1.2).
        checkpoint: The signed note of the larger one, as bytes.
    """

    old_size: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes


class Proven(Struct, frozen=True, kw_only=True):
    """What a proof that holds has shown.

    Attributes:
        checkpoint: The head that the line is under.
        times: For each witness of the policy that cosigned it, when.
    """

    checkpoint: Checkpoint
    times: Mapping[str, datetime]


def dump_proof(proof: LogProof) -> bytes:
    """Give the file; the inverse of :func:`parse_proof`."""
    extra = [f"extra {encode_base64(proof.extra)}"] if proof.extra else []
    return _dump([HEADER, *extra, f"index {proof.index}"], proof.hashes, proof.checkpoint)


def parse_proof(raw: bytes) -> LogProof:
    """Read a proof file; nothing is verified.

    Raises:
        ProofFormError: When it is none by the letter of the specification.
    """
    lines, checkpoint = _split(raw)
    if not lines or lines.pop(0) != HEADER:
        raise ProofFormError(f"the proof does not begin with {HEADER!r}")
    extra: bytes | None = b""
    if lines and lines[0].startswith("extra "):
        extra = decode_base64(lines.pop(0).removeprefix("extra "))
        if not extra:
            raise ProofFormError("what stands behind 'extra' is not base64")
        if len(extra) > MAX_LEAF_BYTES:
            raise ProofFormError(f"what stands behind 'extra' has more than {MAX_LEAF_BYTES} bytes")
    index = _number(lines, "index")
    return LogProof(index=index, hashes=_hashes(lines), checkpoint=checkpoint, extra=extra or b"")


def verify_proof(proof: LogProof, leaf: bytes, policy: Policy) -> Proven:
    """Check that a line stands where the proof says, in a log and under witnesses that the policy names.

    Args:
        proof: As parsed.
        leaf: The line, without its line end.
        policy: Whose signatures count.

    Raises:
        NoteError: The checkpoint is malformed, of no log of the policy, or badly signed.
        QuorumError: Too few witnesses have cosigned it.
        ProofError: The line is not there.
    """
    note, head = parse_head(proof.checkpoint)
    if head.origin not in {log.name for log in policy.logs}:
        raise NoteError(f"the checkpoint is of {head.origin[:80]!r}, which is no log of the policy")
    verify_log(note, head.origin, policy.logs)
    times = cosigned_times(note, policy)
    if not policy.is_met(times.keys()):
        cosigned = ", ".join(sorted(times)) or "nobody"
        raise QuorumError(
            f"the policy asks for {policy.quorum!r}, and the head of {head.size} entries is cosigned by: {cosigned}"
        )
    verify_inclusion(leaf_hash(leaf), proof.index, head.size, proof.hashes, head.root)
    return Proven(checkpoint=head, times=times)


def dump_continuation(proof: Continuation) -> bytes:
    """Give the body of a request to a witness; the inverse of :func:`parse_continuation`."""
    return _dump([f"old {proof.old_size}"], proof.hashes, proof.checkpoint)


def parse_continuation(raw: bytes) -> Continuation:
    """Read the body of a request to a witness; nothing is verified.

    Raises:
        ProofFormError: When it is none by the letter of the specification.
    """
    lines, checkpoint = _split(raw)
    return Continuation(old_size=_number(lines, "old"), hashes=_hashes(lines), checkpoint=checkpoint)


def verify_continuation(proof: Continuation, old: Checkpoint, new: Checkpoint) -> None:
    """Check that a head continues a smaller one of the same log.

    Args:
        proof: As parsed; its own checkpoint is not looked at.
        old: The smaller head, known from elsewhere.
        new: The larger one.

    Raises:
        ProofFormError: The heads are of two logs, or the proof begins at another size.
        ProofError: It does not.
    """
    if old.origin != new.origin:
        raise ProofFormError(f"the heads are of two logs: {old.origin[:80]!r} and {new.origin[:80]!r}")
    if proof.old_size != old.size:
        raise ProofFormError(f"the proof begins at {proof.old_size} entries, the old head at {old.size}")
    verify_consistency(old.size, new.size, proof.hashes, old.root, new.root)


def _dump(head: Sequence[str], hashes: Sequence[bytes], checkpoint: bytes) -> bytes:
    lines = [*head, *map(encode_base64, hashes), ""]
    return "".join(f"{line}\n" for line in lines).encode("ascii") + checkpoint


def _split(raw: bytes) -> tuple[list[str], bytes]:
    """Give the lines before the first blank one, and what is behind it."""
    head, blank, checkpoint = raw.partition(b"\n\n")
    if not blank or not head.isascii():
        raise ProofFormError("the proof has no ASCII lines followed by a blank one and a checkpoint")
    return head.decode("ascii").split("\n"), checkpoint


def _number(lines: list[str], word: str) -> int:
    name, _, number = (lines.pop(0) if lines else "").partition(" ")
    if name != word or not _NUMBER.fullmatch(number) or int(number) > MAX_SIZE:
        raise ProofFormError(f"the proof has no line '{word} <number>' in its place")
    return int(number)


def _hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    if len(lines) > MAX_HASHES:
        raise ProofFormError(f"the proof has {len(lines)} hashes; at most {MAX_HASHES} are needed")
    found = tuple(decode_base64(line) or b"" for line in lines)
    if any(len(digest) != DIGEST_BYTES for digest in found):
        raise ProofFormError("a line of the proof is not a hash: 32 bytes in base64")
    return found

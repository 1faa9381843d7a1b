r"""Timestamped signatures on checkpoints (c2sp.org/tlog-cosignature): Ed25519 and ML-DSA-44.

Both are lines of a signed note whose payload is ``u64 time || signature``:
type 0x04, ``cosignature/v1``, by witnesses with Ed25519; type 0x06, ``subtree/v1``, with
ML-DSA-44 (FIPS 204), by which a log signs its own checkpoints against quantum computers.
Invariant: what is signed names the log, its size and its root; type 0x06 also the key's name.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from nightledger.domain.errors import ConfigurationError
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.note import (
    ED25519,
    Ed25519Verifier,
    Keyed,
    NoteVerifier,
    parse_vkey,
    verify_ed25519,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

COSIGNATURE_ED25519 = 0x04
COSIGNATURE_MLDSA44 = 0x06
ED25519_SIGNATURE_BYTES = 64
MLDSA44_SIGNATURE_BYTES = 2_420
"""FIPS 204 table 2."""
MLDSA44_PUBLIC_BYTES = 1_312
"""FIPS 204 table 2."""
MAX_TIME_S = 253_402_300_799
"""The end of the year 9999, the last that Python's times have; C2SP ends at 2**63 - 1."""
_TIME_BYTES = 8
_LABEL = b"subtree/v1\n\0"
_MAX_NAME_BYTES = 255  # opaque<1..2^8-1>


class NoMLDSAError(ConfigurationError):
    """This platform cannot do ML-DSA: its lines can neither be made nor checked."""

    hint = "check the post-quantum line on a machine whose cryptography package has ML-DSA"

    def __init__(self) -> None:
        super().__init__("this platform's cryptography library has no ML-DSA")


def has_mldsa() -> bool:
    """Tell whether this platform's ``cryptography`` can do ML-DSA (its OpenSSL must have it)."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
    except ImportError:
        return False
    try:
        MLDSA44PrivateKey.from_seed_bytes(bytes(32))
    except UnsupportedAlgorithm:
        return False
    return True


def cosigned_ed25519(text: str, time_s: int) -> bytes:
    r"""Give what an Ed25519 cosigner signs: ``cosignature/v1\ntime <t>\n<checkpoint text>``.

    Args:
        text: The note's whole text.
        time_s: POSIX time.
    """
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()


def cosigned_mldsa44(name: str, checkpoint: Checkpoint, time_s: int) -> bytes:
    r"""Give what an ML-DSA-44 cosigner signs: ``cosigned_message`` of C2SP tlog-cosignature.

    ``"subtree/v1\n\0" || u8 len || name || u64 time || u8 len || origin || u64 0 || u64 size || root``

    Args:
        name: The cosigner's name.
        checkpoint: The head that is signed.
        time_s: POSIX time.

    Raises:
        ConfigurationError: When a name has more than 255 bytes.
    """
    parts = [
        _LABEL,
        _opaque(name),
        time_s.to_bytes(8, "big"),
        _opaque(checkpoint.origin),
        (0).to_bytes(8, "big"),
        checkpoint.size.to_bytes(8, "big"),
        checkpoint.root,
    ]
    return b"".join(parts)


class Ed25519CosignatureVerifier(Keyed, frozen=True, kw_only=True):
    """Checks lines of type 0x04."""

    def verify(self, text: str, signature: bytes) -> bool:
        """Tell whether ``signature`` (time and Ed25519 signature) is by this key over ``text``."""
        time_s, raw = split_cosignature(signature)
        if len(raw) != ED25519_SIGNATURE_BYTES or time_s > MAX_TIME_S:
            return False
        parse_checkpoint(text)
        return verify_ed25519(self.key.public, raw, cosigned_ed25519(text, time_s))


class MLDSA44Verifier(Keyed, frozen=True, kw_only=True):
    """Checks lines of type 0x06."""

    def verify(self, text: str, signature: bytes) -> bool:
        """Tell whether ``signature`` (time and ML-DSA-44 signature) is by this key over the head in ``text``.

        Raises:
            NoMLDSAError: When this platform cannot do ML-DSA: neither good nor bad.
        """
        time_s, raw = split_cosignature(signature)
        if len(raw) != MLDSA44_SIGNATURE_BYTES or time_s > MAX_TIME_S:
            return False
        message = cosigned_mldsa44(self.name, parse_checkpoint(text), time_s)
        return verify_mldsa44(self.key.public, raw, message)


class Ed25519CosignatureSigner(Keyed, frozen=True, kw_only=True):
    """Makes lines of type 0x04 at a given time.

    Attributes:
        private: The private key; its public half must not cosign under another name, because
            such a line does not name who made it (C2SP tlog-cosignature).
        at: When it signs; aware.
    """

    private: "Ed25519PrivateKey"
    at: datetime

    def sign(self, text: str) -> bytes:
        """Give time and signature over the checkpoint in ``text``."""
        time_s = int(self.at.timestamp())
        return time_s.to_bytes(_TIME_BYTES, "big") + self.private.sign(cosigned_ed25519(text, time_s))


class MLDSA44Signer(Keyed, frozen=True, kw_only=True):
    """Makes lines of type 0x06 at a given time; ML-DSA signs afresh each time (FIPS 204, hedged).

    Attributes:
        private: The private key.
        at: When it signs; aware.
    """

    private: "MLDSA44PrivateKey"
    at: datetime

    def sign(self, text: str) -> bytes:
        """Give time and signature over the checkpoint in ``text``."""
        time_s = int(self.at.timestamp())
        message = cosigned_mldsa44(self.name, parse_checkpoint(text), time_s)
        return time_s.to_bytes(_TIME_BYTES, "big") + self.private.sign(message)


def verify_mldsa44(public: bytes, signature: bytes, message: bytes, *, context: bytes = b"") -> bool:
    """Tell whether an ML-DSA-44 signature holds (FIPS 204 algorithm 3); False for any malformed input.

    Args:
        public: 1,312 bytes.
        signature: 2,420 bytes.
        message: What was signed.
        context: Up to 255 bytes; C2SP cosignatures have none.

    Raises:
        NoMLDSAError: When this platform cannot do ML-DSA.
    """
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

    try:
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey

        MLDSA44PublicKey.from_public_bytes(public).verify(signature, message, context)
    except (ImportError, UnsupportedAlgorithm) as error:
        raise NoMLDSAError from error
    except (InvalidSignature, ValueError):
        return False
    return True


def split_cosignature(payload: bytes) -> tuple[int, bytes]:
    """Give POSIX time and signature of a cosignature's payload; an empty signature where it is too short."""
    return int.from_bytes(payload[:_TIME_BYTES], "big"), payload[_TIME_BYTES:]


def cosigned_at(payload: bytes) -> datetime:
    """Give the time that a cosignature states; aware, UTC."""
    return datetime.fromtimestamp(split_cosignature(payload)[0], UTC)


def verifier_of(vkey: str) -> NoteVerifier:
    """Give what checks the lines of a verifier key, by its type.

    Raises:
        ConfigurationError: When the key is malformed or of a type that is not understood.
    """
    key = parse_vkey(vkey)
    length = {ED25519: 32, COSIGNATURE_ED25519: 32, COSIGNATURE_MLDSA44: MLDSA44_PUBLIC_BYTES}.get(
        key.key_type
    )
    if length != len(key.public):
        raise ConfigurationError(
            f"the verifier key of {key.name!r} has the type {key.key_type:#04x} and "
            f"{len(key.public)} bytes, which fit no signature that is understood here"
        )
    if key.key_type == ED25519:
        return Ed25519Verifier(key=key)
    if key.key_type == COSIGNATURE_ED25519:
        return Ed25519CosignatureVerifier(key=key)
    return MLDSA44Verifier(key=key)


def _opaque(text: str) -> bytes:
    raw = text.encode()
    if not 0 < len(raw) <= _MAX_NAME_BYTES:
        raise ConfigurationError(f"{text[:40]!r} has {len(raw)} bytes; a name in a cosignature has 1 to 255")
    return bytes([len(raw)]) + raw

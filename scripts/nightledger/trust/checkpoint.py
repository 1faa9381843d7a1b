r"""Checkpoints, the heads of a log (c2sp.org/tlog-checkpoint@v1.0.0), and the lines that sign them.

``<origin>\n<size>\n<base64 root>\n`` is the text of a signed note. Its log signs it with Ed25519 (type 0x01, over the
text itself). Timestamped signatures (c2sp.org/tlog-cosignature) have the payload ``u64 time || signature``: type 0x04,
``cosignature/v1``, by witnesses with Ed25519; type 0x06, ``subtree/v1``, with ML-DSA-44 (FIPS 204), by which a log
signs its own checkpoints against quantum computers. Invariant: no extension lines, which ML-DSA lines would not sign,
so that one head has one text; what is signed names the log, its size and its root; type 0x06 also the key's name.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError
from nightledger.trust import note as notes
from nightledger.trust.merkle import DIGEST_BYTES

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

MAX_SIZE = 2**63 - 1
"""Largest tree size that every implementation can hold."""
_LINES = 3
COSIGNATURE_ED25519 = 0x04
COSIGNATURE_MLDSA44 = 0x06
MLDSA44_PUBLIC_BYTES = 1_312
"""FIPS 204 table 2."""
_SIGNATURE_BYTES = {COSIGNATURE_ED25519: 64, COSIGNATURE_MLDSA44: 2_420}
"""RFC 8032; FIPS 204 table 2."""
_PUBLIC_BYTES = {notes.ED25519: 32, COSIGNATURE_ED25519: 32, COSIGNATURE_MLDSA44: MLDSA44_PUBLIC_BYTES}
MAX_TIME_S = 253_402_300_799
"""The end of the year 9999, the last that Python's times have; C2SP ends at 2**63 - 1."""
_TIME_BYTES = 8
_LABEL = b"subtree/v1\n\0"
_MAX_NAME_BYTES = 255  # opaque<1..2^8-1>


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The head of a log: how many leaves, and the root over them.

    Attributes:
        origin: Name of the log: ``nightledger/<home id>``.
        size: Number of leaves.
        root: RFC 6962 root of the first ``size`` leaves, 32 bytes.
    """

    origin: str
    size: int
    root: bytes


def log_origin(home_id: str, *, simulated: bool) -> str:
    """Give the name of a home's log; a simulated home's says so on every checkpoint.

    Args:
        home_id: 32 hex digits.
        simulated: Whether its clock can be set.
    """
    return f"nightledger{'-simulated' if simulated else ''}/{home_id}"


def parse_head(raw: bytes) -> tuple[notes.Note, Checkpoint]:
    """Read a signed head: the note and what it says; nothing is verified.

    Raises:
        NoteError: It is no note, or no checkpoint stands in it.
    """
    note = notes.parse_note(raw)
    return note, parse_checkpoint(note.text)


def parse_checkpoint(text: str) -> Checkpoint:
    """Read the text of a checkpoint's note.

    Raises:
        NoteError: When it is not exactly the three lines.
    """
    lines = text.split("\n")
    if len(lines) != _LINES + 1 or lines.pop() != "":
        raise notes.NoteError("a checkpoint has three lines: origin, size, root")
    origin, size, encoded = lines
    root = notes.decode_base64(encoded)
    if not origin:
        raise notes.NoteError("the checkpoint names no log")
    if not (size.isascii() and size.isdigit() and str(int(size[:20])) == size and int(size) <= MAX_SIZE):
        raise notes.NoteError(f"{size[:40]!r} is not a tree size")
    if root is None or len(root) != DIGEST_BYTES:
        raise notes.NoteError(f"{encoded[:80]!r} is not a root: 32 bytes in base64")
    return Checkpoint(origin=origin, size=int(size), root=root)


def dump_checkpoint(checkpoint: Checkpoint) -> str:
    """Give the text that is signed; the inverse of :func:`parse_checkpoint`.

    Raises:
        NoteError: When it could not be read back: an origin with a line end, a wrong root.
    """
    text = f"{checkpoint.origin}\n{checkpoint.size}\n{notes.encode_base64(checkpoint.root)}\n"
    parse_checkpoint(text)
    return text


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


class Keyed(Struct, frozen=True, kw_only=True):
    """What bears the name and id of a key.

    Attributes:
        key: Public side: name, type, key.
    """

    key: notes.VerifierKey

    @property
    def name(self) -> str:
        """Key name."""
        return self.key.name

    @property
    def key_id(self) -> bytes:
        """4 bytes."""
        return self.key.key_id


class LineVerifier(Keyed, frozen=True, kw_only=True):
    """Checks the lines of a key of any type that is understood here."""

    def verify(self, text: str, signature: bytes) -> bool:
        """Tell whether ``signature`` is by this key over ``text``; of types 0x04 and 0x06 with its time in front.

        Raises:
            NoteError: Type 0x04 or 0x06, and the text is no checkpoint.
            NoMLDSAError: When this platform cannot do ML-DSA: neither good nor bad.
        """
        public, kind = self.key.public, self.key.key_type
        if kind == notes.ED25519:
            return notes.verify_ed25519(public, signature, text.encode())
        time_s, raw = split_cosignature(signature)
        if len(raw) != _SIGNATURE_BYTES[kind] or time_s > MAX_TIME_S:
            return False
        checkpoint = parse_checkpoint(text)
        if kind == COSIGNATURE_ED25519:
            return notes.verify_ed25519(public, raw, cosigned_ed25519(text, time_s))
        return verify_mldsa44(public, raw, cosigned_mldsa44(self.name, checkpoint, time_s))


class LineSigner(Keyed, frozen=True, kw_only=True):
    """Makes lines at a given time; ML-DSA signs afresh each time (FIPS 204, hedged).

    Attributes:
        private: The private key; the public half of one of type 0x04 must not cosign under another name, because
            such a line does not name who made it (C2SP tlog-cosignature).
        at: When it signs, which types 0x04 and 0x06 state; aware.
    """

    private: "Ed25519PrivateKey | MLDSA44PrivateKey"
    at: datetime

    def sign(self, text: str) -> bytes:
        """Give the signature over the checkpoint in ``text``; of types 0x04 and 0x06 with its time in front."""
        if self.key.key_type == notes.ED25519:
            return self.private.sign(text.encode())
        time_s = int(self.at.timestamp())
        if self.key.key_type == COSIGNATURE_ED25519:
            message = cosigned_ed25519(text, time_s)
        else:
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


def verifier_of(vkey: str) -> LineVerifier:
    """Give what checks the lines of a verifier key.

    Raises:
        ConfigurationError: When the key is malformed or of a type that is not understood.
    """
    return _understood(notes.parse_vkey(vkey))


def verifiers_of(keys: Iterable[notes.VerifierKey]) -> list[notes.NoteVerifier]:
    """Give what checks the lines of keys; ML-DSA-44 is passed over where this platform has none.

    Raises:
        ConfigurationError: When one is of a type that is not understood.
    """
    return [_understood(key) for key in keys if key.key_type != COSIGNATURE_MLDSA44 or has_mldsa()]


def _understood(key: notes.VerifierKey) -> LineVerifier:
    if _PUBLIC_BYTES.get(key.key_type) != len(key.public):
        raise ConfigurationError(
            f"the verifier key of {key.name!r} has the type {key.key_type:#04x} and "
            f"{len(key.public)} bytes, which fit no signature that is understood here"
        )
    return LineVerifier(key=key)


def _opaque(text: str) -> bytes:
    raw = text.encode()
    if not 0 < len(raw) <= _MAX_NAME_BYTES:
        raise ConfigurationError(f"{text[:40]!r} has {len(raw)} bytes; a name in a cosignature has 1 to 255")
    return bytes([len(raw)]) + raw

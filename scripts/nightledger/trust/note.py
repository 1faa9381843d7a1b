r"""C2SP signed notes (c2sp.org/signed-note@v1.0.0), and checkpoints, the heads of a log (c2sp.org/tlog-checkpoint@v1.0.0).

``<text>\n\n— <name> <base64(4-byte key id || signature)>\n``. Invariant: a text is given
out by :func:`verify_note` only when every line by a known key verifies and every key
that was asked for has signed; lines by unknown keys are ignored and kept.

``<origin>\n<size>\n<base64 root>\n`` is the text of a checkpoint's note. Its log signs it with Ed25519 (type 0x01, over the
text itself). Timestamped signatures (c2sp.org/tlog-cosignature) have the payload ``u64 time || signature``: type 0x04,
``cosignature/v1``, by witnesses with Ed25519; type 0x06, ``subtree/v1``, with ML-DSA-44 (FIPS 204), by which a log
signs its own checkpoints against quantum computers. Invariant: no extension lines, which ML-DSA lines would not sign,
so that one head has one text; what is signed names the log, its size and its root; type 0x06 also the key's name.
"""

import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError, IntegrityError
from nightledger.trust.merkle import DIGEST_BYTES

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

ED25519 = 0x01
"""Signature type of Ed25519 over the text (C2SP signed-note, "Signature types")."""
MAX_NOTE_BYTES = 1_000_000
"""The limit of golang.org/x/mod/sumdb/note; 100 post-quantum lines stay far below it."""
MAX_SIGNATURES = 100
"""Likewise; C2SP asks verifiers to take at least 16."""
_KEY_ID_BYTES = 4
_DASH = "— "
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_NAME = re.compile(r"[^\s+]+")
_LINE = re.compile(r"— ([^\s+]+) (\S+)")
MAX_SIZE = 2**63 - 1
"""Largest tree size that every implementation can hold."""
_LINES = 3
COSIGNATURE_ED25519 = 0x04
COSIGNATURE_MLDSA44 = 0x06
MLDSA44_PUBLIC_BYTES = 1_312
"""FIPS 204 table 2."""
_SIGNATURE_BYTES = {COSIGNATURE_ED25519: 64, COSIGNATURE_MLDSA44: 2_420}
"""RFC 8032; FIPS 204 table 2."""
_PUBLIC_BYTES = {ED25519: 32, COSIGNATURE_ED25519: 32, COSIGNATURE_MLDSA44: MLDSA44_PUBLIC_BYTES}
MAX_TIME_S = 253_402_300_799
"""The end of the year 9999, the last that Python's times have; C2SP ends at 2**63 - 1."""
_TIME_BYTES = 8
_LABEL = b"subtree/v1\n\0"
_MAX_NAME_BYTES = 255  # opaque<1..2^8-1>


class NoteError(IntegrityError):
    """A signed note is malformed, or its signatures do not hold."""


class NoteSignature(Struct, frozen=True, kw_only=True):
    """One signature line.

    Attributes:
        name: Key name.
        key_id: 4 bytes; with the name it identifies the key.
        signature: What follows the key id; its form depends on the key's type.
    """

    name: str
    key_id: bytes
    signature: bytes


class Note(Struct, frozen=True, kw_only=True):
    r"""A text with its signature lines, not yet verified.

    Attributes:
        text: Ends with ``\n``.
        signatures: In the order of the file.
    """

    text: str
    signatures: tuple[NoteSignature, ...]


class VerifierKey(Struct, frozen=True, kw_only=True):
    """A public key in the form that is handed around: ``name+hex(id)+base64(type || key)``.

    Attributes:
        name: Key name; no Unicode spaces, no plus.
        key_type: Signature type, one byte.
        public: Public key, encoded as its type says.
    """

    name: str
    key_type: int
    public: bytes

    def __post_init__(self) -> None:
        """Refuse names that no signature line could carry."""
        if not _NAME.fullmatch(self.name) or _CONTROL.search(self.name):
            raise ConfigurationError(f"{self.name!r} cannot be a key name: no spaces, no plus, not empty")

    @property
    def key_id(self) -> bytes:
        """SHA-256(name || 0x0A || type || public key)[:4] (C2SP signed-note, "Signatures")."""
        hashed = self.name.encode() + b"\n" + bytes([self.key_type]) + self.public
        return hashlib.sha256(hashed).digest()[:_KEY_ID_BYTES]

    def dump(self) -> str:
        """Give the one-line form."""
        return f"{self.name}+{self.key_id.hex()}+{encode_base64(bytes([self.key_type]) + self.public)}"

    def verify(self, text: str, signature: bytes) -> bool:
        """Tell whether ``signature`` is by this key over ``text``; of types 0x04 and 0x06 with its time in front.

        Raises:
            NoteError: Type 0x04 or 0x06, and the text is no checkpoint.
            NoMLDSAError: When this platform cannot do ML-DSA: neither good nor bad.
        """
        if self.key_type == ED25519:
            return verify_ed25519(self.public, signature, text.encode())
        time_s, raw = split_cosignature(signature)
        if len(raw) != _SIGNATURE_BYTES[self.key_type] or time_s > MAX_TIME_S:
            return False
        checkpoint = parse_checkpoint(text)
        if self.key_type == COSIGNATURE_ED25519:
            return verify_ed25519(self.public, raw, cosigned_ed25519(text, time_s))
        return verify_mldsa44(self.public, raw, cosigned_mldsa44(self.name, checkpoint, time_s))


def parse_vkey(text: str) -> VerifierKey:
    """Read a verifier key of any type.

    Raises:
        ConfigurationError: When it is malformed or its id is not that of its key.
    """
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    material = decode_base64(encoded)
    if not material:
        raise ConfigurationError(f"{text!r} is not a verifier key: name+8 hex digits+base64")
    key = VerifierKey(name=name, key_type=material[0], public=material[1:])
    if key.key_id.hex() != key_id:
        raise ConfigurationError(
            f"the verifier key of {name!r} has the id {key.key_id.hex()}, not {key_id!r}"
        )
    return key


def verify_ed25519(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether an Ed25519 signature holds (RFC 8032 section 5.1.7); False for any malformed input."""
    from cryptography.exceptions import InvalidSignature

    try:
        _ed25519_key(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=64)
def _ed25519_key(public: bytes) -> "Ed25519PublicKey":
    """Make a key of its 32 bytes: one operator's key verifies thousands of signatures."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(public)


def parse_note(raw: bytes) -> Note:
    """Take a signed note apart; nothing is verified.

    Raises:
        NoteError: When it is no signed note by the letter of the specification.
    """
    if len(raw) > MAX_NOTE_BYTES:
        raise NoteError(f"the note has {len(raw)} bytes; at most {MAX_NOTE_BYTES} are read")
    try:
        whole = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NoteError("the note is not UTF-8") from error
    if _CONTROL.search(whole):
        raise NoteError("the note holds a control character")
    # The text may hold blank lines itself: signatures begin behind the last one.
    text, blank, lines = whole.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise NoteError("the note has no blank line followed by signature lines")
    split = lines[:-1].split("\n")
    if len(split) > MAX_SIGNATURES:
        raise NoteError(f"the note has {len(split)} signature lines; at most {MAX_SIGNATURES} are read")
    return Note(text=text + "\n", signatures=tuple(map(_parse_line, split)))


def dump_note(note: Note) -> bytes:
    """Give the bytes of a note; the inverse of :func:`parse_note`.

    Raises:
        NoteError: When the text or a name could not be read back.
    """
    lines = [
        f"{_DASH}{line.name} {encode_base64(line.key_id + line.signature)}\n" for line in note.signatures
    ]
    raw = f"{note.text}\n{''.join(lines)}".encode()
    if parse_note(raw) != note:
        raise NoteError("the note cannot be written: its text or a key name has a form that is not its own")
    return raw


def sign_note(text: str, signers: Iterable["LineSigner"]) -> Note:
    r"""Sign a text with every signer, one line each, in their order.

    Args:
        text: Ends with ``\n``, no other control characters.
        signers: At least one.
    """
    lines = [
        NoteSignature(name=signer.key.name, key_id=signer.key.key_id, signature=signer.sign(text))
        for signer in signers
    ]
    return Note(text=text, signatures=tuple(lines))


def verify_note(note: Note, verifiers: Sequence[VerifierKey]) -> tuple[NoteSignature, ...]:
    """Give the lines by known keys, all of which hold.

    A line by a known key that does not verify fails the whole note; lines by unknown keys
    are ignored (C2SP signed-note, "Signatures").

    Raises:
        NoteError: When a known key's line is bad, or no known key has signed.
    """
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    held: list[NoteSignature] = []
    for line in note.signatures:
        verifier = known.get((line.name, line.key_id))
        if verifier is None:
            continue
        if not verifier.verify(note.text, line.signature):
            raise NoteError(f"the signature by {line.name} (key {line.key_id.hex()}) does not hold")
        held.append(line)
    if not held:
        raise NoteError("no known key has signed the note")
    return tuple(held)


def _parse_line(line: str) -> NoteSignature:
    match = _LINE.fullmatch(line)
    raw = decode_base64(match[2]) if match else None
    if match is None or raw is None or len(raw) <= _KEY_ID_BYTES:
        raise NoteError(f"not a signature line: {line[:80]!r}")
    return NoteSignature(name=match[1], key_id=raw[:_KEY_ID_BYTES], signature=raw[_KEY_ID_BYTES:])


def decode_base64(text: str) -> bytes | None:
    """Give the bytes, or None where the text is not exactly their standard encoding (RFC 4648 section 4).

    Lenient decoders take many texts for one value, and then a text that was signed can be changed without
    breaking its signature.
    """
    try:
        raw = binascii.a2b_base64(text)
    except (binascii.Error, ValueError):  # not ASCII is a ValueError
        return None
    return raw if binascii.b2a_base64(raw, newline=False) == text.encode() else None


def encode_base64(raw: bytes) -> str:
    """Give the standard encoding, with padding and without line ends."""
    return binascii.b2a_base64(raw, newline=False).decode("ascii")


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


def parse_head(raw: bytes) -> tuple[Note, Checkpoint]:
    """Read a signed head: the note and what it says; nothing is verified.

    Raises:
        NoteError: It is no note, or no checkpoint stands in it.
    """
    note = parse_note(raw)
    return note, parse_checkpoint(note.text)


def parse_checkpoint(text: str) -> Checkpoint:
    """Read the text of a checkpoint's note.

    Raises:
        NoteError: When it is not exactly the three lines.
    """
    lines = text.split("\n")
    if len(lines) != _LINES + 1 or lines.pop() != "":
        raise NoteError("a checkpoint has three lines: origin, size, root")
    origin, size, encoded = lines
    root = decode_base64(encoded)
    if not origin:
        raise NoteError("the checkpoint names no log")
    if not (size.isascii() and size.isdigit() and str(int(size[:20])) == size and int(size) <= MAX_SIZE):
        raise NoteError(f"{size[:40]!r} is not a tree size")
    if root is None or len(root) != DIGEST_BYTES:
        raise NoteError(f"{encoded[:80]!r} is not a root: 32 bytes in base64")
    return Checkpoint(origin=origin, size=int(size), root=root)


def dump_checkpoint(checkpoint: Checkpoint) -> str:
    """Give the text that is signed; the inverse of :func:`parse_checkpoint`.

    Raises:
        NoteError: When it could not be read back: an origin with a line end, a wrong root.
    """
    text = f"{checkpoint.origin}\n{checkpoint.size}\n{encode_base64(checkpoint.root)}\n"
    parse_checkpoint(text)
    return text


class NoMLDSAError(ConfigurationError):
    """This platform cannot do ML-DSA: its lines can neither be made nor checked."""

    hint = "check the post-quantum line on a machine whose cryptography package has ML-DSA"

    def __init__(self) -> None:
        super().__init__("this platform's cryptography library has no ML-DSA")


def has_mldsa() -> bool:
    """Tell whether this platform's ``cryptography`` can do ML-DSA (its OpenSSL must have it)."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

        MLDSA44PrivateKey.from_seed_bytes(bytes(32))
    except (ImportError, UnsupportedAlgorithm):
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


class LineSigner(Struct, frozen=True, kw_only=True):
    """Makes lines at a given time; ML-DSA signs afresh each time (FIPS 204, hedged).

    Attributes:
        key: Public side: name, type, key.
        private: The private key; the public half of one of type 0x04 must not cosign under another name, because
            such a line does not name who made it (C2SP tlog-cosignature).
        at: When it signs, which types 0x04 and 0x06 state; aware.
    """

    key: VerifierKey
    private: "Ed25519PrivateKey | MLDSA44PrivateKey"
    at: datetime

    def sign(self, text: str) -> bytes:
        """Give the signature over the checkpoint in ``text``; of types 0x04 and 0x06 with its time in front."""
        if self.key.key_type == ED25519:
            return self.private.sign(text.encode())
        time_s = int(self.at.timestamp())
        if self.key.key_type == COSIGNATURE_ED25519:
            message = cosigned_ed25519(text, time_s)
        else:
            message = cosigned_mldsa44(self.key.name, parse_checkpoint(text), time_s)
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


def verifier_of(vkey: str) -> VerifierKey:
    """Read a verifier key whose lines can be checked.

    Raises:
        ConfigurationError: When the key is malformed or of a type that is not understood.
    """
    return _understood(parse_vkey(vkey))


def verifiers_of(keys: Iterable[VerifierKey]) -> list[VerifierKey]:
    """Return those of keys whose lines can be checked here; ML-DSA-44 is passed over where this platform has none.

    Raises:
        ConfigurationError: When one is of a type that is not understood.
    """
    return [_understood(key) for key in keys if key.key_type != COSIGNATURE_MLDSA44 or has_mldsa()]


def _understood(key: VerifierKey) -> VerifierKey:
    if _PUBLIC_BYTES.get(key.key_type) != len(key.public):
        raise ConfigurationError(
            f"the verifier key of {key.name!r} has the type {key.key_type:#04x} and "
            f"{len(key.public)} bytes, which fit no signature that is understood here"
        )
    return key


def _opaque(text: str) -> bytes:
    raw = text.encode()
    if not 0 < len(raw) <= _MAX_NAME_BYTES:
        raise ConfigurationError(f"{text[:40]!r} has {len(raw)} bytes; a name in a cosignature has 1 to 255")
    return bytes([len(raw)]) + raw

r"""C2SP signed notes: a text and lines that sign it (c2sp.org/signed-note@v1.0.0).

``<text>\n\n— <name> <base64(4-byte key id || signature)>\n``. Invariant: a text is given
out by :func:`verify_note` only when every line by a known key verifies and every key
that was asked for has signed; lines by unknown keys are ignored and kept.
"""

import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError, IntegrityError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

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


class Named(Protocol):
    """What bears the name and id of a key."""

    @property
    def name(self) -> str:
        """Key name."""

    @property
    def key_id(self) -> bytes:
        """4 bytes."""


class NoteVerifier(Named, Protocol):
    """A public key that can check the lines which bear its name and id."""

    def verify(self, text: str, signature: bytes) -> bool:
        """Tell whether ``signature`` is by this key over ``text``."""


class NoteSigner(Named, Protocol):
    """A private key that can make a line."""

    def sign(self, text: str) -> bytes:
        """Give the signature over ``text``, without the key id."""


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


def sign_note(text: str, signers: Iterable[NoteSigner]) -> Note:
    r"""Sign a text with every signer, one line each, in their order.

    Args:
        text: Ends with ``\n``, no other control characters.
        signers: At least one.
    """
    lines = [
        NoteSignature(name=signer.name, key_id=signer.key_id, signature=signer.sign(text))
        for signer in signers
    ]
    return Note(text=text, signatures=tuple(lines))


def verify_note(note: Note, verifiers: Sequence[NoteVerifier]) -> tuple[NoteSignature, ...]:
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

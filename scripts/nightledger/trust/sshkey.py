"""SSH public keys: which kinds may sign here, their one-line form, their raw verification; SSH's byte strings.

Invariant: only kinds that we verify in full are taken. RSA and DSS are refused (SHA-1
ancestry, malleable encodings), as is everything unknown. What is read is within bounds, and nothing is left over
unseen (RFC 4251 section 5).
"""

import base64
import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.trust.note import decode_base64, encode_base64, verify_ed25519

ED25519 = "ssh-ed25519"
ECDSA_P256 = "ecdsa-sha2-nistp256"
SK_ED25519 = "sk-ssh-ed25519@openssh.com"
SK_ECDSA_P256 = "sk-ecdsa-sha2-nistp256@openssh.com"
KINDS = frozenset({ED25519, ECDSA_P256, SK_ED25519, SK_ECDSA_P256})
SECURITY_KEY_KINDS = frozenset({SK_ED25519, SK_ECDSA_P256})
"""Keys that live in hardware; each signature says whether it was touched."""
_U32 = 4
_CURVE = b"nistp256"
_ED25519_BYTES = 32
_BLANKS = " \t"
"""What OpenSSH takes for a blank within a line."""
_AROUND = f"{_BLANKS}\r\n"


class WireError(NightledgerError):
    """Bytes are not the structure they should be."""


class WireReader:
    """Takes a structure apart from front to back."""

    __slots__ = ("_at", "_raw")

    def __init__(self, raw: bytes) -> None:
        """Begin at the first byte."""
        self._raw = raw
        self._at = 0

    def take(self, count: int) -> bytes:
        """Give the next ``count`` bytes.

        Raises:
            WireError: When there are fewer.
        """
        end = self._at + count
        if end > len(self._raw):
            raise WireError("the structure ends too early")
        taken = self._raw[self._at : end]
        self._at = end
        return taken

    def u32(self) -> int:
        """Give the next big-endian 32-bit number."""
        return int.from_bytes(self.take(_U32), "big")

    def string(self) -> bytes:
        """Give the next counted byte string."""
        return self.take(self.u32())

    def mpint(self) -> int:
        """Give the next positive integer, in its only encoding (RFC 4251: no superfluous zeros).

        Raises:
            WireError: When it is zero, negative or padded.
        """
        raw = self.string()
        value = int.from_bytes(raw, "big", signed=True)
        if value <= 0 or len(raw) != value.bit_length() // 8 + 1:
            raise WireError("a number is not positive or not in its shortest form")
        return value

    def end(self) -> None:
        """Require that nothing is left.

        Raises:
            WireError: When something is.
        """
        if self._at != len(self._raw):
            raise WireError(f"{len(self._raw) - self._at} bytes are left over")


def wire_string(raw: bytes) -> bytes:
    """Give ``uint32 length || raw``."""
    return len(raw).to_bytes(_U32, "big") + raw


class PublicKeyError(ConfigurationError):
    """A public key is malformed or of a kind that is refused."""

    hint = "make an Ed25519 key: ssh-keygen -t ed25519 (or -t ed25519-sk for a hardware key)"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """An SSH public key; equal when the key is, whatever its comment.

    Attributes:
        kind: Its algorithm's name, one of ``KINDS`` where it may sign.
        blob: The key in SSH's encoding, which begins with its kind.
        comment: What stands behind it in its line.
    """

    kind: str
    blob: bytes
    comment: str = field(default="", compare=False)

    @property
    def line(self) -> str:
        """``ssh-ed25519 AAAA... comment``, as in a ``.pub`` file."""
        return f"{self.kind} {encode_base64(self.blob)} {self.comment}".rstrip()

    @property
    def fingerprint(self) -> str:
        """``SHA256:...``, as ``ssh-keygen -l`` prints it."""
        return fingerprint_of(self.blob)


def fingerprint_of(blob: bytes) -> str:
    """Give ``SHA256:...`` of a key in SSH's encoding, as ``ssh-keygen -l`` prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def ed25519_key(public: bytes, comment: str = "") -> PublicKey:
    """Give the SSH form of a raw Ed25519 public key (32 bytes; RFC 8709 section 4)."""
    return PublicKey(kind=ED25519, blob=wire_string(ED25519.encode()) + wire_string(public), comment=comment)


def parse_public_line(text: str, *, any_kind: bool = False) -> PublicKey:
    """Read one line of a ``.pub`` file.

    Args:
        text: ``kind base64 comment``.
        any_kind: Take kinds that may not sign here, too (a revocation list may name them).

    Raises:
        PublicKeyError: When it is malformed or its kind is refused.
    """
    kind, _, rest = text.strip(_AROUND).partition(" ")
    encoded, _, comment = rest.strip(_BLANKS).partition(" ")
    blob = decode_base64(encoded)
    if not blob:
        raise PublicKeyError(f"not a public key line: {text.strip()[:60]!r}")
    key = parse_public_blob(blob, any_kind=any_kind)
    if key.kind != kind:
        raise PublicKeyError(f"the line says {kind!r} and its key {key.kind!r}")
    return PublicKey(kind=kind, blob=blob, comment=comment.strip())


def parse_public_blob(blob: bytes, *, any_kind: bool = False) -> PublicKey:
    """Read a key in SSH's encoding, whole.

    Raises:
        PublicKeyError: When it is malformed or its kind is refused.
    """
    try:
        kind = WireReader(blob).string().decode("ascii")
        if kind in KINDS:
            _split(kind, blob)
        elif not any_kind:
            raise PublicKeyError(f"keys of the kind {kind[:40]!r} are refused")
    except (WireError, UnicodeDecodeError) as error:
        raise PublicKeyError("the public key is malformed") from error
    return PublicKey(kind=kind, blob=blob)


def application_of(key: PublicKey) -> bytes:
    """Give the application of a hardware key (``ssh:``), which it signs with every message."""
    return _split(key.kind, key.blob)[1]


def verify_raw(key: PublicKey, signature: bytes, message: bytes) -> bool:
    """Tell whether the bare signature of a key holds over a message.

    Args:
        key: One of ``KINDS``.
        signature: 64 bytes for the Ed25519 kinds; ``mpint r || mpint s`` for the ECDSA kinds.
        message: For hardware keys, what the hardware signed.
    """
    point, _ = _split(key.kind, key.blob)
    if key.kind in (ED25519, SK_ED25519):
        return verify_ed25519(point, signature, message)
    return _verify_ecdsa(point, signature, message)


def _verify_ecdsa(point: bytes, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        reader = WireReader(signature)
        r, s = reader.mpint(), reader.mpint()
        reader.end()
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        public.verify(encode_dss_signature(r, s), message, ec.ECDSA(SHA256()))
    except (InvalidSignature, ValueError, WireError):
        return False
    return True


@lru_cache(maxsize=64)
def _split(kind: str, blob: bytes) -> tuple[bytes, bytes]:
    """Give the public point and, for hardware keys, the application (PROTOCOL.u2f of OpenSSH).

    A log of many years holds thousands of signatures by one key: its parts are remembered, no verdict is.
    """
    reader = WireReader(blob)
    reader.string()
    if kind in (ECDSA_P256, SK_ECDSA_P256) and reader.string() != _CURVE:
        raise WireError("the key names another curve than its kind")
    point = reader.string()
    if kind in (ED25519, SK_ED25519) and len(point) != _ED25519_BYTES:
        raise WireError("an Ed25519 key has 32 bytes")
    application = reader.string() if kind in SECURITY_KEY_KINDS else b""
    reader.end()
    return point, application

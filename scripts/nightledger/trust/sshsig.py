"""SSH keys and SSH signatures: which kinds may sign here, their one-line form, and files signed (PROTOCOL.sshsig of OpenSSH).

Invariant: only kinds that we verify in full are taken; RSA and DSS are refused (SHA-1
ancestry, malleable encodings), as is everything unknown. What is read is within bounds, and nothing is left over
unseen (RFC 4251 section 5). A signature holds only for one namespace and for a key that the caller brings;
the key inside it is compared, never believed. Ed25519 is deterministic, so what
:class:`KeySigner` makes is byte for byte what ``ssh-keygen -Y sign`` makes.
"""

import base64
import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError, NightledgerError, RefusedError
from nightledger.trust.note import decode_base64, encode_base64, verify_ed25519

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

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
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASHES = frozenset({"sha256", "sha512"})
_HASH = "sha512"  # what ssh-keygen uses unless asked otherwise
_BEGIN = "-----BEGIN SSH SIGNATURE-----"
_END = "-----END SSH SIGNATURE-----"
_COLUMNS = 70  # sshbuf_dtob64 of OpenSSH wraps here
_MAX_ARMOUR = 16_384
_TOUCHED = 0x01  # user presence flag of an authenticator (WebAuthn section 6.1)
_SIGN_TIMEOUT_S = 120


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


class PublicKey(Struct, frozen=True, kw_only=True, eq=False):
    """An SSH public key; equal when the key is, whatever its comment.

    Attributes:
        kind: Its algorithm's name, one of ``KINDS`` where it may sign.
        blob: The key in SSH's encoding, which begins with its kind.
        comment: What stands behind it in its line.
    """

    kind: str
    blob: bytes
    comment: str = ""

    def __eq__(self, other: object) -> bool:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        return isinstance(other, PublicKey) and (self.kind, self.blob) == (other.kind, other.blob)

    def __ne__(self, other: object) -> bool:  # type: ignore[explicit-override]  # a struct has one of its own
        return not self == other

    def __hash__(self) -> int:  # type: ignore[explicit-override]
        return hash((self.kind, self.blob))

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


# ------------------------------------------------------------------ signatures


class SignatureError(RefusedError):
    """A signature does not hold, or is not by a key that may sign."""


class Signer(Protocol):
    """Whoever can sign for the operator."""

    @property
    def public_key(self) -> PublicKey:
        """The key that it signs with."""

    def sign(self, message: bytes, namespace: str) -> str:
        """Give the armoured signature over ``message`` for ``namespace``."""


class Signature(Struct, frozen=True, kw_only=True):
    """A signature taken apart; nothing is verified.

    Attributes:
        key: The key that it says it is by.
        namespace: What it was made for.
        hash_algorithm: sha256 or sha512.
        raw: The bare signature, in the form of its kind.
        flags: What a hardware key attests: bit 0 is touch; 0 for others.
        counter: How often a hardware key has signed; 0 for others.
    """

    key: PublicKey
    namespace: str
    hash_algorithm: str
    raw: bytes
    flags: int = 0
    counter: int = 0


class KeySigner(Struct, frozen=True):
    """Signs with an Ed25519 key that is in memory.

    Attributes:
        private: The key.
    """

    private: "Ed25519PrivateKey"

    @property
    def public_key(self) -> PublicKey:
        """Its public side."""
        return ed25519_key(self.private.public_key().public_bytes_raw())

    def sign_bytes(self, message: bytes) -> bytes:
        """Give the bare signature over ``message`` (RFC 8032), as an envelope carries it."""
        return self.private.sign(message)

    def sign(self, message: bytes, namespace: str) -> str:
        """Give the armoured signature, the same bytes as ``ssh-keygen -Y sign`` gives."""
        raw = self.private.sign(signed_bytes(message, namespace, _HASH))
        wrapped = wire_string(ED25519.encode()) + wire_string(raw)
        fields = (self.public_key.blob, namespace.encode(), b"", _HASH.encode(), wrapped)
        return _armour(_MAGIC + _VERSION.to_bytes(4, "big") + b"".join(map(wire_string, fields)))


class KeygenSigner(Struct, frozen=True, kw_only=True):
    """Signs through ``ssh-keygen -Y sign``: hardware keys, agents, keys with their own prompts.

    Attributes:
        path: The key file; for a key that only an agent holds, its ``.pub`` file.
        public_key: The key that must come out.
        program: The ``ssh-keygen`` to run.
    """

    path: str
    public_key: PublicKey
    program: str = "ssh-keygen"

    def sign(self, message: bytes, namespace: str) -> str:
        """Give the armoured signature, after checking that it is by ``public_key``.

        Waits at most two minutes for a passphrase or a touch.

        Raises:
            ConfigurationError: When the program is missing.
            SignatureError: When it does not sign, or what it gives does not hold.
        """
        import subprocess

        command = [self.program, "-q", "-Y", "sign", "-f", self.path, "-n", namespace]
        try:
            # No shell; the program and the key are named by the operator's own configuration.
            done = subprocess.run(  # noqa: S603 - an argument list, see above
                command, input=message, capture_output=True, timeout=_SIGN_TIMEOUT_S, check=False
            )
        except FileNotFoundError as error:
            raise ConfigurationError(
                f"{self.program} is not installed", hint="install OpenSSH, or use a key file made by 'init'"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise SignatureError(f"{self.program} did not sign within {_SIGN_TIMEOUT_S} s") from error
        armour = done.stdout.decode("ascii", "replace")
        if done.returncode != 0:
            raise SignatureError(
                f"{self.program} did not sign: {done.stderr.decode(errors='replace').strip()}",
                hint=f"put its private key back beside {self.path}, or load it: ssh-add"
                if self.path.endswith(".pub")
                else "",
            )
        verify_with(self.public_key, message, armour, namespace)
        return armour


def signed_bytes(message: bytes, namespace: str, hash_algorithm: str) -> bytes:
    """Give what is signed for a message: magic, namespace, reserved, hash name, hash (PROTOCOL.sshsig)."""
    digest = hashlib.new(hash_algorithm, message).digest()
    return _MAGIC + b"".join(map(wire_string, (namespace.encode(), b"", hash_algorithm.encode(), digest)))


def parse_signature(armour: str) -> Signature:
    """Take an armoured signature apart; nothing is verified.

    Raises:
        SignatureError: When it is malformed or by a kind of key that is refused.
    """
    reader = WireReader(_unarmour(armour))
    try:
        if reader.take(len(_MAGIC)) != _MAGIC or reader.u32() != _VERSION:
            raise SignatureError("not an SSH signature of version 1")
        key = parse_public_blob(reader.string())
        namespace, reserved, hash_algorithm = (reader.string().decode() for _ in range(3))
        if reserved or hash_algorithm not in _HASHES:
            raise SignatureError("the signature uses a field or a hash that is not understood")
        raw, flags, counter = _split_signature(key, reader.string())
        reader.end()
    except (WireError, UnicodeDecodeError, PublicKeyError) as error:
        raise SignatureError(f"the signature is malformed: {error}") from error
    return Signature(
        key=key, namespace=namespace, hash_algorithm=hash_algorithm, raw=raw, flags=flags, counter=counter
    )


def verify_with(key: PublicKey, message: bytes, armour: str, namespace: str) -> None:
    """Check that ``armour`` is a signature by ``key`` over ``message`` for ``namespace``.

    A hardware key must have been touched.

    Raises:
        SignatureError: When it is not.
    """
    require_signed(key, message, parse_signature(armour), namespace)


def require_signed(key: PublicKey, message: bytes, signature: Signature, namespace: str) -> None:
    """Check a signature that was taken apart already; see :func:`verify_with`.

    Raises:
        SignatureError: When it is not by ``key`` over ``message`` for ``namespace``.
    """
    if signature.key != key:
        raise SignatureError(f"the signature is by {signature.key.fingerprint}, not {key.fingerprint}")
    if signature.namespace != namespace:
        raise SignatureError(f"the signature was made for {signature.namespace!r}, not {namespace!r}")
    signed = signed_bytes(message, namespace, signature.hash_algorithm)
    if key.kind in SECURITY_KEY_KINDS:
        if not signature.flags & _TOUCHED:
            raise SignatureError("the hardware key was not touched for this signature")
        signed = _hardware_signed(key, signature, signed)
    if not verify_raw(key, signature.raw, signed):
        raise SignatureError(f"the signature by {key.fingerprint} does not hold over these bytes")


def _hardware_signed(key: PublicKey, signature: Signature, signed: bytes) -> bytes:
    """Give what a FIDO authenticator signs (PROTOCOL.u2f of OpenSSH)."""
    application = hashlib.sha256(_split(key.kind, key.blob)[1]).digest()  # ``ssh:``
    told = bytes([signature.flags]) + signature.counter.to_bytes(4, "big")
    return application + told + hashlib.sha256(signed).digest()


def _split_signature(key: PublicKey, wrapped: bytes) -> tuple[bytes, int, int]:
    reader = WireReader(wrapped)
    kind = reader.string().decode()
    if kind != key.kind:
        raise SignatureError(f"a signature of the kind {kind[:40]!r} by a key of the kind {key.kind!r}")
    raw, flags, counter = reader.string(), 0, 0
    if kind in SECURITY_KEY_KINDS:
        flags, counter = reader.take(1)[0], reader.u32()
    reader.end()
    return raw, flags, counter


def _armour(blob: bytes) -> str:
    text = encode_base64(blob)
    lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
    return "\n".join((_BEGIN, *lines, _END, ""))


def _unarmour(armour: str) -> bytes:
    r"""Give what the armour holds, which has no line end but ``\n``: ``ssh-keygen`` takes no other."""
    lines = armour.rstrip("\n").split("\n") if len(armour) <= _MAX_ARMOUR else []
    if len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:  # noqa: PLR2004 - begin, body, end
        raise SignatureError("not an armoured SSH signature")
    blob = decode_base64("".join(lines[1:-1]))
    if blob is None:
        raise SignatureError("the signature's base64 is damaged")
    return blob

"""SSH signatures on files (PROTOCOL.sshsig of OpenSSH): made, taken apart and verified.

Invariant: a signature holds only for one namespace and for a key that the caller brings;
the key inside it is compared, never believed. Ed25519 is deterministic, so what
:class:`KeySigner` makes is byte for byte what ``ssh-keygen -Y sign`` makes.
"""

import hashlib
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError, RefusedError
from nightledger.trust.note import decode_base64, encode_base64
from nightledger.trust.sshkey import (
    ED25519,
    SECURITY_KEY_KINDS,
    PublicKey,
    PublicKeyError,
    WireError,
    WireReader,
    application_of,
    ed25519_key,
    parse_public_blob,
    verify_raw,
    wire_string,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

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
                f"{self.program} did not sign: {done.stderr.decode(errors='replace').strip()}"
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
    return b"".join(
        (
            hashlib.sha256(application_of(key)).digest(),
            bytes([signature.flags]),
            signature.counter.to_bytes(4, "big"),
            hashlib.sha256(signed).digest(),
        )
    )


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

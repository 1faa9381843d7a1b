"""Keys of every kind that may sign, in software; hardware keys are imitated by their published format."""

import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from nightledger.trust.sshsig import PublicKey, _armour, signed_bytes, wire_string

KINDS = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
)


def wire_mpint(value: int) -> bytes:
    """Give a positive integer as counted bytes with a clear sign bit."""
    return wire_string(value.to_bytes(value.bit_length() // 8 + 1, "big"))


@dataclass(frozen=True)
class SoftKey:
    """A key of any kind; ``flags`` and ``counter`` are what a hardware key would attest."""

    kind: str
    seed: int = 1
    flags: int = 1
    counter: int = 41
    application: bytes = b"ssh:"

    @property
    def is_hardware(self) -> bool:
        return self.kind.startswith("sk-")

    @property
    def private(self) -> Any:
        if "ed25519" in self.kind:
            return Ed25519PrivateKey.from_private_bytes(bytes([self.seed]) * 32)
        return ec.derive_private_key(self.seed + 1_000_003, ec.SECP256R1())

    @property
    def public(self) -> PublicKey:
        if "ed25519" in self.kind:
            middle = wire_string(self.private.public_key().public_bytes_raw())
        else:
            point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
            middle = wire_string(b"nistp256") + wire_string(point)
        tail = wire_string(self.application) if self.is_hardware else b""
        return PublicKey(kind=self.kind, blob=wire_string(self.kind.encode()) + middle + tail)

    def raw(self, message: bytes) -> bytes:
        if "ed25519" in self.kind:
            return bytes(self.private.sign(message))
        r, s = decode_dss_signature(self.private.sign(message, ec.ECDSA(SHA256())))
        return wire_mpint(r) + wire_mpint(s)

    def sign(self, message: bytes, namespace: str, *, hash_algorithm: str = "sha512") -> str:
        signed = signed_bytes(message, namespace, hash_algorithm)
        tail = b""
        if self.is_hardware:
            tail = bytes([self.flags]) + self.counter.to_bytes(4, "big")
            signed = hashlib.sha256(self.application).digest() + tail + hashlib.sha256(signed).digest()
        wrapped = wire_string(self.kind.encode()) + wire_string(self.raw(signed)) + tail
        fields = (self.public.blob, namespace.encode(), b"", hash_algorithm.encode(), wrapped)
        return _armour(b"SSHSIG\0\0\0\1" + b"".join(map(wire_string, fields)))

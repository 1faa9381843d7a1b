"""SSH keys and signatures made by OpenSSH's published forms (PROTOCOL.sshsig, PROTOCOL.u2f, RFC 4251), right or bent.

A hardware key is a soft one here, which says of itself what an authenticator would.
"""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_private_key
from tests.blackbox.world import World

DECISIONS = "nightledger-decision@v1"
ED25519, ECDSA = "ssh-ed25519", "ecdsa-sha2-nistp256"
HARDWARE = ("sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")


def string(raw: bytes) -> bytes:
    return len(raw).to_bytes(4, "big") + raw


def mpint(value: int) -> bytes:
    return string(value.to_bytes(value.bit_length() // 8 + 1, "big"))


def armour(blob: bytes, *, columns: int = 70, end: str = "\n") -> str:
    text = base64.b64encode(blob).decode()
    lines = [text[at : at + columns] for at in range(0, len(text), columns)]
    return "".join(
        f"{one}{end}" for one in ("-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftKey:
    """A key of any kind that may sign."""

    kind: str = ED25519
    private: Any
    application: bytes = b"ssh:"

    @property
    def blob(self) -> bytes:
        public = self.private.public_key()
        if "ed25519" in self.kind:
            middle = string(public.public_bytes(Encoding.Raw, PublicFormat.Raw))
        else:
            point = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
            middle = string(b"nistp256") + string(point)
        return (
            string(self.kind.encode()) + middle + (string(self.application) if self.kind in HARDWARE else b"")
        )

    @property
    def line(self) -> str:
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"

    @property
    def fingerprint(self) -> str:
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")

    def raw(self, message: bytes) -> bytes:
        if "ed25519" in self.kind:
            return bytes(self.private.sign(message))
        r, s = decode_dss_signature(self.private.sign(message, ec.ECDSA(SHA256())))
        return mpint(r) + mpint(s)

    def parts(
        self, message: bytes, *, namespace: str = DECISIONS, hashed: str = "sha512", **how: Any
    ) -> dict[str, bytes]:
        """Give the fields of a signature: ``touched`` is what hardware says; ``about`` is what is signed in truth."""
        digest = hashlib.new(hashed, how.get("about", message)).digest()
        fields = (how.get("signed_for", namespace).encode(), b"", hashed.encode(), digest)
        signed, tail = b"SSHSIG" + b"".join(map(string, fields)), b""
        if self.kind in HARDWARE:
            tail = bytes([how.get("touched", 1)]) + (41).to_bytes(4, "big")
            signed = hashlib.sha256(self.application).digest() + tail + hashlib.sha256(signed).digest()
        return {
            "magic": b"SSHSIG\0\0\0\1",
            "key": self.blob,
            "namespace": namespace.encode(),
            "reserved": b"",
            "hash": hashed.encode(),
            "kind": self.kind.encode(),
            "raw": self.raw(signed),
            "tail": tail,
        }

    def sign(self, message: bytes, **how: Any) -> str:
        return armour(joined(self.parts(message, **how)))


def joined(parts: dict[str, bytes]) -> bytes:
    """Give a signature's bytes from its fields."""
    whole = string(parts["kind"]) + string(parts["raw"]) + parts["tail"]
    named = (parts[name] for name in ("key", "namespace", "reserved", "hash"))
    return parts["magic"] + b"".join(map(string, named)) + string(whole) + parts.get("behind", b"")


def soft(kind: str = ED25519, number: int = 7) -> SoftKey:
    if "ed25519" in kind:
        return SoftKey(kind=kind, private=Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32))
    return SoftKey(kind=kind, private=ec.derive_private_key(number + 1_000_003, ec.SECP256R1()))


def operator_of(world: World) -> SoftKey:
    """Give the operator's own key, which has no passphrase in tests."""
    return SoftKey(private=load_ssh_private_key((world.own_keys / "operator").read_bytes(), None))

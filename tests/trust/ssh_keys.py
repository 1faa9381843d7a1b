"""The black box's keys of every kind that may sign, as our values."""

from dataclasses import dataclass

from tests.blackbox.ssh import ECDSA, ED25519, HARDWARE, soft
from tests.blackbox.ssh import mpint as wire_mpint

from nightledger.trust.sshsig import PublicKey

__all__ = ["KINDS", "SoftKey", "wire_mpint"]
KINDS = (ED25519, ECDSA, *HARDWARE)


@dataclass(frozen=True)
class SoftKey:
    """A key of any kind, made from a number."""

    kind: str
    seed: int = 1

    @property
    def public(self) -> PublicKey:
        return PublicKey(kind=self.kind, blob=soft(self.kind, self.seed).blob)

    def raw(self, message: bytes) -> bytes:
        return soft(self.kind, self.seed).raw(message)

    def sign(self, message: bytes, namespace: str, *, hash_algorithm: str = "sha512") -> str:
        return soft(self.kind, self.seed).sign(message, namespace=namespace, hashed=hash_algorithm)

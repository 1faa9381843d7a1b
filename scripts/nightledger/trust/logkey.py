"""The log's key in memory: what signs checkpoints, unattended.

Invariant: it signs heads of the log that it is named after, and nothing that the gate accepts.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from nightledger.trust.cosignature import COSIGNATURE_MLDSA44, MLDSA44Signer
from nightledger.trust.note import ED25519, Keyed, NoteSigner, VerifierKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ed25519NoteSigner(Keyed):
    """Makes lines of type 0x01 with the log's key."""

    private: "Ed25519PrivateKey"

    def sign(self, text: str) -> bytes:
        return self.private.sign(text.encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class LogKey:
    """What signs a log's checkpoints, unattended, and nothing that the gate accepts.

    Attributes:
        origin: Name of the log, and of both keys.
        directory: Where it was loaded from; the head that we last acknowledged is kept there.
        ed25519: Signs the text of a checkpoint.
        mldsa44: Signs the head in it, against quantum computers; None where the platform cannot.
    """

    origin: str
    directory: Path
    ed25519: "Ed25519PrivateKey"
    mldsa44: "MLDSA44PrivateKey | None"

    @property
    def vkeys(self) -> tuple[str, ...]:
        """Verifier keys: Ed25519 and, where the platform has it, ML-DSA-44."""
        return tuple(key.dump() for key in self._public_keys())

    def signers(self, now: datetime) -> tuple[NoteSigner, ...]:
        """Give what signs a checkpoint, line by line.

        Args:
            now: The time that the ML-DSA-44 line states; aware.
        """
        keys = self._public_keys()
        ed25519 = _Ed25519NoteSigner(key=keys[0], private=self.ed25519)
        if self.mldsa44 is None:
            return (ed25519,)
        return (ed25519, MLDSA44Signer(key=keys[1], private=self.mldsa44, at=now))

    def _public_keys(self) -> tuple[VerifierKey, ...]:
        public = self.ed25519.public_key().public_bytes_raw()
        first = VerifierKey(name=self.origin, key_type=ED25519, public=public)
        if self.mldsa44 is None:
            return (first,)
        public = self.mldsa44.public_key().public_bytes_raw()
        return (first, VerifierKey(name=self.origin, key_type=COSIGNATURE_MLDSA44, public=public))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnloadedKey:
    """A log's key that nobody needed yet: to append takes its names only, to sign takes itself.

    Attributes:
        origin: Name of the log.
        directory: Where it lies; the head that we last acknowledged is kept there.
        load: Loads it.
    """

    origin: str
    directory: Path
    load: "Callable[[], LogKey]"

    @property
    def vkeys(self) -> tuple[str, ...]:
        """Verifier keys, for which it is loaded."""
        return self.load().vkeys

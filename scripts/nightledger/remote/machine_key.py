"""The key with which a machine signs messages, unattended.

Invariant: it signs DSSE envelopes and nothing else; nothing that the gate accepts as an
operator's word is ever signed with it. One takes over from another by name: the next key
lies beside the present one until every peer knows it.
"""

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.files.durable import sync_directory
from nightledger.trust.keys import (
    MACHINE_ED25519,
    KeyFileError,
    KeyRing,
    create_machine_key,
    load_operator_key,
    public_key_of,
)
from nightledger.trust.sshkey import PublicKey, ed25519_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NEXT = f"{MACHINE_ED25519}.next"
OLD = f"{MACHINE_ED25519}.old"


class MachineKey(Struct, frozen=True):
    """A machine's key in memory.

    Attributes:
        private: The key.
    """

    private: "Ed25519PrivateKey"

    @property
    def public_key(self) -> PublicKey:
        """Its public side."""
        return ed25519_key(self.private.public_key().public_bytes_raw())

    def sign_bytes(self, message: bytes) -> bytes:
        """Give the bare signature over ``message`` (RFC 8032)."""
        return self.private.sign(message)


def load_machine_key(ring: KeyRing, home_id: str) -> MachineKey:
    """Load the key of this machine for a home.

    Raises:
        KeyFileError: It is missing, unsafe or damaged.
    """
    return MachineKey(load_operator_key(ring.path(home_id, MACHINE_ED25519)).private)


def machine_public_key(ring: KeyRing, home_id: str, *, coming: bool = False) -> PublicKey:
    """Give the public key, made where there is none.

    Args:
        ring: Where keys live.
        home_id: For which home.
        coming: The one that is to take over; made where none waits.

    Raises:
        KeyFileError: The file is unsafe or damaged.
    """
    name = NEXT if coming else MACHINE_ED25519
    path = ring.path(home_id, name)
    return public_key_of(path) if os.path.lexists(path) else create_machine_key(ring, home_id, name=name)


def take_over(ring: KeyRing, home_id: str) -> PublicKey:
    """Let the next key sign from now on; the one before it is kept as ``.old``, an older one is removed.

    Raises:
        KeyFileError: No next key was made.
    """
    present, coming, old = (ring.path(home_id, name) for name in (MACHINE_ED25519, NEXT, OLD))
    if not os.path.lexists(coming):
        raise KeyFileError(f"{coming} is missing", hint="make it first: nightledger channel keygen --next")
    if os.path.lexists(present):
        for suffix in ("", ".pub"):
            _rename(f"{present}{suffix}", f"{old}{suffix}")
    for suffix in ("", ".pub"):
        _rename(f"{coming}{suffix}", f"{present}{suffix}")
    sync_directory(str(present.parent))
    return public_key_of(present)


def _rename(source: str, target: str) -> None:
    if os.path.lexists(source):
        os.replace(source, target)

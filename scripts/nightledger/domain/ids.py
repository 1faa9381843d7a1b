"""Ids derived from content, so that a rerun gives the same id."""

import base64
import hashlib

ID_CHARACTERS = 26
"""130 bits of SHA-256 in base32: collisions by accident are out of reach."""


def content_id(prefix: str, identity: bytes) -> str:
    """Give ``<prefix>-`` and 26 characters of lower-case base32 of SHA-256.

    Args:
        prefix: One letter: ``o`` outcome, ``p`` proposal, ``d`` decision, ``e`` entry.
        identity: Canonical bytes of the identity fields; never a creation time.
    """
    return digest_id(prefix, hashlib.sha256(identity).digest())


def digest_id(prefix: str, digest: bytes) -> str:
    """Give the id of an identity whose SHA-256 is known: what `content_id` gives for its bytes."""
    return f"{prefix}-{base64.b32encode(digest).decode('ascii')[:ID_CHARACTERS].lower()}"

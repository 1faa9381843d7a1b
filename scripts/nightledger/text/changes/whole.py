"""Places of hunks that are about a whole file: its end, or all of it.

Invariant: what is appended to is kept as it is; what is replaced as a whole is known by its hash, so
any bytes can be, text or not.
"""

import hashlib

from nightledger.domain.proposal import Hunk

EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


def text_sha256(text: str) -> str:
    """Give the hex SHA-256 of a document's bytes (``surrogateescape``)."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def at_end(document: str, added: str) -> str:
    """Give what goes in at the end of a document so that ``added`` is a paragraph of its own there."""
    if not document:
        return added
    end = "" if document.endswith("\n") else "\n"
    gap = "" if (document + end).endswith(("\n\n", "\n\r\n")) else "\n"
    return end + gap + added


def why_not_whole(document: str, hunk: Hunk) -> str:
    """Say why a file is not the one that a hunk replaces as a whole; empty where it is."""
    if hunk.added == document:
        return "it changes nothing"
    if text_sha256(document) == (hunk.removed or EMPTY_SHA256):
        return ""
    return "the file has changed since"


def copied(source: str, document: str, hunk: Hunk) -> str | None:
    """Give what a file holds after a copy; None where it is not the copy that was signed, or has no room.

    Args:
        source: The bytes of the change's target before the change.
        document: The file now.
        hunk: As signed; its ``removed`` is the hash of what the file must hold, where that is not nothing.
    """
    if text_sha256(source) != hunk.added:
        return None
    free = {EMPTY_SHA256, hunk.added} if not hunk.removed else {hunk.removed}
    return source if text_sha256(document) in free else None

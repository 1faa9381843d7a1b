"""Changes made outside Nightledger, as the audit log tells them.

Invariant: every byte that stood in a gated file while the guard looked is a blob; these
values name it by hash.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Writer(StrEnum):
    """Who most likely wrote what drifted; a guess, and called so wherever it is shown."""

    DREAMING = "openclaw.dreaming"
    """The marks of OpenClaw's dreaming stand in the added lines."""
    EXTRACTION = "tool.extraction"
    """The marks of another tool that extracts memories by itself."""
    GIT = "git"
    """A commit holds these very bytes."""
    USER = "other_user"
    """The file belongs to another user of this machine than its home."""
    SESSION = "session"
    """An agent's session was at work when the file was written."""
    UNKNOWN = "unknown"


class Drift(Struct, frozen=True, kw_only=True):
    """A state of a file that the guard found and that was not accepted, from its leaf.

    Attributes:
        path: The file, relative to the home.
        sha256: Hex SHA-256 of what it found; kept as a blob.
        base: Hex SHA-256 of the bytes accepted then.
        proposal: Id of the item in which the operator settles it; empty where there is none.
        writer: Who most likely wrote it, a word of :class:`Writer`, sometimes of a later version.
        at: When it was found; aware, UTC.
    """

    path: str
    sha256: str
    base: str
    proposal: str
    writer: str
    at: datetime


class Raced(Struct, frozen=True, kw_only=True):
    """What another program wrote at the very moment of an apply: kept as a blob, and in no file.

    Attributes:
        apply: Id of the apply.
        path: The file.
        sha256: Hex SHA-256 of what the apply replaced.
        before: Hex SHA-256 of what it had read.
    """

    apply: str
    path: str
    sha256: str
    before: str

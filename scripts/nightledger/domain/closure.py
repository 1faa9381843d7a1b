"""The ways in which an item of memory is over."""

from enum import StrEnum


class Closure(StrEnum):
    """What a status says of an item that needs nobody any more (published: Resolved; the issue names the others)."""

    RESOLVED = "resolved"
    DONE = "done"
    CLOSED = "closed"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"

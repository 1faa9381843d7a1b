"""What is remembered of a proposal whose text went: enough to know it again, and no text.

Invariant: from hashes nobody reads what was proposed; the same thing proposed again has the same.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from nightledger.domain.proposal import Op

MARK = "sha256:"
HASH_CHARACTERS = 32
"""128 bits of SHA-256 in hex: two texts with the same by accident are out of reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a closed change came from.

    Attributes:
        path: The file, relative to the home.
        outcome: Id of the outcome, where it was one.
    """

    path: str
    outcome: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedChange:
    """One change whose text went.

    Attributes:
        n: Its number in the proposal.
        op: What it did.
        target: The file, relative to the home.
        key: Hash of its folded wording (:func:`hashed`).
        removed: Hash of what it took out.
        added: Hash of what it put in.
        sources: What it rested on; distinct, sorted.
        heading: Heading of the notes under which the strongest of these stood, where it is not a file's title.
    """

    n: int
    op: Op
    target: str
    key: str
    removed: str
    added: str
    sources: tuple[Source, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A proposal whose text went; a line of ``memory/system/closed.jsonl``.

    Attributes:
        v: Version of the record, 1.
        proposal: Its id.
        sha256: Hex SHA-256 of the file that went, as the log names it.
        at: When it went; aware, UTC.
        changes: All of them.
    """

    v: int
    proposal: str
    sha256: str
    at: datetime
    changes: tuple[ClosedChange, ...]


def hashed(text: str) -> str:
    """Give what stands for a text that went."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{MARK}{digest[:HASH_CHARACTERS]}"


def is_text(known: str, text: str) -> bool:
    """Tell whether what is remembered, itself or its hash, is of a text."""
    return known in (text, hashed(text)) if known.startswith(MARK) else known == text

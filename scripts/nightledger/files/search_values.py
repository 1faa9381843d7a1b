"""What goes into the search index, and which of it is asked for.

Invariant: plain values.
"""

from collections.abc import Collection, Sequence
from datetime import date

from msgspec import Struct

from nightledger.domain.search import Kind

OPERATOR, AGENT = "operator", "agent"
_SEEN_BY = {OPERATOR: "c.held IS NOT NULL", AGENT: "coalesce(c.held, '') = ''"}


class FileState(Struct, frozen=True):
    """What a file was when it was indexed.

    Attributes:
        size_bytes: Its size.
        mtime_ns: When it was last written, in nanoseconds since 1970.
        sha256: Hex SHA-256 of its bytes.
        settled: Whether it had been left alone for a while when it was read: if not, a later write may
            have left size and time as they were.
    """

    size_bytes: int
    mtime_ns: int
    sha256: str
    settled: bool


class Filter(Struct, frozen=True, kw_only=True):
    """Which chunks count.

    Attributes:
        kinds: These kinds; empty is all.
        since: From this day on; None is unbounded.
        until: Up to this day, included.
        seen_by: ``OPERATOR`` or ``AGENT``.
        match: FTS5 expression that they match; empty is all.
    """

    kinds: Collection[Kind] = ()
    since: date | None = None
    until: date | None = None
    seen_by: str = OPERATOR
    match: str = ""

    def sql(self) -> tuple[str, list[object]]:
        """Give the conditions, each with ``AND`` before it, and their values."""
        parts: list[str] = [_SEEN_BY[self.seen_by]]
        values: list[object] = []
        if self.kinds:
            parts.append(f"f.kind IN ({','.join('?' * len(self.kinds))})")
            values += sorted(kind.value for kind in self.kinds)
        if self.since is not None:
            parts.append("c.day >= ?")
            values.append(self.since.toordinal())
        if self.until is not None:
            parts.append("c.day <= ?")
            values.append(self.until.toordinal())
        if self.match:
            parts.append("c.id IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(self.match)
        return "".join(f" AND {part}" for part in parts), values


ALL = Filter()


class NewChunk(Struct, frozen=True, kw_only=True):
    """A chunk to be indexed.

    Attributes:
        start: Its first character in the text of its file, from 0.
        end: Behind its last character.
        first_line: From 1.
        last_line: Included.
        heading: As in ``Chunk``.
        day: As in ``Chunk``.
        entry: As in ``Chunk``.
        held: Empty where everybody may see it; why only the operator may; None where it is what an agent sees of another.
        lead: How many characters directly before it are indexed with it.
        moved: As in ``Chunk``.
        summary: As in ``Chunk``.
        lent: As in ``Chunk``.
    """

    start: int
    end: int
    first_line: int
    last_line: int
    heading: str = ""
    day: date | None = None
    entry: str = ""
    held: str | None = ""
    lead: int = 0
    moved: bool = False
    summary: str = ""
    lent: str = ""


class NewFile(Struct, frozen=True, kw_only=True):
    """A file to be indexed.

    Attributes:
        path: Relative to the home.
        kind: What its chunks are.
        state: What it was when it was read.
        text: What its chunks are cut from.
        chunks: In order.
    """

    path: str
    kind: Kind
    state: FileState
    text: str
    chunks: Sequence[NewChunk]

"""The search index, open: which files it holds, what it finds, and the chunks themselves.

What the prompt hook asks, too, stands in ``search_reader.py``, which is cheaper to import.

Invariant: reading writes nothing, and what is equal comes in the order of path and line, so that
an index that was brought up to date file by file answers as one that was made at once.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from nightledger.domain.search import Chunk, Kind, prefix_of
from nightledger.files.search_reader import DamagedIndexError, Reader

_LINKS_OF = (
    "SELECT first, second, resolution, confidence FROM links WHERE first",
    "SELECT first, second, resolution, confidence FROM links WHERE second",
)
_CHUNK = (
    "SELECT c.id, f.path, f.kind, c.n, c.text, c.lead, c.first, c.last, c.day, c.heading,"
    " c.entry, c.held, c.moved FROM chunks c JOIN files f ON f.id = c.file "
)


OPERATOR, AGENT, WITHHELD = "operator", "agent", "withheld"
_SEEN_BY = {OPERATOR: "c.held IS NOT NULL", AGENT: "coalesce(c.held, '') = ''", WITHHELD: "c.held > ''"}


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
        seen_by: ``OPERATOR`` or ``AGENT``, or ``WITHHELD`` for what an agent may not see.
    """

    kinds: Collection[Kind] = ()
    since: date | None = None
    until: date | None = None
    seen_by: str = OPERATOR

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
        return "".join(f" AND {part}" for part in parts), values


ALL = Filter()


class SearchStore(Reader):
    """An index that is open for reading; close it."""

    __slots__ = ()

    def files(self) -> dict[str, tuple[int, str, FileState]]:
        """Give every file by its path: its number, its kind, and what it was when it was indexed."""
        rows = self.ask("SELECT path, id, kind, size, mtime_ns, sha256, settled FROM files")
        return {
            path: (number, kind, FileState(size, mtime_ns, sha256, settled=bool(settled)))
            for path, number, kind, size, mtime_ns, sha256, settled in rows
        }

    def find(self, match: str, limit: int, wanted: Filter = ALL) -> list[int]:
        """Return the chunks that match best, with BM25 (k1 1.2, b .75; sqlite.org/fts5.html), the best first; of equals by place.

        Args:
            match: An FTS5 expression of quoted words (``text/search/tokens.py``); empty finds nothing.
            limit: At most so many.
            wanted: Which count.
        """
        if not match:
            return []
        where, values = wanted.sql()
        rows = self.ask(
            "SELECT w.rowid, c.id, f.id FROM words w LEFT JOIN chunks c ON c.id = w.rowid LEFT JOIN files f ON f.id = c.file"  # noqa: S608 - our own words and question marks
            f" WHERE w.words MATCH ? AND (f.id IS NULL OR (1{where})) ORDER BY w.rank, f.path, c.first, c.n LIMIT ?",
            (match, *values, limit),
        )
        if any(None in row for row in rows):
            raise DamagedIndexError(f"the search index {self.path} is damaged (words without a chunk)")
        return [row[0] for row in rows]

    def of_days(self, wanted: Filter) -> list[int]:
        """Return the first hundred chunks that count, by day, path and line."""
        where, values = wanted.sql()
        rows = self.ask(
            "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file WHERE c.day IS NOT NULL"  # noqa: S608 - our own words and question marks
            f"{where} ORDER BY c.day, f.path, c.first, c.n LIMIT 100",
            values,
        )
        return [row[0] for row in rows]

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        """Give chunks by their numbers; a number that nobody has is left out."""
        rows = self.ask_of(f"{_CHUNK}WHERE c.id", list(ids))
        return {row[0]: self._chunk(row) for row in rows}

    def leads(self, ids: Iterable[int]) -> dict[int, str]:
        """Give what stands before each of some chunks and is indexed with it."""
        rows = self.ask_of("SELECT id, text, lead FROM chunks WHERE id", list(ids))
        return {number: self.unpacked(packed)[:lead] for number, packed, lead in rows}

    def links(self, tags: Sequence[str]) -> list[tuple[str, str, str, float]]:
        """Give the associations of some tags that may be shown unasked: tags, resolution, confidence; the surest first."""
        found: set[tuple[str, str, str, float]] = set()
        for statement in _LINKS_OF:
            found.update(self.ask_of(statement, tags))
        return sorted(found, key=lambda row: (-row[3], row[:3]))

    def chunks_of(self, path: str) -> list[Chunk]:
        """Give all chunks of a file, in order; none for a file that is not in the index."""
        return [self._chunk(row) for row in self.ask(f"{_CHUNK}WHERE f.path = ? ORDER BY c.n", (path,))]

    def said(self, path: str) -> Iterator[tuple[int, tuple[str, str, str]]]:
        """Give each chunk of a file, in order, with what it put into the index: prefix, the item before, its text."""
        rows = self.ask(
            "SELECT c.id, c.text, c.lead, c.day, c.heading FROM chunks c"
            " JOIN files f ON f.id = c.file WHERE f.path = ? ORDER BY c.n",
            (path,),
        )
        for number, packed, lead, day, heading in rows:
            text = self.unpacked(packed)
            prefix = prefix_of(None if day is None else date.fromordinal(day), heading)
            yield number, (prefix, text[:lead], text[lead:])

    def _chunk(self, row: tuple[Any, ...]) -> Chunk:
        number, path, kind, n, packed, lead, first, last, day, heading, entry, held, moved = row
        return Chunk(
            id=number,
            path=path,
            kind=Kind(kind),
            n=n,
            first_line=first,
            last_line=last,
            day=None if day is None else date.fromordinal(day),
            heading=heading,
            entry=entry,
            text=self.unpacked(packed)[lead:],
            held=held or "",
            moved=bool(moved),
        )

    def read_anew(self) -> None:
        """Count anew from now on."""
        self._counts.clear()
        self._total = -1

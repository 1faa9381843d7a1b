"""The search index, open: which files it holds, what it finds, and the chunks themselves.

What the prompt hook asks, too, stands in ``search_reader.py``, which is cheaper to import.

Invariant: reading writes nothing, and what is equal comes in the order of path and line, so that
an index that was brought up to date file by file answers as one that was made at once.
"""

from datetime import date

from nightledger.domain.search.values import Chunk, Kind, prefix_of
from nightledger.files.search_reader import DamagedIndexError, Reader

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_SPARE = 4
"""So many times the hits wanted are looked at before every match is sorted with what it is filtered by."""
_LINKS_OF = (
    "SELECT first, second, resolution, confidence FROM links WHERE first",
    "SELECT first, second, resolution, confidence FROM links WHERE second",
)
_CHUNK = (
    "SELECT c.id, f.path, f.kind, c.n, c.page, c.start, c.length, c.first, c.last, c.day, c.heading,"
    " c.entry, c.held, c.moved FROM chunks c JOIN files f ON f.id = c.file "
)


OPERATOR, AGENT, WITHHELD = "operator", "agent", "withheld"
_SEEN_BY = {OPERATOR: "c.held IS NOT NULL", AGENT: "coalesce(c.held, '') = ''", WITHHELD: "c.held > ''"}


class FileState:
    """What a file was when it was indexed.

    Attributes:
        size_bytes: Its size.
        mtime_ns: When it was last written, in nanoseconds since 1970.
        sha256: Hex SHA-256 of its bytes.
        settled: Whether it had been left alone for a while when it was read: if not, a later write may
            have left size and time as they were.
    """

    __slots__ = ("mtime_ns", "settled", "sha256", "size_bytes")

    def __init__(self, size_bytes: int, mtime_ns: int, sha256: str, *, settled: bool) -> None:
        self.size_bytes = size_bytes
        self.mtime_ns = mtime_ns
        self.sha256 = sha256
        self.settled = settled


class Scored:
    """A chunk's number with what the index gave it: more is better."""

    __slots__ = ("id", "score")

    def __init__(self, number: int, score: float) -> None:
        self.id = number
        self.score = score


class Filter:
    """Which chunks count.

    Attributes:
        kinds: These kinds; empty is all.
        since: From this day on; None is unbounded.
        until: Up to this day, included.
        seen_by: ``OPERATOR`` or ``AGENT``, or ``WITHHELD`` for what an agent may not see.
    """

    __slots__ = ("kinds", "seen_by", "since", "until")

    def __init__(
        self,
        *,
        kinds: "Iterable[Kind]" = (),
        since: date | None = None,
        until: date | None = None,
        seen_by: str = OPERATOR,
    ) -> None:
        self.kinds = sorted(kinds)
        self.since = since
        self.until = until
        self.seen_by = seen_by

    def sql(self) -> tuple[str, list[object]]:
        """Give the conditions, each with ``AND`` before it, and their values."""
        parts: list[str] = [_SEEN_BY[self.seen_by]]
        values: list[object] = []
        if self.kinds:
            parts.append(f"f.kind IN ({','.join('?' * len(self.kinds))})")
            values += [kind.value for kind in self.kinds]
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

    def files(self) -> "dict[str, tuple[int, str, FileState]]":
        """Give every file by its path: its number, its kind, and what it was when it was indexed."""
        rows = self.ask("SELECT path, id, kind, size, mtime_ns, sha256, settled FROM files")
        return {
            path: (number, kind, FileState(size, mtime_ns, sha256, settled=bool(settled)))
            for path, number, kind, size, mtime_ns, sha256, settled in rows
        }

    def find(self, match: str, limit: int, wanted: Filter = ALL) -> list[Scored]:
        """Give the chunks that match best, with BM25 (k1 1.2, b .75; sqlite.org/fts5.html), the best first.

        Args:
            match: An FTS5 expression of quoted words (``text/search/tokens.py``); empty finds nothing.
            limit: At most so many.
            wanted: Which count.
        """
        if not match:
            return []
        where, values = wanted.sql()
        most = limit * _SPARE
        rows = self.ask(
            "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, most + 1)
        )
        kept = self._passing(rows[:most], where, values)
        worst = kept[limit - 1][1] if len(kept) >= limit else None
        if len(rows) > most and (worst is None or worst == rows[most][1]):
            return self._find_ordered(match, limit, where, values)  # what passes, or is equal, may lie behind
        return self._in_order([row for row in kept if worst is None or row[1] <= worst])[:limit]

    def of_days(self, wanted: Filter, limit: int = 100) -> list[int]:
        """Give the first chunks that count, by day, path and line."""
        where, values = wanted.sql()
        rows = self.ask(
            "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file WHERE c.day IS NOT NULL"  # noqa: S608 - our own words and question marks
            f"{where} ORDER BY c.day, f.path, c.first, c.n LIMIT ?",
            (*values, limit),
        )
        return [row[0] for row in rows]

    def score(self, match: str, ids: "Iterable[int]") -> dict[int, float]:
        """Give what an expression gives each of some chunks; those that do not match are left out."""
        if not match:
            return {}
        found: dict[int, float] = {}
        for number in ids:
            rows = self.ask("SELECT rank FROM words WHERE words MATCH ? AND rowid = ?", (match, number))
            if rows:
                found[number] = -float(rows[0][0])
        return found

    def chunks(self, ids: "Iterable[int]") -> dict[int, Chunk]:
        """Give chunks by their numbers; a number that nobody has is left out."""
        rows = self.ask_of(f"{_CHUNK}WHERE c.id", list(ids))
        return {row[0]: self._chunk(row) for row in rows}

    def leads(self, ids: "Iterable[int]") -> dict[int, str]:
        """Give what stands before each of some chunks and is indexed with it."""
        rows = self.ask_of("SELECT id, page, start, lead FROM chunks WHERE id", list(ids))
        return {number: self.page(page)[start - lead : start] for number, page, start, lead in rows}

    def links(self, tags: "Sequence[str]") -> "list[tuple[str, str, str, float]]":
        """Give the associations of some tags that may be shown unasked: tags, resolution, confidence; the surest first."""
        found: set[tuple[str, str, str, float]] = set()
        for statement in _LINKS_OF:
            found.update(self.ask_of(statement, tags))
        return sorted(found, key=lambda row: (-row[3], row[:3]))

    def chunks_of(self, path: str) -> list[Chunk]:
        """Give all chunks of a file, in order; none for a file that is not in the index."""
        return [self._chunk(row) for row in self.ask(f"{_CHUNK}WHERE f.path = ? ORDER BY c.n", (path,))]

    def beside(self, chunk: Chunk, reach: int = 1) -> list[Chunk]:
        """Give the neighbours of a chunk in its file, in order, itself left out."""
        rows = self.ask(
            f"{_CHUNK}WHERE f.path = ? AND c.n BETWEEN ? AND ? AND c.n != ? ORDER BY c.n",
            (chunk.path, chunk.n - reach, chunk.n + reach, chunk.n),
        )
        return [self._chunk(row) for row in rows]

    def said(self, path: str) -> "Iterator[tuple[int, tuple[str, str, str]]]":
        """Give each chunk of a file, in order, with what it put into the index: prefix, the item before, its text."""
        rows = self.ask(
            "SELECT c.id, c.page, c.start, c.length, c.lead, c.day, c.heading FROM chunks c"
            " JOIN files f ON f.id = c.file WHERE f.path = ? ORDER BY c.n",
            (path,),
        )
        for number, page, start, length, lead, day, heading in rows:
            text = self.page(page)
            prefix = prefix_of(None if day is None else date.fromordinal(day), heading)
            yield number, (prefix, text[start - lead : start], text[start : start + length])

    def _find_ordered(self, match: str, limit: int, where: str, values: "Sequence[object]") -> list[Scored]:
        rows = self.ask(
            "SELECT c.id, w.rank FROM words w JOIN chunks c ON c.id = w.rowid JOIN files f ON f.id = c.file"  # noqa: S608 - our own words and question marks
            f" WHERE w.words MATCH ?{where} ORDER BY w.rank, f.path, c.first, c.n LIMIT ?",
            (match, *values, limit),
        )
        return [Scored(number, -rank) for number, rank in rows]

    def _passing(
        self, rows: "Sequence[tuple[int, float]]", where: str, values: "Sequence[object]"
    ) -> "list[tuple[int, float]]":
        """Give the rows whose chunks pass a filter."""
        numbers = [number for number, _ in rows]
        found = self.ask_of(
            f"SELECT c.id, 1{where} FROM chunks c JOIN files f ON f.id = c.file WHERE c.id",  # noqa: S608 - our own words and question marks
            numbers,
            values,
        )
        if len(found) != len(numbers):
            raise DamagedIndexError(f"the search index {self.path} is damaged (words without a chunk)")
        passing = {number for number, passes in found if passes}
        return [row for row in rows if row[0] in passing]

    def _in_order(self, rows: "Sequence[tuple[int, float]]") -> list[Scored]:
        places = self._places([number for number, _ in rows])
        ordered = sorted(rows, key=lambda row: (row[1], places[row[0]]))
        return [Scored(number, -rank) for number, rank in ordered]

    def _places(self, ids: "Sequence[int]") -> "Mapping[int, tuple[str, int, int]]":
        rows = self.ask_of(
            "SELECT c.id, f.path, c.first, c.n FROM chunks c JOIN files f ON f.id = c.file WHERE c.id", ids
        )
        return {number: (path, first, n) for number, path, first, n in rows}

    def _chunk(
        self, row: tuple[int, str, str, int, int, int, int, int, int, int | None, str, str, str | None, int]
    ) -> Chunk:
        number, path, kind, n, page, start, length, first, last, day, heading, entry, held, moved = row
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
            text=self.page(page)[start : start + length],
            held=held or "",
            moved=bool(moved),
        )

    def read_anew(self) -> None:
        """Read pages and counts anew from now on: the numbers of pages that went are given again."""
        self._pages.clear()
        self._counts.clear()
        self._total = -1

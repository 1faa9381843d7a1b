"""The search index of a home: what goes into it, what it finds, and how it is written, file by file and only what changed.

What the prompt hook asks, too, stands in ``search_reader.py``, which is cheaper to import.

Invariant: what is taken out of the index is said in the very words that were put in, so an index that was brought up to
date scores as one made at once; what is equal comes in the order of path and line. One that is damaged, or of an older version, is never answered from; one that a newer
version of this program made is left alone.
"""

import math
import os
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import date
from typing import Any

from msgspec import Struct

from nightledger.domain.search import Chunk, Kind, prefix_of, rarity
from nightledger.files import search_reader
from nightledger.files.durable import FILE_MODE, make_dir
from nightledger.files.home import Home

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
        heading, day, entry, moved, summary, lent: As in ``Chunk``.
        held: Empty where everybody may see it; why only the operator may; None where it is what an agent sees of another.
        lead: How many characters directly before it are indexed with it.
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


_LEVEL = 6
_CHUNK = (
    "SELECT c.id, f.path, f.kind, c.n, c.text, c.lead, c.first, c.last, c.day, c.heading,"
    " c.entry, c.held, c.moved, c.summary, c.lent FROM chunks c JOIN files f ON f.id = c.file "
)
_LEAST_IDF = 1e-6
"""What FTS5 takes for the rarity of a word that stands in half of all rows or more (its source, fts5_aux.c)."""


class SearchStore(search_reader.Reader):
    """An index that is open for reading; close it."""

    __slots__ = ()

    def files(self) -> dict[str, tuple[int, str, FileState]]:
        """Give every file by its path: its number, its kind, and what it was when it was indexed."""
        rows = self.ask("SELECT path, id, kind, size, mtime_ns, sha256, settled FROM files")
        return {
            path: (number, kind, FileState(size, mtime_ns, sha256, settled=bool(settled)))
            for path, number, kind, size, mtime_ns, sha256, settled in rows
        }

    def find(self, matches: Iterable[Sequence[str]], limit: int, wanted: Filter = ALL) -> dict[int, float]:
        """Return the chunks that match best, the best first, of equals by place, each with its BM25 (sqlite.org/fts5.html).

        FTS5's own rarity is taken out, by which a word in half of the chunks tells nothing: in a young home that is
        every word that matters.

        Args:
            matches: For each word FTS5 expressions of its forms (``text/tokens.py``), of which the best counts.
            limit: At most so many.
            wanted: Which count.
        """
        where, values = wanted.sql()
        total = int(self.ask("SELECT count(*) FROM chunks")[0][0])
        found: defaultdict[int, dict[int, float]] = defaultdict(dict)
        places: dict[int, tuple[str, int, int]] = {}
        for word, forms in enumerate(matches):
            tells = rarity(self.holding(" OR ".join(forms)), total) if len(forms) > 1 else None
            for match in forms:
                count = self.holding(match)
                rare = math.log((total - count + 0.5) / (count + 0.5)) if 2 * count < total else 0.0
                worth = (rarity(count, total) if tells is None else tells) / max(rare, _LEAST_IDF)
                for number, place, weight in self.weighed(match, where, values):
                    found[number][word] = max(-weight * worth, found[number].get(word, 0.0))
                    places[number] = place
        scores = {number: sum(parts.values()) for number, parts in found.items()}
        best = sorted(scores, key=lambda number: (-round(scores[number], 9), places[number]))
        return {number: scores[number] for number in best[:limit]}

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

    def links(self, tags: Sequence[str]) -> list[tuple[str, str, str, float]]:
        """Give the associations of some tags that may be shown unasked: tags, resolution, confidence; the surest first."""
        found: set[tuple[str, str, str, float]] = set()
        for tag in ("first", "second"):
            asked = f"SELECT first, second, resolution, confidence FROM links WHERE {tag}"  # noqa: S608 - ours
            found.update(self.ask_of(asked, tags))
        return sorted(found, key=lambda row: (-row[3], row[:3]))

    def chunks_of(self, path: str) -> list[Chunk]:
        """Give all chunks of a file, in order; none for a file that is not in the index."""
        return [self._chunk(row) for row in self.ask(f"{_CHUNK}WHERE f.path = ? ORDER BY c.n", (path,))]

    def said(self, path: str) -> Iterator[tuple[int, "_Key"]]:
        """Give each chunk of a file, in order, with what it put into the index: prefix, the item before, its text; and its summary."""
        said = "SELECT c.id, c.text, c.lead, c.day, c.heading, c.summary, c.lent FROM chunks c JOIN files f ON f.id = c.file"
        rows = self.ask(f"{said} WHERE f.path = ? ORDER BY c.n", (path,))
        for number, packed, lead, day, heading, summary, lent in rows:
            text = self.unpacked(packed)
            head = _head(None if day is None else date.fromordinal(day), heading, lent)
            yield number, (head, text[:lead], text[lead:], summary)

    def _chunk(self, row: tuple[Any, ...]) -> Chunk:
        number, path, kind, n, packed, lead, first, last, day, *told = row
        heading, entry, held, moved, summary, lent = told
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
            summary=summary,
            lent=lent,
        )

    def read_anew(self) -> None:
        """Count anew from now on."""
        self._counts.clear()
        self._total = -1


class SearchWriter:
    """An index that is open for writing.

    Args:
        store: The same, open for reading.
        spell: How a text goes into the index (``text/tokens.py``): always the same.

    Attributes:
        store: As above.
    """

    __slots__ = ("_connection", "_spell", "store")

    def __init__(self, store: SearchStore, spell: Callable[[str], str]) -> None:
        self.store = store
        self._connection = store.connection
        self._spell = spell

    def put(self, file: NewFile) -> int:
        """Index a file, or what changed of it; gives how many chunks are new."""
        with search_reader.telling(self.store.path):
            old = list(self.store.said(file.path))
            number = self._file(file)
            self.store.read_anew()
            known: defaultdict[_Key, list[int]] = defaultdict(list)
            for chunk, key in reversed(old):
                known[key].append(chunk)
            rows = (_row(file, chunk, (number, n)) for n, chunk in enumerate(file.chunks))
            fresh = [(key, row) for key, row in rows if not self._move(key, row, known)]
            self._take_out((number, key) for key, left in known.items() for number in left)
            self._insert(fresh)
        return len(fresh)

    def remove(self, path: str) -> None:
        """Take a file out of the index."""
        with search_reader.telling(self.store.path):
            self._take_out(list(self.store.said(path)))
            self.store.read_anew()
            self._connection.execute("DELETE FROM files WHERE path = ?", (path,))

    def touch(self, path: str, state: FileState) -> None:
        """Note that a file was looked at, and is what it was."""
        with search_reader.telling(self.store.path):
            self._connection.execute(
                "UPDATE files SET size = ?, mtime_ns = ?, sha256 = ?, settled = ? WHERE path = ?",
                (state.size_bytes, state.mtime_ns, state.sha256, state.settled, path),
            )

    def put_links(self, rows: Iterable[tuple[str, str, str, float, int]]) -> None:
        """Replace the associations: first and second tag, resolution, confidence, last day as an ordinal."""
        with search_reader.telling(self.store.path):
            self._connection.execute("DELETE FROM links")
            self._connection.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?)", rows)

    def put_names(self, rows: Iterable[tuple[str, str, int]]) -> None:
        """Keep what chunks say of names: the name, another one or an empty text, and the chunk's number."""
        with search_reader.telling(self.store.path):
            self._connection.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?)", rows)

    def note(self, key: str, value: str) -> None:
        """Keep a value under a key."""
        with search_reader.telling(self.store.path):
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def commit(self) -> None:
        """Make all since the last commit last, together."""
        with search_reader.telling(self.store.path):
            self._connection.commit()

    def _file(self, file: NewFile) -> int:
        state = file.state
        self._connection.execute(
            "INSERT INTO files(path, kind, size, mtime_ns, sha256, settled) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT(path) DO UPDATE SET kind = excluded.kind, size = excluded.size,"
            " mtime_ns = excluded.mtime_ns, sha256 = excluded.sha256, settled = excluded.settled",
            (file.path, file.kind.value, state.size_bytes, state.mtime_ns, state.sha256, state.settled),
        )
        found = self._connection.execute("SELECT id FROM files WHERE path = ?", (file.path,))
        return int(found.fetchone()[0])

    def _take_out(self, chunks: "Iterable[tuple[int, _Key]]") -> None:
        gone, numbers = [], []
        for number, key in chunks:
            gone.append((number, *map(self._spell, key[:3])))
            numbers.append(number)
        self._connection.executemany(
            "INSERT INTO words(words, rowid, head, before, body) VALUES ('delete', ?, ?, ?, ?)", gone
        )
        self._connection.executemany("DELETE FROM chunks WHERE id = ?", [(number,) for number in numbers])

    def _insert(self, fresh: "Iterable[tuple[_Key, _Row]]") -> None:
        for key, row in fresh:
            insert = f"INSERT INTO chunks({_COLUMNS}) VALUES ({_MARKS})"  # noqa: S608 - ours
            number = self._connection.execute(insert, row).lastrowid
            self._connection.execute(
                "INSERT INTO words(rowid, head, before, body) VALUES (?, ?, ?, ?)",
                (number, *map(self._spell, key[:3])),
            )

    def _move(self, key: "_Key", row: "_Row", known: "dict[_Key, list[int]]") -> bool:
        """Give a chunk that says what it said its new place; False where none does."""
        if not known.get(key):
            return False
        number = known[key].pop()
        self._connection.execute(
            f"UPDATE chunks SET ({_COLUMNS}) = ({_MARKS}) WHERE id = ?",  # noqa: S608 - ours
            (*row, number),
        )
        return True


_Key = tuple[str, str, str, str]
"""Prefix with tags, what stands before, and text: what a chunk puts into the index; and its summary, of which an embedding may be."""
_Row = tuple[int, int, bytes, int, int, int, int | None, str, str, str | None, bool, str, str]
_COLUMNS = "file, n, text, lead, first, last, day, heading, entry, held, moved, summary, lent"
_MARKS = ", ".join("?" * len(_COLUMNS.split(",")))


def _row(file: NewFile, chunk: NewChunk, place: tuple[int, int]) -> tuple[_Key, _Row]:
    """Return what a chunk puts into the index, and its row; its place is the number of the file, and its own in there."""
    text = file.text[chunk.start - chunk.lead : chunk.end]
    heading = chunk.heading.encode("utf-8", "replace").decode()  # SQLite takes no half of a character
    day = chunk.day.toordinal() if chunk.day else None
    packed = zlib.compress(text.encode("utf-8", "surrogateescape"), _LEVEL)
    told = (chunk.summary.encode("utf-8", "replace").decode(), chunk.lent)
    key = _head(chunk.day, heading, chunk.lent), text[: chunk.lead], text[chunk.lead :], told[0]
    where = (*place, packed, chunk.lead, chunk.first_line, chunk.last_line, day, heading)
    return key, (*where, chunk.entry, chunk.held, chunk.moved, *told)


def _head(day: date | None, heading: str, lent: str) -> str:
    return f"{prefix_of(day, heading)} {lent}" if lent else prefix_of(day, heading)


MEMORY = ":memory:"
READ_WAIT_S = 2.0
"""A writer that commits keeps readers out for as long as its bytes take to the disk."""
WRITE_WAIT_S = 10.0


def index_path(home: Home) -> str:
    """Give the file of a home's index."""
    return os.path.join(home.search_dir, "index.db")


def open_store(path: str) -> SearchStore | None:
    """Open an index for reading; None where there is none.

    Raises:
        SearchIndexError: It is damaged, of another version, or cannot be opened; its class says which.
    """
    if not os.path.lexists(path):
        return None
    return SearchStore(search_reader.connect(path, READ_WAIT_S), path)


def take_back(path: str) -> None:
    """Take back what a run that was killed had begun to write: who only reads cannot (sqlite.org/lockingv3.html).

    The caller holds the lock of the search index.

    Raises:
        SearchIndexError: It cannot be opened.
    """
    if os.path.lexists(f"{path}-journal") and os.path.lexists(path):
        search_reader.require_file(path)
        with search_reader.telling(path), closing(sqlite3.connect(path, timeout=WRITE_WAIT_S)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


@contextmanager
def writing(path: str, spell: Callable[[str], str]) -> Iterator[SearchWriter]:
    """Change an index that is there, in one transaction; nothing of it stays when the block fails.

    The caller holds the lock of the search index.

    Args:
        path: The file.
        spell: As in ``SearchWriter``.

    Raises:
        SearchIndexError: As ``open_store``; also when it cannot be written.
    """
    search_reader.require_file(path)
    with ExitStack() as stack:
        with search_reader.telling(path):
            connection = stack.enter_context(closing(sqlite3.connect(path, timeout=WRITE_WAIT_S)))
            search_reader.require_tables(connection, path)
            # what goes is overwritten, not only forgotten
            connection.executescript("PRAGMA secure_delete=ON;PRAGMA cache_size=-64000;")
        writer = SearchWriter(SearchStore(connection, path), spell)
        yield writer
        writer.commit()


@contextmanager
def building(path: str, spell: Callable[[str], str]) -> Iterator[SearchWriter]:
    """Make an index anew in the place of the one of that name; when the block fails, an empty one is left, for the next look to fill.

    The caller holds the lock of the search index.

    Args:
        path: The file.
        spell: As in ``SearchWriter``.

    Raises:
        SearchIndexError: It cannot be written.
        OSError: The directory cannot be made.
    """
    make_dir(os.path.dirname(path), ignored_by_git=True)
    for name in (path, *search_reader.beside(path)):  # what a killed run left SQLite would play back
        if os.path.lexists(name):
            os.unlink(name)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE))
    with search_reader.telling(path), closing(sqlite3.connect(path)) as connection:
        search_reader.make_tables(connection)
    with writing(path, spell) as writer:
        yield writer
    with search_reader.telling(path), closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO words(words) VALUES ('optimize')")
        connection.commit()
        connection.execute("VACUUM")  # what was merged leaves half the file empty


def any_text(path: str, holds: Callable[[bytes], bool]) -> bool:
    """Tell whether ``holds`` is true of the bytes of a text that an index keeps; of one that cannot be read it is taken to be."""
    try:
        store = open_store(path)
        if store is None:
            return False
        with closing(store):
            texts = ("\n".join(chunk.text for chunk in store.chunks_of(file)) for file in store.files())
            return any(holds(text.encode("utf-8", "surrogateescape")) for text in texts)
    except search_reader.SearchIndexError:
        return True


def build_in_memory(spell: Callable[[str], str]) -> SearchWriter:
    """Give an empty index that no file holds, for a home that cannot be written; closing it forgets it."""
    connection = sqlite3.connect(MEMORY)
    with search_reader.telling(MEMORY):
        search_reader.make_tables(connection)
    return SearchWriter(SearchStore(connection, MEMORY), spell)

"""Open the search index to read from it: its tables, what can be wrong with the file, and the questions of the prompt hook.

One SQLite file, made of the home's own texts and thrown away at will. Cheap to import: at each prompt a process begins
with it. The standard library alone, and of it neither dataclasses nor enumerations, which would cost more than all the
reading.

Invariant: nothing is written to the index, and only chunks that were judged and may be shown to an agent are told of.
"""

import os
import sqlite3
import stat
import zlib
from contextlib import contextmanager

from nightledger.domain.errors import NightledgerError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    Row = tuple[Any, ...]

VERSION = 14
"""Of the tables, and of how chunks are cut and words are spelt: another one is another index."""
APPLICATION = 0x6E6C7331
"""``nls1``: names the file as ours (sqlite.org/fileformat.html, application id)."""
TOKENIZER = "porter unicode61 remove_diacritics 2"
_BM25 = "bm25(words, 1.0, 0.5, 1.0)"
"""Of the columns headings, the item before, and text. Measured: docs/decisions/0022-ranking.md."""
_FORGET = "DELETE FROM vectors WHERE chunk = old.id; DELETE FROM names WHERE chunk = old.id"
TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT NOT NULL, settled INTEGER NOT NULL
);
CREATE TABLE chunks(
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, n INTEGER NOT NULL, text BLOB NOT NULL, lead INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL,
    day INTEGER, heading TEXT NOT NULL, entry TEXT NOT NULL,
    held TEXT, moved INTEGER NOT NULL, summary TEXT NOT NULL, lent TEXT NOT NULL
);
CREATE TABLE links(
    first TEXT NOT NULL, second TEXT NOT NULL, resolution TEXT NOT NULL, confidence REAL NOT NULL,
    last_day INTEGER NOT NULL, PRIMARY KEY (first, second)
) WITHOUT ROWID;
CREATE INDEX links_of ON links(second);
CREATE INDEX chunks_of ON chunks(file, n);
CREATE TABLE vectors(chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE names(name TEXT, other TEXT, chunk INTEGER, PRIMARY KEY (name, other, chunk)) WITHOUT ROWID;
CREATE INDEX names_of ON names(chunk);
CREATE TRIGGER chunk_goes AFTER DELETE ON chunks BEGIN {_FORGET}; END;
CREATE VIRTUAL TABLE words USING fts5(head, before, body, content='', tokenize='{TOKENIZER}');
"""
"""``day`` counts as ``date.toordinal``; ``held`` says who may see the chunk: empty is everybody, a text only the
operator, and why; where it is NULL the chunk is what an agent may see of one of which something is withheld. ``moved``
tells what a signed change put into the archive; ``text`` is packed by zlib, and its first ``lead`` characters are what is
indexed as ``before``. ``summary`` is what is shown of a long entry, else empty, and ``lent`` are tags by which it is found
beside its own words. ``names`` are what a chunk says of names: another name of the same thing, or an empty one where it
only writes a word as a name. ``links`` are the associations that an agent may be shown unasked (``recall/associations.py``)."""


class SearchIndexError(NightledgerError):
    """The search index cannot be used as it is."""

    hint = "make it anew: nightledger doctor --rebuild"


class DamagedIndexError(SearchIndexError):
    """The file is no index, or its bytes contradict each other; it holds nothing that cannot be made anew."""


class OtherVersionError(SearchIndexError):
    """Another version of this program made it.

    Attributes:
        newer: Whether that version is a newer one.
    """

    def __init__(self, message: str, *, newer: bool) -> None:
        """Keep which it is."""
        super().__init__(message)
        self.newer = newer


class BusyIndexError(SearchIndexError):
    """Another run writes it just now."""

    hint = "try again in a moment"


def require_file(path: str) -> None:
    """Make sure that an index, and what SQLite may keep beside it, are files: SQLite waits for a FIFO, whatever interrupts it.

    Args:
        path: The index.

    Raises:
        SearchIndexError: The index is missing or no regular file, or one beside it is none.
    """
    for name in (path, *beside(path)):
        try:
            regular = stat.S_ISREG(os.lstat(name).st_mode)
        except FileNotFoundError:
            regular = name != path
        if not regular:
            raise SearchIndexError(
                f"{name} is not a regular file", hint="move it away; the index is made anew"
            )


def beside(path: str) -> "tuple[str, ...]":
    """Name what SQLite opens with a file where it is there (sqlite.org/tempfiles.html)."""
    return f"{path}-journal", f"{path}-wal", f"{path}-shm"


@contextmanager
def telling(path: str) -> "Iterator[None]":
    """Turn what SQLite says of an index into the error that says what to do.

    Raises:
        BusyIndexError: Another run holds it.
        DamagedIndexError: It is no database, or a damaged one.
        SearchIndexError: Everything else: it may not be opened or written, the disk is full.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        said = str(error)
        if "locked" in said or "busy" in said:
            raise BusyIndexError(f"another run writes the search index {path}") from error
        if (
            "no such module" in said
        ):  # sqlite.org/fts5.html, building; the builds of python.org and of systems have it
            raise SearchIndexError(
                "search needs SQLite with FTS5, and this Python's was built without it",
                hint="run Nightledger with a Python of python.org, Debian, Fedora or Homebrew",
            ) from error
        if "no such" in said or "malformed" in said or "has no column" in said or "vtable" in said:
            raise DamagedIndexError(f"the search index {path} is damaged ({said})") from error
        raise SearchIndexError(f"the search index {path} cannot be used ({said})") from error
    except (sqlite3.DatabaseError, OverflowError) as error:
        raise DamagedIndexError(f"the search index {path} is damaged ({error})") from error


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty index and name the file as ours."""
    connection.executescript(
        f"PRAGMA application_id={APPLICATION};PRAGMA user_version={VERSION};BEGIN;{TABLES}COMMIT;"
    )


def require_tables(connection: sqlite3.Connection, path: str) -> None:
    """Make sure that a file is an index of this version.

    Raises:
        DamagedIndexError: It is none.
        OtherVersionError: It is one of another version.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise DamagedIndexError(f"{path} is not a search index")
    if version != VERSION:
        newer = version > VERSION
        kind = "a newer" if newer else "an older"
        raise OtherVersionError(f"{kind} version of this program made the search index {path}", newer=newer)


TIMEOUT_S = 0.05
"""How long a reader in a hurry waits for a writer. Our choice."""
_BATCH = 500
"""Values in one question to SQLite: 999 are allowed in all versions (sqlite.org/limits.html)."""


class Line:
    """A chunk as the hook shows it.

    Attributes:
        id: Its number.
        path: The file, relative to the home.
        kind: The word for what it comes from.
        first: First line, from 1.
        last: Last line.
        heading: Of the section; headings joined by `` > ``.
        entry: Id of the entry; empty for none.
        text: Its lines.
        summary: Of a long entry what is shown; else empty.
        size_bytes: Of the file when it was indexed.
        mtime_ns: When the file was last written then.
    """

    __slots__ = (
        "entry",
        "first",
        "heading",
        "id",
        "kind",
        "last",
        "mtime_ns",
        "path",
        "size_bytes",
        "summary",
        "text",
    )

    def __init__(self, row: "Row", text: str) -> None:
        self.id, self.path, self.kind, self.size_bytes, self.mtime_ns = row[:5]
        self.first, self.last, self.heading, self.entry, self.summary = row[7:]
        self.text = text


class Reader:
    """An index, open for reading; close it.

    Attributes:
        path: The file.
        connection: SQLite's.
    """

    __slots__ = ("_counts", "_total", "_vocabulary", "connection", "path")

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self.connection = connection
        self.path = path
        self._counts: dict[str, int] = {}
        self._total = -1
        self._vocabulary = False

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def count(self) -> int:
        """Return the number of chunks, each counted once, whatever of it an agent sees."""
        if self._total < 0:  # to count is to walk them all, and one search asks several times
            self._total = int(self.ask("SELECT count(*) FROM chunks WHERE held IS NOT NULL")[0][0])
        return self._total

    def meta(self, key: str) -> str:
        """Give what was noted under a key; empty where nothing was."""
        row = self.ask("SELECT value FROM meta WHERE key = ?", (key,))
        return str(row[0][0]) if row else ""

    def frequencies(self, words: "Sequence[str]") -> dict[str, int]:
        """Give for each word in how many chunks it, or another with its stem, stands.

        A word that the tokenizer cuts in several counts as its rarest part.
        """
        stems = self.stems(words)
        counts = self._counts  # to count a common word is to walk its list, and one search asks several times
        for stem in sorted({stem for found in stems for stem in found}.difference(counts)):
            rows = self.ask("SELECT doc FROM temp.vocabulary WHERE term = ?", (stem,))
            counts[stem] = int(rows[0][0]) if rows else 0
        pairs = zip(words, stems, strict=True)
        return {word: min((counts[stem] for stem in found), default=0) for word, found in pairs}

    def may_be_shown(self, kinds: "Sequence[str]") -> frozenset[int]:
        """Give the chunks of some kinds that were judged and may be shown to an agent: of the archive, what was moved there."""
        marks = ",".join("?" * len(kinds))
        rows = self.ask(
            f"SELECT c.id FROM files f JOIN chunks c ON c.file = f.id WHERE f.kind IN ({marks}) AND c.held = '' AND (f.kind != 'archive' OR c.moved)",  # noqa: S608 - question marks only
            kinds,
        )
        return frozenset(row[0] for row in rows)

    def with_words(self, match: str, first: int, last: int, limit: int) -> list[int]:
        """Give the chunks in a range of numbers that an FTS5 expression finds, at most so many."""
        rows = self.ask(
            "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?",
            (match, first, last, limit),
        )
        return [row[0] for row in rows]

    def holding(self, match: str) -> int:
        """Return how many chunks an FTS5 expression finds."""
        return int(self.ask("SELECT count(*) FROM words WHERE words MATCH ?", (match,))[0][0])

    def weighed(
        self, match: str, where: str, values: "Sequence[object]"
    ) -> "Iterator[tuple[int, tuple[str, int, int], float]]":
        """Yield the chunks that an FTS5 expression finds, each with its place and FTS5's BM25, below 0.

        Args:
            match: The expression.
            where: Further conditions, each with ``AND`` before it.
            values: Of the question marks in them.

        Raises:
            DamagedIndexError: Words are there whose chunk is not.
        """
        for number, path, first, n, weight in self.ask(
            f"SELECT w.rowid, f.path, c.first, c.n, {_BM25} FROM words w"  # noqa: S608 - our own words and question marks
            " LEFT JOIN chunks c ON c.id = w.rowid LEFT JOIN files f ON f.id = c.file"
            f" WHERE w.words MATCH ? AND (f.id IS NULL OR (1{where}))",
            (match, *values),
        ):
            if path is None:
                raise DamagedIndexError(f"the search index {self.path} is damaged (words, no chunk)")
            yield number, (path, first, n), weight

    def names(self, names: "Sequence[str]", *, agent: bool, kinds: "Sequence[str]" = ()) -> "list[Row]":
        """Return what the home says of some names: each with another of the same thing, empty where it only writes it as a name.

        Args:
            names: Words as the index spells them, with a blank between.
            agent: Whether only what an agent may see counts.
            kinds: Kinds of chunks that count; empty is all.
        """
        seen = "coalesce(c.held, '') = ''" if agent else "1"
        of_kind = f"f.kind IN ({','.join('?' * len(kinds))})" if kinds else "1"
        return self.ask_of(
            "SELECT DISTINCT m.name, m.other FROM names m JOIN chunks c ON c.id = m.chunk"  # noqa: S608 - our own words and question marks
            f" JOIN files f ON f.id = c.file WHERE {seen} AND {of_kind} AND m.name",
            names,
            kinds,
        )

    def terms(self, prefix: str) -> list[str]:
        """Return the stems of the index that begin with some letters, sorted; :meth:`stems` was asked before."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        return [
            row[0]
            for row in self.ask(
                "SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? ORDER BY term", (prefix, end)
            )
        ]

    def associations(self, tags: "Sequence[str]") -> "list[Row]":
        """Give tags and resolution of the links between some tags that may be shown, the surest first."""
        marks = ",".join("?" * len(tags))
        return self.ask(
            f"SELECT first, second, resolution FROM links WHERE first IN ({marks}) AND second IN ({marks})"  # noqa: S608 - question marks only
            " ORDER BY confidence DESC, first, second",
            (*tags, *tags),
        )

    def known_tags(self, tags: "Sequence[str]") -> list[str]:
        """Give which of some tags stand in a link that may be shown, sorted."""
        marks = ",".join("?" * len(tags))
        rows = self.ask(
            f"SELECT first FROM links WHERE first IN ({marks}) UNION SELECT second FROM links WHERE second IN ({marks})",  # noqa: S608 - question marks only
            (*tags, *tags),
        )
        return sorted(row[0] for row in rows)

    def every_tag(self) -> list[str]:
        """Return the tags of all links that may be shown, sorted."""
        return [
            row[0] for row in self.ask("SELECT first FROM links UNION SELECT second FROM links ORDER BY 1")
        ]

    def lines(self, ids: "Iterable[int]") -> list[Line]:
        """Give chunks by their numbers, in that order; one that is not there is left out."""
        wanted = list(ids)
        rows = self.ask_of(
            "SELECT c.id, f.path, f.kind, f.size, f.mtime_ns, c.text, c.lead, c.first, c.last,"
            " c.heading, c.entry, c.summary FROM chunks c JOIN files f ON f.id = c.file WHERE c.id",
            wanted,
        )
        found = {row[0]: Line(row, self.unpacked(row[5])[row[6] :]) for row in rows}
        return [found[number] for number in wanted if number in found]

    def unpacked(self, packed: bytes) -> str:
        """Return the text of a chunk, with what stands before it and is indexed with it.

        Raises:
            DamagedIndexError: It is not what was written.
        """
        try:
            return zlib.decompress(packed).decode("utf-8", "surrogateescape")
        except (zlib.error, TypeError) as error:
            raise DamagedIndexError(f"the search index {self.path} is damaged (a text)") from error

    def ask(self, statement: str, values: "Sequence[object]" = ()) -> "list[Row]":
        """Give the rows that answer a question.

        Raises:
            SearchIndexError: The index is busy, damaged, or cannot be used.
        """
        with telling(self.path):
            return self.connection.execute(statement, values).fetchall()

    def ask_of(self, statement: str, ids: "Sequence[object]", values: "Sequence[object]" = ()) -> "list[Row]":
        """Give the rows of a question about some numbers, however many.

        Args:
            statement: Up to the column that is to be one of them.
            ids: The numbers, or words.
            values: Of the question marks before them.

        Raises:
            SearchIndexError: As :meth:`ask`.
        """
        found: list[Row] = []
        for at in range(0, len(ids), _BATCH):
            batch = ids[at : at + _BATCH]
            found += self.ask(f"{statement} IN ({','.join('?' * len(batch))})", (*values, *batch))
        return found

    def stems(self, words: "Sequence[str]") -> list[list[str]]:
        """Give the stems of each word: SQLite's own tokenizer is asked, in a table that no file holds."""
        with telling(self.path):
            if not self._vocabulary:
                tokenizer = self.ask("SELECT sql FROM sqlite_master WHERE name = 'words'")[0][0]
                chosen = tokenizer.partition("tokenize=")[2].rstrip(")")
                self.connection.executescript(
                    "PRAGMA temp_store=MEMORY;"
                    f"CREATE VIRTUAL TABLE temp.said USING fts5(word, tokenize={chosen});"
                    "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row);"
                    "CREATE VIRTUAL TABLE temp.stems USING fts5vocab(temp, said, instance);"
                )
                self._vocabulary = True
            self.connection.execute("DELETE FROM temp.said")
            self.connection.executemany(
                "INSERT INTO temp.said(rowid, word) VALUES (?, ?)", list(enumerate(words))
            )
            stems: list[list[str]] = [[] for _ in words]
            for stem, number in self.connection.execute("SELECT term, doc FROM temp.stems"):
                stems[number].append(stem)
            self.connection.rollback()
        return stems


def open_reader(path: str) -> Reader:
    """Open an index to read a few things from it, without waiting for anybody.

    Raises:
        MissingFileError: There is none.
        SearchIndexError: It is busy, damaged, or of another version.
    """
    from nightledger.domain.errors import MissingFileError

    if not os.path.lexists(path):
        raise MissingFileError(f"{path} is missing", hint="make it: nightledger doctor --rebuild")
    return Reader(connect(path, TIMEOUT_S), path)


def connect(path: str, wait_s: float) -> sqlite3.Connection:
    """Open an index that is there, to read from it.

    Raises:
        SearchIndexError: It is busy, damaged, or of another version.
    """
    require_file(path)
    with telling(path):
        # as SQLite's URIs have it (sqlite.org/uri.html): no question mark, hash or percent sign
        quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = sqlite3.connect(f"file:{quoted}?mode=ro", uri=True, timeout=wait_s, isolation_level=None)
        try:
            require_tables(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection

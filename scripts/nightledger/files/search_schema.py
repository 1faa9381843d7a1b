"""The tables of the search index, and what can be wrong with the file that holds them.

One SQLite file, made of the home's own texts and thrown away at will. Words are in an FTS5 table
without content; texts are in compressed pages of their own, so that the file stays below twice the
text, and a word can be taken out of the index again by saying the text that put it in.
"""

import os
import sqlite3
import stat
from contextlib import contextmanager

from nightledger.domain.errors import NightledgerError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 8
"""Of the tables, and of how chunks are cut and words are spelt: another one is another index."""
APPLICATION = 0x6E6C7331
"""``nls1``: names the file as ours (sqlite.org/fileformat.html, application id)."""
TOKENIZER = "porter unicode61 remove_diacritics 2"
_FORGET_VECTOR = "DELETE FROM vectors WHERE chunk = old.id"
TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT NOT NULL, settled INTEGER NOT NULL
);
CREATE TABLE pages(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, text BLOB NOT NULL);
CREATE INDEX pages_of ON pages(file);
CREATE TABLE chunks(
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, n INTEGER NOT NULL, page INTEGER NOT NULL,
    start INTEGER NOT NULL, length INTEGER NOT NULL, lead INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL,
    day INTEGER, heading TEXT NOT NULL, entry TEXT NOT NULL,
    held TEXT, moved INTEGER NOT NULL
);
CREATE TABLE links(
    first TEXT NOT NULL, second TEXT NOT NULL, resolution TEXT NOT NULL, confidence REAL NOT NULL,
    last_day INTEGER NOT NULL, PRIMARY KEY (first, second)
) WITHOUT ROWID;
CREATE INDEX links_of ON links(second);
CREATE INDEX chunks_of ON chunks(file, n);
CREATE TABLE vectors(chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TRIGGER vectors_go AFTER DELETE ON chunks BEGIN {_FORGET_VECTOR}; END;
CREATE VIRTUAL TABLE words USING fts5(head, before, body, content='', tokenize='{TOKENIZER}');
"""
"""``day`` counts as ``date.toordinal``; ``held`` says who may see the chunk: empty is everybody, a text only the
operator, and why; where it is NULL the chunk is what an agent may see of one of which something is withheld. ``moved``
tells what a signed change put into the archive; ``start`` and ``length`` are characters in the page, and
the ``lead`` characters before ``start`` are what is indexed as ``before``. ``links`` are the associations
that an agent may be shown unasked (``recall/associations.py``)."""


class SearchIndexError(NightledgerError):
    """The search index cannot be used as it is."""

    hint = "make it anew: nightledger rebuild"


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

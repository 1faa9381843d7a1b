"""Open the search index of a home for reading or for writing, and put a new one in its place.

Readers and writers meet in the file system alone: a new index is made beside the old one and
renamed, so whoever reads goes on with the old one; what changes in place changes in one transaction.

Invariant: an index that is damaged, or of an older version, is never answered from; one that a newer
version of this program made is left alone.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.files.durable import FILE_MODE, make_dir, sync_directory, sync_file
from nightledger.files.home import Home
from nightledger.files.search_reader import connect
from nightledger.files.search_schema import (
    SearchIndexError,
    beside,
    make_tables,
    require_file,
    require_tables,
    telling,
)
from nightledger.files.search_store import SearchStore
from nightledger.files.search_writing import SearchWriter

MEMORY = ":memory:"
READ_WAIT_S = 2.0
"""A writer that commits keeps readers out for as long as its bytes take to the disk."""
WRITE_WAIT_S = 10.0


def index_path(home: Home) -> str:
    """Give the file of a home's index."""
    return os.path.join(home.search_dir, "index.db")


def open_store(path: str, *, wait_s: float = READ_WAIT_S) -> SearchStore | None:
    """Open an index for reading; None where there is none.

    Args:
        path: The file.
        wait_s: How long to wait for a run that is writing.

    Raises:
        SearchIndexError: It is damaged, of another version, or cannot be opened; its class says which.
    """
    if not os.path.lexists(path):
        return None
    return SearchStore(connect(path, wait_s), path)


def take_back(path: str) -> None:
    """Take back what a run that was killed had begun to write: who only reads cannot (sqlite.org/lockingv3.html).

    The caller holds the lock of the search index.

    Raises:
        SearchIndexError: It cannot be opened.
    """
    if os.path.lexists(f"{path}-journal") and os.path.lexists(path):
        require_file(path)
        with telling(path), closing(sqlite3.connect(path, timeout=WRITE_WAIT_S)) as connection:
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
    require_file(path)
    with telling(path):
        store = _checked(sqlite3.connect(path, timeout=WRITE_WAIT_S), path)
        store.connection.execute("PRAGMA secure_delete=ON")  # what goes is overwritten, not only forgotten
    try:
        writer = SearchWriter(store, spell)
        yield writer
        writer.commit()
    finally:
        store.close()


@contextmanager
def building(path: str, spell: Callable[[str], str]) -> Iterator[SearchWriter]:
    """Make a new index beside the one of that name, and put it in its place when the block ends well.

    It is on disk before it has the name: after a power failure there is the old one or the new one.
    The caller holds the lock of the search index.

    Args:
        path: The file.
        spell: As in ``SearchWriter``.

    Raises:
        SearchIndexError: It cannot be written.
        OSError: The directory cannot be made.
    """
    directory = os.path.dirname(path)
    make_dir(directory, ignored_by_git=True)
    _sweep(directory)
    temp = f"{path}.{os.getpid()}{TEMP_SUFFIX}"
    os.close(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE))
    try:
        with _fresh(temp) as store:
            writer = SearchWriter(store, spell)
            yield writer
            with telling(temp):
                store.connection.execute("INSERT INTO words(words) VALUES ('optimize')")
                for setting in ("'automerge', 4", "'crisismerge', 16", "'hashsize', 1048576"):  # SQLite's own
                    store.connection.execute(f"INSERT INTO words(words, rank) VALUES ({setting})")  # noqa: S608 - ours
                writer.commit()
                store.connection.execute("VACUUM")  # what was merged leaves half the file empty
        _keep(temp, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temp)


def any_page(path: str, holds: Callable[[bytes], bool]) -> bool:
    """Tell whether a text that an index keeps holds something; of one that cannot be read it is taken to.

    Args:
        path: The file.
        holds: Tells it of bytes.
    """
    try:
        store = open_store(path)
        if store is None:
            return False
        with closing(store):
            for (number,) in store.ask("SELECT id FROM pages"):
                if holds(store.page(number).encode("utf-8", "surrogateescape")):
                    return True
                store.read_anew()
    except SearchIndexError:
        return True
    return False


def build_in_memory(spell: Callable[[str], str]) -> SearchWriter:
    """Give an empty index that no file holds, for a home that cannot be written; closing it forgets it."""
    connection = sqlite3.connect(MEMORY)
    make_tables(connection)
    return SearchWriter(SearchStore(connection, MEMORY), spell)


@contextmanager
def _fresh(temp: str) -> Iterator[SearchStore]:
    with telling(temp):
        connection = sqlite3.connect(temp)
        # nobody reads it before it is whole, and it is put on disk once, at the end
        connection.executescript("PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;PRAGMA cache_size=-64000;")
        make_tables(connection)
        # segments are merged once, at the end, instead of again and again
        for setting in ("'automerge', 0", "'crisismerge', 2000", "'hashsize', 16777216"):
            connection.execute(f"INSERT INTO words(words, rank) VALUES ({setting})")  # noqa: S608 - ours
    try:
        yield SearchStore(connection, temp)
    finally:
        connection.close()


def _keep(temp: str, path: str) -> None:
    descriptor = os.open(temp, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        sync_file(descriptor, temp)
    finally:
        os.close(descriptor)
    for name in beside(path):  # of a run that was killed: SQLite would play it back into the new index
        if os.path.lexists(name):
            with suppress(FileNotFoundError):
                os.unlink(path)  # and without it the old one is not whole
            os.unlink(name)
    os.rename(temp, path)
    sync_directory(os.path.dirname(path))


def _sweep(directory: str) -> None:
    """Remove what a run that was killed left behind; the caller's lock says that no other builds."""
    for name in os.listdir(directory):
        if TEMP_SUFFIX in name:
            os.unlink(os.path.join(directory, name))


def _checked(connection: sqlite3.Connection, path: str) -> SearchStore:
    try:
        require_tables(connection, path)
    except BaseException:
        connection.close()
        raise
    return SearchStore(connection, path)

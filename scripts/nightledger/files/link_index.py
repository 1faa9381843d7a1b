"""The link index of a home: one SQLite file that says again, by tags, what the outcome log says.

Invariant: whatever is told is the fold of the outcomes that were taken in, however they were
split into runs. All of it is disposable: what is damaged, or of another version, is made anew.
"""

import os
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NamedTuple, Self
from urllib.parse import quote

import msgspec

from nightledger.domain.errors import LinkIndexError
from nightledger.domain.links import SHOWN_FROM, Link, Tally, confidence_of, decayed
from nightledger.files.durable import is_regular

Row = tuple[Any, ...]

FILE = "links.db"
VERSION = 1
"""Of the tables, and of what is counted; ``PRAGMA user_version``."""
TABLES = f"""
PRAGMA user_version={VERSION};
CREATE TABLE outcomes(
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, day INTEGER NOT NULL, tags TEXT NOT NULL
);
CREATE INDEX outcomes_of ON outcomes(session);
CREATE INDEX outcomes_on ON outcomes(day);
CREATE TABLE links(
    first TEXT NOT NULL, second TEXT NOT NULL, sessions INTEGER NOT NULL, tallies BLOB NOT NULL,
    PRIMARY KEY (first, second)
) WITHOUT ROWID;
"""
"""``n`` counts outcomes in the order of the log, from 0; ``day`` is an ordinal; ``tags`` are joined by spaces;
``tallies`` are a JSON list of ``domain.links.Tally``, each a list of its fields."""
INDEXES = (
    "CREATE INDEX IF NOT EXISTS links_of ON links(second)",
    "CREATE INDEX IF NOT EXISTS links_by ON links(sessions DESC, first, second)",
)
"""Made when the first outcomes are in, in half the time that keeping them takes."""
_ALL = "SELECT first, second, sessions, tallies FROM links"


class Recalled(NamedTuple):
    """A link that is shown for some tags.

    Attributes:
        link: The link, counts exact.
        confidence: Of its best resolution, decayed to now.
        idle_days: Active days since the link last occurred.
    """

    link: Link
    confidence: float
    idle_days: int


class LinkIndex:
    """An open index; a context manager that closes it.

    Attributes:
        connection: SQLite's.
        path: The file, for messages.
    """

    __slots__ = ("connection", "path")

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self.connection = connection
        self.path = path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def link(self, first: str, second: str) -> Link | None:
        """Return the link of two canonical tags, in either order; None where there is none.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        return next(self._links(f"{_ALL} WHERE first = ? AND second = ?", sorted((first, second))), None)

    def recall(self, tags: Sequence[str], limit: int) -> tuple[list[Recalled], int]:
        """Return the links whose best resolution still has a confidence of .7 or more, the surest first.

        For one tag all of its links; for several those between them.

        Args:
            tags: Canonical, each once.
            limit: How many to give.

        Returns:
            The links, and how many more there are.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        if len(tags) == 1:
            links = self._links(
                f"{_ALL} WHERE first = ? OR second = ? ORDER BY first, second", (*tags, *tags)
            )
        else:
            pairs = combinations(sorted(tags), 2)
            links = (link for pair in pairs if (link := self.link(*pair)) is not None)
        found = [item for item in self._fading(links) if item.confidence >= SHOWN_FROM]
        found.sort(key=lambda item: (-item.confidence, -item.link.counted(item.link.best), item.link.pair))
        return found[:limit], len(found[limit:])

    def top_links(self, limit: int) -> tuple[list[Link], int]:
        """Return the links that occurred in most sessions; of equals, those whose names sort first.

        Args:
            limit: How many to give.

        Returns:
            The links, sorted by their tags, and how many links there are in all.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        total = self.ask("SELECT count(*) FROM links")[0][0]
        links = self._links(f"{_ALL} ORDER BY sessions DESC, first, second LIMIT ?", [limit])
        return sorted(links, key=lambda link: link.pair), total

    def every(self) -> Iterator[Recalled]:
        """Return every link with its confidence of now, one at a time, in no order that matters.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        return self._fading(self._links(_ALL))

    def count(self) -> int:
        """Return the number of outcomes."""
        return int(self.ask("SELECT count(*) FROM outcomes")[0][0])

    def copy_to(self, other: "LinkIndex") -> None:
        """Make another index hold what this one does.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        with telling(self.path):
            self.connection.backup(other.connection)

    def commit(self) -> None:
        """Keep what was added.

        Raises:
            LinkIndexError: When it cannot be written.
        """
        with telling(self.path):
            self.connection.commit()

    def ask(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """Return the rows that answer a question.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        with telling(self.path):
            return self.connection.execute(statement, values).fetchall()

    def _links(self, statement: str, values: Sequence[object] = ()) -> Iterator[Link]:
        """Return the links that rows of ``links`` tell of."""
        decode = msgspec.json.Decoder(list[Tally]).decode
        with telling(self.path):
            for first, second, sessions, stored in self.connection.execute(statement, values):
                tallies = decode(stored)
                yield Link(
                    (first, second),
                    co_occurrences=sessions,
                    tallies=tallies,
                    resolutions=len(tallies),
                    last_day=max([tally.last_day for tally in tallies]),
                )

    def _fading(self, links: Iterable[Link]) -> Iterator[Recalled]:
        days = [row[0] for row in self.ask("SELECT DISTINCT day FROM outcomes ORDER BY day")]
        with telling(self.path):
            for link in links:
                idle_days = len(days) - bisect_right(days, link.last_day)
                confidence = decayed(confidence_of(link.counted(link.best)), idle_days)
                yield Recalled(link, confidence, idle_days)


def open_index(directory: str) -> LinkIndex | None:
    """Open the link index of a home for reading; None where none was made yet.

    Args:
        directory: ``Home.link_index_dir``.

    Raises:
        LinkIndexError: When it is damaged, or cannot be read.
    """
    path = os.path.join(directory, FILE)
    return open_file(path) if os.path.lexists(path) else None


def open_file(path: str) -> LinkIndex:
    """Open an index; what a run that died had begun to write is taken back, for one that writes now it waits 5 seconds.

    Args:
        path: The file; it is there.

    Raises:
        LinkIndexError: When it is damaged, of another version, or cannot be read.
    """
    for name in (path, f"{path}-journal", f"{path}-wal", f"{path}-shm"):  # sqlite.org/tempfiles.html
        if os.path.lexists(name) and not is_regular(name):  # SQLite waits for a FIFO
            raise LinkIndexError(f"the link index {name} is not a regular file")
    with telling(path):
        connection = sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, isolation_level=None)
        try:
            if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise ValueError("it is of another version, or none")  # noqa: TRY301 - closed as after any other
        except BaseException:
            connection.close()
            raise
    return LinkIndex(connection, path)


def index_stamp(directory: str) -> str:
    """Return which file the index of a home is, and as of when; empty where there is none."""
    try:
        status = os.lstat(os.path.join(directory, FILE))
    except OSError:
        return ""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"


@contextmanager
def telling(path: str) -> Iterator[None]:
    """Turn what SQLite says of an index into an error with a next step.

    Raises:
        LinkIndexError: The index is damaged or cannot be used.
    """
    try:
        yield
    except (sqlite3.Error, TypeError, ValueError) as error:  # a column of a damaged file may hold anything
        raise LinkIndexError(f"the link index {path} cannot be used ({error})") from error

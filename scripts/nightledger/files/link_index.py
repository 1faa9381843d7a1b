"""The link index of a home: one SQLite file that says again, by tags, what the outcome log says.

Invariant: an outcome counts once, by its id, and a session once for a pair of tags, whatever was taken in before; so a
stretch that is read twice changes nothing, and whatever is told is the fold of the outcomes that were taken in, however
they were split into runs. All of it is disposable: what is damaged, or of another version, is made anew.
"""

import gc
import os
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple, Self
from urllib.parse import quote
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, field

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain import outcome as outcomes
from nightledger.domain.errors import LinkIndexError
from nightledger.domain.periods import log_day
from nightledger.files.durable import FILE_MODE, is_regular, make_dir
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog

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
_LAST_DAY = date.max.toordinal()


class Recalled(NamedTuple):
    """A link that is shown for some tags.

    Attributes:
        link: The link, counts exact.
        confidence: Of its best resolution, decayed to now.
        idle_days: Active days since the link last occurred.
    """

    link: outcomes.Link
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

    def link(self, first: str, second: str) -> outcomes.Link | None:
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
        found = [item for item in self._fading(links) if item.confidence >= outcomes.SHOWN_FROM]
        found.sort(key=lambda item: (-item.confidence, -item.link.counted(item.link.best), item.link.pair))
        return found[:limit], len(found[limit:])

    def top_links(self, limit: int) -> tuple[list[outcomes.Link], int]:
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

    def _links(self, statement: str, values: Sequence[object] = ()) -> Iterator[outcomes.Link]:
        """Return the links that rows of ``links`` tell of."""
        decode = msgspec.json.Decoder(list[outcomes.Tally]).decode
        with telling(self.path):
            for first, second, sessions, stored in self.connection.execute(statement, values):
                tallies = decode(stored)
                newest = max([tally.last_day for tally in tallies])
                if not (0 < newest <= _LAST_DAY and sessions > 0 and type(first) is type(second) is str):
                    raise ValueError("a link in it is none")
                yield outcomes.Link(
                    (first, second),
                    co_occurrences=sessions,
                    tallies=tallies,
                    resolutions=len(tallies),
                    last_day=newest,
                )

    def _fading(self, links: Iterable[outcomes.Link]) -> Iterator[Recalled]:
        days = [row[0] for row in self.ask("SELECT DISTINCT day FROM outcomes ORDER BY day")]
        with telling(self.path):
            for link in links:
                idle_days = len(days) - bisect_right(days, link.last_day)
                confidence = outcomes.decayed(outcomes.confidence_of(link.counted(link.best)), idle_days)
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


ASIDE = ""
"""SQLite's name for a database that is nobody else's and gone when it is closed."""
MAX_WAITING = 50_000
"""Outcomes that are kept in memory before they are added to the links: about 60 MB."""
_PUT = """
INSERT INTO links VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET sessions = excluded.sessions, tallies = excluded.tallies
"""


class Rules(Struct, frozen=True, kw_only=True):
    """What counts.

    Attributes:
        zone: The home's zone, in which log days begin.
        forgotten: Deleted links, and how many outcomes there were when each was deleted: those
            no longer count for it.
        says: Tells of a name whether it says what was expunged; outcomes with one are left out.
        hashes: Of what was expunged: other ones make another index.
    """

    zone: ZoneInfo
    forgotten: Mapping[outcomes.Pair, int] = field(default_factory=dict)
    says: Callable[[str], bool] | None = None
    hashes: tuple[str, ...] = ()


class Folded(Struct, kw_only=True):
    """What a stretch of the log held.

    Attributes:
        lines: Lines of the log up to its end.
        added: Outcomes that were not counted before.
        duplicates: Outcomes that stood before.
        bad: ``(line number, what is wrong)`` of the lines that are no outcomes.
    """

    lines: int
    added: int = 0
    duplicates: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


def fold(index: LinkIndex, log: LineLog, start: int, lines: int, rules: Rules) -> Folded:
    """Count what the log holds from a place on, in one transaction; the caller commits.

    Args:
        index: What was counted before.
        log: The outcome log.
        start: Where to begin, in bytes.
        lines: How many lines stand before.
        rules: What counts.

    Raises:
        FileChangedError: When the log was cut meanwhile.
        LinkIndexError: When the index is damaged or cannot be written.
    """
    folded = Folded(lines=lines)
    says = cache(rules.says) if rules.says else None
    gc.disable()  # what is kept here holds no cycles: to look for them takes a third of the time
    try:
        with telling(index.path):
            index.connection.execute("BEGIN IMMEDIATE")
            counter = _Counter(index.connection, rules)
            for row in _rows(log, start, folded):
                if says is None or not any(map(says, (row.resolution, *row.context_tags))):
                    counted = counter.count(row)
                    folded.added += counted
                    folded.duplicates += not counted
            counter.flush()
            for statement in INDEXES:
                index.connection.execute(statement)
    finally:
        gc.enable()
    return folded


def _rows(log: LineLog, start: int, folded: Folded) -> Iterator[outcomes.Outcome]:
    for chunk in log.chunks(start):
        found = read_outcome_rows(chunk, first_line=folded.lines + 1)
        folded.lines += found.lines
        folded.bad += found.problems
        yield from found.rows


class _Counter:
    """Adds outcomes to an index."""

    def __init__(self, connection: sqlite3.Connection, rules: Rules) -> None:
        self._ask = connection.execute
        self._zone, self._forgotten = rules.zone, rules.forgotten
        (self._n,) = self._ask("SELECT count(*) FROM outcomes").fetchone()
        self._full = self._n + MAX_WAITING
        self._waiting: defaultdict[outcomes.Pair, list[tuple[str, outcomes.Tally]]] = defaultdict(list)
        self._before: dict[str, set[outcomes.Pair]] = {}

    def count(self, row: outcomes.Outcome) -> bool:
        """Take an outcome in; False when it stood before."""
        day = log_day(row.timestamp, self._zone).toordinal()
        session = f"day {day}" if row.session is None else f"session {row.session}"
        if session not in self._before:
            self._before[session] = self._pairs_of(session)
        values = (self._n, row.id, session, day, " ".join(row.context_tags))
        if not self._ask("INSERT OR IGNORE INTO outcomes VALUES (?, ?, ?, ?, ?)", values).rowcount:
            return False
        one = session, _tally(row, day)
        for pair in self._pairs(self._n, row.context_tags):
            self._waiting[pair].append(one)
        self._n += 1
        if self._n >= self._full:
            self.flush()
        return True

    def flush(self) -> None:
        """Add what waits to the table, in its order, which is the fastest."""
        decode, encode = msgspec.json.Decoder(list[outcomes.Tally]).decode, msgspec.json.Encoder().encode
        known = "SELECT sessions, tallies FROM links WHERE first = ? AND second = ?"
        for pair in sorted(self._waiting):
            new = self._waiting[pair]
            sessions = sum(pair not in self._before[session] for session in {session for session, _ in new})
            tallies: dict[str, outcomes.Tally] = {}
            for counted, stored in self._ask(known, pair):
                sessions += counted
                tallies = {tally.resolution: tally for tally in decode(stored)}
            for _, tally in new:
                older = tallies.get(tally.resolution)
                tallies[tally.resolution] = tally.after(older) if older else tally
            self._ask(_PUT, (*pair, sessions, encode([*tallies.values()])))
        self._waiting.clear()
        self._before.clear()
        self._full = self._n + MAX_WAITING

    def _pairs(self, n: int, tags: Iterable[str]) -> Iterable[outcomes.Pair]:
        """Return the pairs of tags for which an outcome counts."""
        pairs = combinations(tags, 2)
        return (pair for pair in pairs if n >= self._forgotten.get(pair, 0)) if self._forgotten else pairs

    def _pairs_of(self, session: str) -> set[outcomes.Pair]:
        rows = self._ask("SELECT n, tags FROM outcomes WHERE session = ?", (session,))
        return {pair for n, tags in rows for pair in self._pairs(n, tags.split(" "))}


def _tally(row: outcomes.Outcome, day: int) -> outcomes.Tally:
    """Return what one outcome counts for its resolution."""
    success, failure = row.outcome == "success", row.outcome == "failure"
    shown = bool(row.shown) and outcomes.was_shown(row.resolution, row.context_tags, row.shown)
    return outcomes.Tally(
        resolution=row.resolution,
        successes=int(success),
        partials=int(row.outcome == "partial"),
        failures=int(failure),
        shown_successes=int(shown and success),
        shown_failures=int(shown and failure),
        last_day=day,
        sources=(row.id,),
    )


def building(path: str) -> LinkIndex:
    """Make an empty index in the place of the one of that name; cut short, no cursor fits it, and the next run makes it anew.

    Args:
        path: The file; of what else is in its directory nothing stays.
    """
    directory = os.path.dirname(path)
    make_dir(directory, ignored_by_git=True)
    # SQLite would play back a journal into the new file
    for name in {*os.listdir(directory)} - {".gitignore"}:
        os.unlink(os.path.join(directory, name))
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE))
    return new_index(path)


def new_index(path: str = ASIDE) -> LinkIndex:
    """Return an empty index.

    Args:
        path: An empty file; by default one that nobody sees, gone when it is closed.
    """
    with telling(path):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(f"PRAGMA cache_size=-64000; BEGIN; {TABLES} COMMIT;")
    return LinkIndex(connection, path)


@contextmanager
def folded_links(home: Home, rules: Rules, until: int | None = None) -> Iterator[LinkIndex]:
    """Return an index of all outcomes of a home, folded aside, whatever index and view say.

    Args:
        home: Whose.
        rules: What counts.
        until: How many bytes of the log count; None for all.

    Raises:
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was replaced or cut while it was read.
    """
    with LineLog(home.outcomes) as log, new_index() as index:
        log.end = log.end if until is None else min(until, log.end)
        fold(index, log, 0, 0, rules)
        log.require_same()
        yield index

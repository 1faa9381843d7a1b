"""Read the files of sessions from where reading ended: lines, compressed lines, rows of a database.

Invariant: nothing is written beside or into them; memory is bounded by one line; a half line waits for its end. A database
is opened read-only, without its write-ahead log where nobody has it open, so that SQLite makes no file there.
"""

import hashlib
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from nightledger.codec.canonical import BOM, MAX_LINE_BYTES
from nightledger.domain.errors import NightledgerError, UnreadableError
from nightledger.domain.transcript import Speaker, Turn
from nightledger.files.durable import read_optional
from nightledger.files.line_log import LineLog, hash_file
from nightledger.files.owner import for_child
from nightledger.hosts.transcript_formats import SessionFile, Store
from nightledger.hosts.transcript_lines import Grammar, Reader, as_posix

MOST_UNPACKED_BYTES = 4 << 30
"""Of one compressed file: a small one can stand for any number of bytes. Our choice."""
_PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
_BUSY_S = 2.0
_DICT = msgspec.json.Decoder(dict[str, Any])
_T = TypeVar("_T")
MOST_REREAD_BYTES = 4 << 20
"""Of a task that was open when reading ended: what was done in it is looked at again beside what is said of it next. Our choice."""
_LOOKED_AT_BYTES = 4096
"""Before the place where reading ended, to tell whether they are still the same."""


class Cursor(Struct, frozen=True, kw_only=True):
    """How far a file was read.

    Attributes:
        inode: Which file it was; 0 of a compressed file.
        offset: Bytes read; of a database the last row, of a compressed file its size.
        lines: Lines read.
        last: Hex SHA-256 of the last bytes read, of a database of the last row, of a compressed file of all; empty where none were.
        session: The session of the last header.
        cwd: Its working directory.
        is_other: Whether nothing of it is of a session with the user.
        understood: Whether anything in it was a turn of somebody.
        missed: Lines of unknown kinds, and without a time, since the last turn.
        task: Where the user's last message begins, in bytes and in lines before it: of what became of that task more may
            be said; none of a database, of a compressed file, and where that is too far back.
        state: Of the file when it was looked at, as `SessionFile` has it; empty where it is to be looked at again: its reading met a problem,
            or an outcome waits for the user's word.
    """

    inode: int = 0
    offset: int = 0
    lines: int = 0
    last: str = ""
    session: str = ""
    cwd: str = ""
    is_other: bool = False
    understood: bool = False
    missed: int = 0
    task: tuple[int, int] | None = None
    state: str = ""


def is_unchanged(file: SessionFile, cursor: Cursor) -> bool:
    """Return whether nothing happened to a file since it was read: it is not opened then."""
    return bool(cursor.state) and cursor.state == file.state


class Reading:
    """One file being read; iterate over :meth:`turns`, then ask what was found.

    Attributes:
        cursor: How far it was read.
        broken: Lines that are no JSON, or too long.
        waiting: Bytes of a line without its end.
        restarted: Whether the file is another one than before, or was cut, and was read from its beginning.
        unknown: Kinds of lines that no row of the format knows.
        untimed: Lines whose time cannot be read.
        problem: Why it was not read, or no further; empty where it was.
        raw: The line whose turns were yielded last.
    """

    def __init__(self, grammar: Grammar, file: SessionFile, cursor: Cursor) -> None:
        """Open nothing yet."""
        self._grammar, self._file = grammar, file
        self.cursor = cursor
        self.broken = self.waiting = self.untimed = 0
        self.restarted = False
        self.unknown: Counter[str] = Counter()
        self.problem = ""
        self.raw = b""

    def turns(self) -> Generator[Turn, None, None]:
        """Yield what the file says behind the cursor."""
        store = self._file.store
        try:
            if store.query:
                yield from self._rows(store)
            elif ".zst" in os.path.basename(self._file.name):
                yield from self._unpacked()
            else:
                yield from self._lines()
        except (NightledgerError, OSError) as error:
            self.problem = " ".join(str(error).split())
        except (sqlite3.Error, TypeError, ValueError, AttributeError, OverflowError) as error:
            # a host may change its tables: a column may hold anything
            self.problem = f"cannot be read now: {error}"
        self.cursor = msgspec.structs.replace(self.cursor, state="" if self.problem else self._file.state)

    def _lines(self) -> Iterator[Turn]:
        with nullcontext(_Folder(self._file)) if self._file.parts else LineLog(self._file.path) as log:
            start = self.cursor
            if start.offset and not _is_same(log, start):
                self.restarted, start = True, Cursor()
            session = start.session or (self._file.parts and self._file.name) or ""
            reader = Reader(self._grammar, session=session, cwd=start.cwd or self._first_cwd(log))
            reader.is_other, reader.understood, reader.missed = start.is_other, start.understood, start.missed
            place, number = task = start.task or (start.offset, start.lines)
            for chunk in () if start.is_other else log.chunks(place):
                for line in chunk.split(b"\n")[:-1]:
                    before, place, number = (place, number), place + len(line) + 1, number + 1
                    for turn in self._read(reader, line, number):
                        task = before if turn.speaker is Speaker.USER else task
                        yield turn
                    if number == start.lines:  # what was looked at again was told before
                        self._forget(reader, start)
                if reader.is_other:
                    break
            self.waiting = log.torn_bytes
            last = _last_bytes(log, log.end)
            near = task if log.end - task[0] <= MOST_REREAD_BYTES else None
            self._end(reader, Cursor(inode=log.inode, offset=log.end, lines=number, last=last, task=near))

    def _first_cwd(self, log: "LineLog | _Folder") -> str:
        """Return the working directory that a folder tells first: what was said before it is of that session, too."""
        lines = (chunk.rstrip() for chunk in (log.chunks(0) if self._file.parts else ()))
        found = (self._grammar.cwd(one) for line in lines if (one := _decode(line, self._grammar.decode)))
        return next((as_posix(one) for one in found if isinstance(one, str) and one), "")

    def _forget(self, reader: Reader, start: Cursor) -> None:
        """Count from here on."""
        self.broken = reader.untimed = 0
        reader.unknown.clear()
        reader.missed = start.missed

    def _end(self, reader: Reader, cursor: Cursor) -> None:
        self.unknown += reader.unknown
        self.untimed += reader.untimed
        self.cursor = msgspec.structs.replace(
            cursor,
            session=reader.session,
            cwd=reader.cwd,
            is_other=reader.is_other,
            understood=reader.understood,
            missed=reader.missed,
        )

    def _read(self, reader: Reader, line: bytes, number: int) -> Sequence[Turn]:
        record, self.raw = _decode(line, self._grammar.decode), line
        if record is None:
            self.broken += bool(line.strip())
            return ()
        return reader.read(record, number)

    def _unpacked(self) -> Iterator[Turn]:
        """Read all of a compressed file, again where its bytes are others: nobody appends to it."""
        import subprocess  # loads much, for few files

        packed = hash_file(self._file.path)
        if packed is None or packed == (self.cursor.offset, self.cursor.last):
            return
        self.restarted = self.cursor.offset > 0
        reader, number, total = Reader(self._grammar), 0, 0
        command = ["zstd", "-dcq", "--", self._file.path]
        try:
            process = subprocess.Popen(  # noqa: S603 - a fixed command and a path
                command, env={"PATH": _PATH}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, **for_child(),
            )  # fmt: skip
        except FileNotFoundError as error:
            raise UnreadableError("is compressed, and there is no program 'zstd' to read it") from error
        with process:
            while line := process.stdout.readline(MAX_LINE_BYTES + 1) if process.stdout else b"":
                number, total = number + 1, total + len(line)
                if total > MOST_UNPACKED_BYTES:
                    process.kill()
                    raise UnreadableError(f"unpacks to more than {MOST_UNPACKED_BYTES >> 30} GB")
                yield from self._read(reader, line, number)
                if reader.is_other:
                    process.kill()
                    break
        if process.returncode and not reader.is_other:
            raise UnreadableError("is compressed and damaged")
        self._end(reader, Cursor(offset=packed[0], lines=number, last=packed[1]))

    def _rows(self, store: Store) -> Iterator[Turn]:
        inode = os.stat(self._file.path).st_ino
        with closing(_open_database(self._file.path)) as database:
            if (
                store.version
                and (version := _first(database.execute(store.version).fetchone())) > store.newest
            ):
                raise UnreadableError(
                    f"has tables of version {version}, newer than {store.newest}, the newest that is known"
                )
            start = self._start(database, store, inode)
            at, lines, last = start.offset, start.lines, start.last
            if store.packed and not at and (packed := _first(database.execute(store.packed).fetchone())):
                self.problem = f"holds {packed} lines compressed, which were not read"
            readers = self._headers(database, store)
            while rows := database.execute(store.query, (at,)).fetchall():
                for row in rows:
                    at, lines = row["rowid"], lines + 1
                    record = self._record(row, store.value)
                    if record is None:
                        self.broken += 1
                        continue
                    reader = readers.setdefault(str(row["session_id"]), Reader(self._grammar))
                    if turns := reader.read(record, at):
                        self.raw = _raw(row, store.value)
                        yield from turns
                last = _digest(rows[-1], store)
        for reader in readers.values():
            self.unknown += reader.unknown
            self.untimed += reader.untimed
        understood = any(reader.understood for reader in readers.values())
        missed = 0 if understood else sum(reader.missed for reader in readers.values())
        self.cursor = Cursor(
            inode=inode, offset=at, lines=lines, last=last, understood=understood, missed=missed
        )

    def _start(self, database: sqlite3.Connection, store: Store, inode: int) -> Cursor:
        """Return where rows are read from: the beginning where the last one read is another now."""
        start = self.cursor
        if start.offset and (inode != start.inode or _digest_at(database, store, start.offset) != start.last):
            self.restarted, start = True, Cursor()
        return start

    def _headers(self, database: sqlite3.Connection, store: Store) -> dict[str, Reader]:
        """Return a reader for each session, told what the session's first lines say."""
        readers: dict[str, Reader] = {}
        for row in database.execute(store.headers) if store.headers else ():
            reader = readers.setdefault(str(row["session_id"]), Reader(self._grammar))
            if (record := self._record(row, store.value)) is not None:
                reader.read(record, 0)
                reader.unknown.clear()
                reader.untimed = reader.missed = 0
                reader.understood = False
        return readers

    def _record(self, row: sqlite3.Row, value: str) -> Any:
        record: dict[str, Any] | None = dict(row)
        if value:
            text = row[value]
            raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
            record = _decode(raw, _DICT.decode)
            record = {**record, "session_id": row["session_id"]} if record is not None else None
        try:
            return self._grammar.convert(record) if record is not None else None
        except msgspec.ValidationError:
            return None


class _Folder:
    """A folder as a :class:`LineLog`: each file is a line; the last one waits where it has no end yet.

    Attributes:
        inode: Of the first file.
        end: How many bytes there are, an end for each line counted.
        torn_bytes: Of the file that waits.
    """

    def __init__(self, file: SessionFile) -> None:
        """Look at the last file alone."""
        self._parts = list(file.parts)
        is_torn = not _part(self._parts[-1]).rstrip().endswith(b"}")
        self.torn_bytes = self._parts.pop().size_bytes + 1 if is_torn else 0
        self.end, self.inode = file.size_bytes - self.torn_bytes, int(file.parts[0].state.partition(":")[0])

    def chunks(self, start: int) -> Iterator[bytes]:
        """Yield lines from a byte on."""
        at = 0
        for part in self._parts:
            if (end := at + part.size_bytes + 1) > start:
                yield (_part(part) + b"\n")[max(0, start - at) :]
            at = end


def _part(part: SessionFile) -> bytes:
    """Return a file as one line of the size that it was found with."""
    line = (read_optional(part.path, MAX_LINE_BYTES) or b"").replace(b"\n", b" ")
    return line[: part.size_bytes].ljust(part.size_bytes)


def _raw(row: sqlite3.Row, value: str) -> bytes:
    """Return the bytes that stand for a row: its line, else its members as JSON."""
    told = row[value] if value else dict(row)
    return told.encode("utf-8", "replace") if isinstance(told, str) else msgspec.json.encode(told)


def _digest(row: sqlite3.Row, store: Store) -> str:
    return hashlib.sha256(_raw(row, store.value)).hexdigest()


def _digest_at(database: sqlite3.Connection, store: Store, at: int) -> str:
    """Return the hex SHA-256 of the row of a number; empty where none has it: a host may number rows anew, or take one back."""
    row = database.execute(store.query, (at - 1,)).fetchone()
    return _digest(row, store) if row and row["rowid"] == at else ""


def _first(row: Any) -> int:
    return int(row[0] or 0) if row else 0


def _open_database(path: str) -> sqlite3.Connection:
    """Open a database so that nothing is written, not even beside it.

    Where a write-ahead log has its index, a writer has the database open, and its newest rows are read; else the file alone.
    """
    mode = "ro" if os.path.exists(f"{path}-shm") else "ro&immutable=1"
    database = sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True, timeout=_BUSY_S)
    database.row_factory = sqlite3.Row
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return database


def _decode(line: bytes, decode: Callable[[bytes], _T]) -> _T | None:
    """Return the value of a line; bytes that are no UTF-8 are replaced; None where it is no JSON object."""
    if len(line) > MAX_LINE_BYTES:
        return None
    try:
        return decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    try:
        return decode(line.removeprefix(BOM).decode("utf-8", "replace").encode())
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _last_bytes(log: LineLog | _Folder, end: int) -> str:
    """Return the hex SHA-256 of the last bytes before a line's end; empty at a file's beginning."""
    start, block = max(0, end - _LOOKED_AT_BYTES), b""
    for chunk in log.chunks(start):  # of a folder each file is one
        block += chunk
        if len(block) >= end - start:
            break
    return hashlib.sha256(block[: end - start]).hexdigest() if block and end else ""


def _is_same(log: LineLog | _Folder, cursor: Cursor) -> bool:
    """Return whether a file is the one that was read so far, by inode, size and the last bytes read."""
    is_longer = log.inode == cursor.inode and log.end >= cursor.offset
    return is_longer and _last_bytes(log, cursor.offset) == cursor.last

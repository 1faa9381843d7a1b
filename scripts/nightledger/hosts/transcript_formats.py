"""How each host writes its sessions down, as data: the rows of ``config/transcripts.json``; and the files of a host's sessions.

Invariant: of files names and sizes only, nothing is opened; no link is followed, and what another user owns is named and left.
"""

import glob
import hashlib
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import cache, lru_cache, partial
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct, field

from nightledger.codec.canonical import MAX_LINE_BYTES
from nightledger.domain.proposal import Origin
from nightledger.domain.settings import TranscriptSource
from nightledger.domain.transcript import Speaker
from nightledger.files.durable import is_within
from nightledger.files.home import shipped_config

Allowed = Mapping[str, tuple[str | int | bool | None, ...]]
"""What may stand at each path; None where nothing may, too."""
_MILLISECONDS = 1e11
"""Numbers above are milliseconds since 1970, those below seconds: this one is 1973 or 5138."""


class Store(Struct, frozen=True, kw_only=True):
    """Where transcripts lie.

    Attributes:
        files: Pattern below the host's own directory; ``.zst`` at a name's end is compressed.
        query: For a database: gives rows behind a row's number, which is the column ``rowid``.
        headers: Gives the session and the first lines of each session there.
        value: The column that holds a line as JSON; empty where the columns are the line.
        version: Asks for the version of its tables.
        newest: The newest version that these queries were written against.
        packed: Counts the lines that are compressed in the database, and are not read.
        is_folder: Whether each file is one line, and its folder a session.
    """

    files: str
    query: str = ""
    headers: str = ""
    value: str = ""
    version: str = ""
    newest: int = 0
    packed: str = ""
    is_folder: bool = False


class Fields(Struct, frozen=True, kw_only=True):
    """Paths of what every line may say."""

    session: str = ""
    at: str = "timestamp"
    cwd: str = ""
    id: str = ""


class Header(Struct, frozen=True, kw_only=True):
    """A line that speaks for those behind it.

    Attributes:
        of: Its kind.
        session: Path of the session's name.
        cwd: Path of its working directory.
        only: What must hold, else nothing of the file is read: sessions of other agents.
    """

    of: str
    session: str = ""
    cwd: str = ""
    only: Allowed = field(default_factory=dict)


class Line(Struct, frozen=True, kw_only=True):
    """Lines of one kind.

    Attributes:
        of: The kind.
        speaker: Whose they are.
        when: What else must hold.
        content: Path of what is said: a text, or a list of blocks.
        tool: Path of a tool's name.
        calls: Path of a call, a result, or a list of calls; ``.`` is the line.
        exit: Path of an exit status, through texts that are JSON, too.
        status: Pattern of how a text begins that stands there, with the status as its one group, 1 where it is
            empty: the host's words before what a tool gave out.
        error: Path of a mark of errors.
        origin: Whose words such lines are; None where the format's ``user`` says it.
    """

    of: str
    speaker: Speaker
    when: Allowed = field(default_factory=dict)
    content: str = ""
    tool: str = ""
    calls: str = ""
    exit: str = ""
    status: str = ""
    error: str = ""
    origin: Origin | None = None


class Format(Struct, frozen=True, kw_only=True):
    """How one host writes sessions down.

    Attributes:
        host: Its name in records.
        seen: The version that the row was written against.
        user: Whose words the user's are: the owner's where nobody else can write there.
        reach: Which sessions belong to a home inside the host's own directory: ``all``, those of the same ``folder``, or by ``cwd`` alone.
        stores: Where.
        kind: Path of the kind of a line.
        fields: Paths of what every line may say.
        header: The line that speaks for those behind it; None where there is none.
        only: What must hold of a line that is said: side chains, summaries and injected lines are none.
        lines: Rows by kind, the first that fits counts.
        settled: What must hold where a block's mark of errors is an exit status: 0 without one, the number in its text with
            one; None where it is none.
        silent: Known kinds that say nothing.
    """

    host: str
    seen: str = ""
    user: Origin = Origin.UNKNOWN
    reach: str = "cwd"
    stores: tuple[Store, ...]
    kind: str
    fields: Fields
    header: Header | None = None
    only: Allowed = field(default_factory=dict)
    settled: Allowed | None = None
    lines: tuple[Line, ...]
    silent: tuple[str, ...] = ()


class Table(Struct, frozen=True, kw_only=True):
    """``config/transcripts.json``.

    Attributes:
        about: For its readers.
        blocks: Types of blocks, by what they are: ``said``, ``call``, ``result``.
        call: Paths inside a call: its ``id``, ``name``, ``input``, and the ``changes`` that it made, by the path of a file; in the
            input the ``command``, the ``path`` of a file, what says that it runs on (``later``).
        injected: What hosts and tools put into a user's message: ``tags`` around it, and how it ``begins``.
        formats: A row a host.
        silent_days: A source of which nothing new came for so long, while others are alive, has fallen silent.
        silent_lines: So many lines of its newest files, none of which was understood, are another format.
    """

    about: str
    blocks: Mapping[str, tuple[str, ...]]
    call: Mapping[str, tuple[str, ...]]
    injected: Mapping[str, tuple[str, ...]]
    formats: tuple[Format, ...]
    silent_days: int
    silent_lines: int


def described(name: str, told: TranscriptSource) -> Format:
    """Return the format of a tool as the operator described it."""
    rows = (
        (told.user, Line(of="", speaker=Speaker.USER, content=told.content)),
        (told.assistant, Line(of="", speaker=Speaker.ASSISTANT, when={told.calls: (None, "", "[]")} if told.calls else {}, content=told.content)),
        (told.assistant, Line(of="", speaker=Speaker.CALL, calls=told.calls)),
        (told.result, Line(of="", speaker=Speaker.TOOL, calls=".", exit=told.exit, error=told.error)),
    )  # fmt: skip
    lines = tuple(msgspec.structs.replace(row, of=word) for words, row in rows for word in words)
    return Format(
        host=name, stores=(Store(files=told.files, is_folder=told.folder_is_session),), kind=told.kind,
        fields=Fields(session=told.session, at=told.at, cwd=told.cwd), lines=lines,
    )  # fmt: skip


@lru_cache(maxsize=1)
def table() -> Table:
    """Return the shipped formats."""
    return msgspec.json.decode(shipped_config("transcripts.json"), type=Table)


def read_moment(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """Return a time as hosts write it: RFC 3339, or seconds or milliseconds since 1970; None where it is none.

    Args:
        value: What stands there.
        zone: Of a time that tells none.
    """
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return (moment.replace(tzinfo=zone) if moment.tzinfo is None else moment).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


MOST_FILES = 50_000


class SessionFile(Struct, frozen=True, kw_only=True):
    """A file of one session, or a database of many.

    Attributes:
        path: Absolute.
        name: Relative to the host's own directory.
        store: How it is read.
        size_bytes: Its size.
        written_s: When it was last written to, in seconds since 1970.
        state: Inode, size, and the time of its last change of any kind, which no program can set back.
        parts: Of a folder the files in it, each one line, in their order.
    """

    path: str
    name: str
    store: Store
    size_bytes: int
    written_s: float = 0.0
    state: str = ""
    parts: tuple["SessionFile", ...] = ()


class Found(Struct, frozen=True, kw_only=True):
    """What lies below a host's own directory.

    Attributes:
        files: By name.
        left: Names that are not read, with why.
    """

    files: tuple[SessionFile, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def find_sessions(form: Format, root: str) -> Found:
    """Return the files of a host's transcripts.

    Args:
        form: How the host writes them.
        root: The host's own directory.
    """
    files: dict[str, SessionFile] = {}
    left: dict[str, str] = {}
    if os.path.isdir(root) and _is_others(os.stat(root)):
        return Found(left=((root, "belongs to another user"),))
    is_inside = cache(partial(is_within, directory=root))
    for store in form.stores:
        folders = defaultdict[str, list[SessionFile]](list)
        for name in islice(sorted(glob.iglob(store.files, root_dir=root)), MOST_FILES):
            found = _look(root, name, store, is_inside)
            if isinstance(found, str):
                left[name] = found
            elif not store.is_folder:
                files.setdefault(name, found)
            elif found.size_bytes > MAX_LINE_BYTES:
                left[name] = "is longer than a megabyte"
            else:
                folders[os.path.dirname(name) or "."].append(found)
        files |= {name: _folder(root, name, parts) for name, parts in folders.items()}
    return Found(files=tuple(files[name] for name in sorted(files)), left=tuple(sorted(left.items())))


def _folder(root: str, name: str, parts: list[SessionFile]) -> SessionFile:
    """Return a folder as one file of lines, ordered by the first number in the files' names: hosts count up."""
    parts.sort(key=lambda one: int("0" + "".join(re.findall(r"\d+", os.path.basename(one.name))[:1])))
    return SessionFile(
        path=os.path.join(root, name), name=name, store=parts[0].store, size_bytes=sum(one.size_bytes + 1 for one in parts),
        written_s=max(one.written_s for one in parts), parts=tuple(parts),
        state=hashlib.sha256(" ".join(one.state for one in parts).encode()).hexdigest(),
    )  # fmt: skip


def _look(root: str, name: str, store: Store, is_inside: Callable[[str], bool]) -> SessionFile | str:
    path = os.path.join(root, name)
    try:
        found = os.lstat(path)
    except OSError as error:
        return error.strerror or "cannot be looked at"
    if stat.S_ISLNK(found.st_mode) or not is_inside(os.path.dirname(path)):
        return "is a link, or reached by one"
    if not stat.S_ISREG(found.st_mode):
        return "is no file"
    if any("\ud800" <= character <= "\udfff" for character in name):
        return "has a name that is not UTF-8"
    if _is_others(found):
        return "belongs to another user"
    return SessionFile(
        path=path,
        name=name,
        store=store,
        size_bytes=found.st_size,
        written_s=found.st_mtime,
        state=_state(path, found),
    )


def _state(path: str, found: os.stat_result) -> str:
    """Return what changes with a file; a database's rows may stand in the log beside it, so that counts, too."""
    beside = [found]
    with suppress(OSError):
        beside.append(os.lstat(f"{path}-wal"))
    return " ".join(f"{one.st_ino}:{one.st_size}:{one.st_ctime_ns}" for one in beside)


def _is_others(status: os.stat_result) -> bool:
    return status.st_uid != os.geteuid()


class Reach(Struct, frozen=True, kw_only=True):
    """Which sessions belong to a home.

    Attributes:
        home: Its directory, absolute.
        root: The host's own directory.
        kind: ``reach`` of the host's format.
        directories: Further working directories whose sessions belong to it, as the operator named them.
    """

    home: str
    root: str
    kind: str
    directories: tuple[str, ...] = ()

    def holds(self, name: str, cwd: str) -> bool:
        """Return whether a session belongs to the home.

        Args:
            name: Its file, relative to the host's own directory.
            cwd: Where it was begun; empty where that is not told. What is no absolute path is nowhere.
        """
        if cwd and (not os.path.isabs(cwd) or "\0" in cwd):
            return False
        if cwd and any(_is_below(cwd, one) for one in (self.home, *self.directories)):
            return True
        if self.kind == "cwd" or not _is_below(self.home, self.root):
            return False
        folder = os.path.dirname(os.path.join(self.root, name))
        return self.kind == "all" or _is_below(self.home, folder)

    def may_hold(self, name: str) -> bool:
        """Return whether a session may belong to the home, told by its name alone.

        Claude Code names a folder for the directory, with ``-`` for whatever is neither letter nor digit.
        """
        if self.kind != "folder":
            return True
        folder = os.path.basename(os.path.dirname(name))
        begins = tuple(name for one in (self.home, *self.directories) for name in _spelled(one))
        return self.holds(name, "") or folder.startswith(begins)


@lru_cache(maxsize=256)
def _spelled(path: str) -> tuple[str, ...]:
    """Return how folders of a directory are named, by its path as given, as it is, and on a drive of Windows as Windows names it."""
    drive, rest = (path[5:6], path[6:]) if re.match(r"/mnt/[a-z](?:/|$)", path) else ("", "")
    named = (path, os.path.realpath(path), *(f"{one}:{rest}" for one in (drive, drive.upper()) if one))
    return tuple(re.sub(r"[^a-zA-Z0-9]", "-", one).rstrip("-") for one in named)


@lru_cache(maxsize=256)
def _is_below(path: str, directory: str) -> bool:
    """Tell whether a path is the directory or in it; asked of each session, and no link changes within a run."""
    return is_within(path, directory)


def largest_folders(files: Iterable[SessionFile]) -> tuple[str, ...]:
    """Return the names of the folders that session files lie in, those with most bytes first."""
    sums: Counter[str] = Counter()
    for one in files:
        sums[os.path.basename(os.path.dirname(one.name))] += one.size_bytes
    return tuple(name for name, _ in sorted(sums.items(), key=lambda item: (-item[1], item[0])))

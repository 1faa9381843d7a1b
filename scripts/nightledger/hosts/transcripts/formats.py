"""How each host writes its sessions down, as data, and the one reader of a line of any of them.

Invariant: a line of an unknown kind is counted and says nothing; who speaks is decided by the conditions of a row alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct, field

from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import Speaker, Turn
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
    """

    files: str
    query: str = ""
    headers: str = ""
    value: str = ""
    version: str = ""
    newest: int = 0
    packed: str = ""


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
        exit: Path of an exit status.
        error: Path of a mark of errors.
        origin: Whose words such lines are; None where the format's ``user`` says it.
    """

    of: str
    speaker: Speaker
    when: Allowed = field(default_factory=dict)
    content: str = ""
    tool: str = ""
    exit: str = ""
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
    lines: tuple[Line, ...]
    silent: tuple[str, ...] = ()


class Table(Struct, frozen=True, kw_only=True):
    """``config/transcripts.json``.

    Attributes:
        about: For its readers.
        blocks: Types of blocks, by what they are: ``said``, ``call``, ``result``.
        injected: What hosts and tools put into a user's message: ``tags`` around it, and how it ``begins``.
        formats: A row a host.
    """

    about: str
    blocks: Mapping[str, tuple[str, ...]]
    injected: Mapping[str, tuple[str, ...]]
    formats: tuple[Format, ...]


_MOST_CHARACTERS = 40
"""Of the name of an unknown kind that are told."""


@lru_cache(maxsize=1)
def table() -> Table:
    """Return the shipped formats."""
    return msgspec.json.decode(shipped_config("transcripts.json"), type=Table)


def format_of(host: str) -> Format | None:
    """Return how a host writes its sessions down; None for one that is not known."""
    return next((one for one in table().formats if one.host == host), None)


@lru_cache(maxsize=512)
def _keys(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def at(record: Any, path: str) -> Any:
    """Return what stands at a path inside a line; None where nothing does."""
    for key in _keys(path):
        if not isinstance(record, dict):
            return None
        record = record.get(key)
    return record


def _text(record: Any, path: str) -> str:
    """Return the text at a path; empty where there is none."""
    found = at(record, path) if path else ""
    return found if isinstance(found, str) else ""


_Conditions = tuple[tuple[tuple[str, ...], tuple[str | int | bool | None, ...]], ...]


def _conditions(allowed: Allowed) -> _Conditions:
    return tuple((_keys(path), values) for path, values in allowed.items())


def _holds(record: Any, conditions: _Conditions) -> bool:
    """Return whether each path has something that may stand there."""
    for keys, values in conditions:
        found = record
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, dict | list) or found not in values:
            return False
    return True


def read_moment(value: Any) -> datetime | None:
    """Return a time as hosts write it: RFC 3339, or seconds or milliseconds since 1970; None where it is none."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


class Reader:
    """Reads lines of one file in their order; what a header said is carried on.

    Attributes:
        session: The session that the last header named.
        cwd: Its working directory: the first one that was told.
        is_other: Whether a header says that nothing here is of a session with the user.
        unknown: Kinds of lines that no row knows, and how often.
        untimed: Lines without a time that could be read; they say nothing.
    """

    def __init__(self, form: Format, *, session: str = "", cwd: str = "") -> None:
        """Begin, or go on with what an earlier reading knew."""
        self._form = form
        self._rows: dict[str, list[tuple[Line, _Conditions]]] = {}
        for line in form.lines:
            self._rows.setdefault(line.of, []).append((line, _conditions(line.when)))
        self._only = _conditions(form.only)
        self._silent = {*form.silent, *self._rows}
        self._blocks = {name: kind for kind, names in table().blocks.items() for name in names}
        self.session, self.cwd, self.is_other = session, cwd, False
        self.unknown: Counter[str] = Counter()
        self.untimed = 0

    def read(self, record: Any, number: int) -> Iterator[Turn]:
        """Yield what a line says: nothing, a turn, or several.

        Args:
            record: The line's value.
            number: Its number.
        """
        form = self._form
        kind = at(record, form.kind)
        kind = kind if isinstance(kind, str) else "(no kind)"
        if form.header and kind == form.header.of:
            self._enter(record, form.header)
        if self.is_other:
            return
        if not self.cwd:
            self.cwd = _text(record, form.fields.cwd)
        for line, when in self._rows.get(kind, ()):
            if _holds(record, when):
                if _holds(record, self._only):
                    yield from self._say(record, line, number)
                return
        if kind not in self._silent:
            self.unknown[kind[:_MOST_CHARACTERS]] += 1

    def _say(self, record: Any, line: Line, number: int) -> Iterator[Turn]:
        fields = self._form.fields
        moment = read_moment(at(record, fields.at))
        if moment is None:
            self.untimed += 1
            return
        turn = Turn(
            speaker=line.speaker,
            at=moment,
            session=_text(record, fields.session) or self.session,
            id=_text(record, fields.id),
            cwd=self.cwd,
            line=number,
            origin=line.origin,
        )
        yield from self._turns(record, line, turn)

    def _enter(self, record: Any, header: Header) -> None:
        session = _text(record, header.session)
        if self.session and self.session == session:
            return
        self.session = session
        self.cwd = _text(record, header.cwd) or self.cwd
        self.is_other = not _holds(record, _conditions(header.only))

    def _turns(self, record: Any, line: Line, turn: Turn) -> Iterator[Turn]:
        replace = msgspec.structs.replace
        if line.speaker in (Speaker.TOOL, Speaker.CALL):
            status, error = (at(record, path) if path else None for path in (line.exit, line.error))
            yield replace(
                turn,
                tool=_text(record, line.tool),
                exit_status=status if isinstance(status, int) else None,
                is_error=error if isinstance(error, bool) else None,
            )
            return
        content = at(record, line.content)
        if isinstance(content, str):
            yield replace(turn, text=content)
            return
        said = []
        for block in content if isinstance(content, list) else ():
            kind = self._blocks.get(str(block.get("type"))) if isinstance(block, dict) else None
            if kind == "said" and isinstance(block.get("text"), str):
                said.append(block["text"])
            elif kind == "call":
                yield from self._flush(said, turn)
                yield replace(turn, speaker=Speaker.CALL, tool=str(block.get("name", "")))
            elif kind == "result":
                error = block.get("is_error")
                yield replace(turn, speaker=Speaker.TOOL, is_error=error if isinstance(error, bool) else None)
        yield from self._flush(said, turn)

    @staticmethod
    def _flush(said: list[str], turn: Turn) -> Iterator[Turn]:
        if said:
            yield msgspec.structs.replace(turn, text="\n\n".join(said))
            said.clear()

"""How each host writes its sessions down, as data: the rows of ``config/transcripts.json``."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct, field

from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import Speaker
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


@lru_cache(maxsize=1)
def table() -> Table:
    """Return the shipped formats."""
    return msgspec.json.decode(shipped_config("transcripts.json"), type=Table)


def format_of(host: str) -> Format | None:
    """Return how a host writes its sessions down; None for one that is not known."""
    return next((one for one in table().formats if one.host == host), None)


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

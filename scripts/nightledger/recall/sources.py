"""Which files of a home are searched, how each becomes chunks, and which of them the index does not know yet.

A file is unchanged when size and time of writing are those of the index, and it had been left alone for a while when it
was read; else its hash decides.

Invariant: only files that this module names are in the index. Proposals, quarantine, blobs, messages and the audit log
are not among them; a name that leads out of the home is passed over and told. A file that cannot be read is named, and
what the index knew of it goes: nobody can say any more that it still stands there. The note of an outcome is a chunk of
its own, so that what an agent is shown never holds it.
"""

import json
import os
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, tzinfo
from hashlib import sha256
from itertools import pairwise
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.domain.errors import UnreadableError
from nightledger.domain.frames import Constitution
from nightledger.domain.kept import ARCHIVE, ARCHIVE_DAILY
from nightledger.domain.search import Kind
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.trusting import TRUST_FILES
from nightledger.domain.words import read_moment, read_text
from nightledger.files.durable import read_lines, read_regular
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.search_index import FileState, NewChunk, SearchStore
from nightledger.gate.naming import Placed
from nightledger.hosts.daylogs import MAX_LOG_BYTES, day_of, find_daylogs, is_wide, preset
from nightledger.records.keeping import fold_lines, record_kinds, words_of
from nightledger.text.dates import first_day
from nightledger.text.handoff import handoff_day
from nightledger.text.markdown.chunks import JOINT, cut_markdown

MAX_FILE_BYTES = 32_000_000
"""A file of any other kind that is larger is named and passed over."""
MOST_BYTES = {Kind.DAILY: MAX_LOG_BYTES, Kind.ARCHIVE: MAX_LOG_BYTES, Kind.HANDOFF: 64_000}
"""Of one file that are read: all lines of one that was found are looked at for an agent, those of a handoff by each staging. Our choice."""
NEWEST = 20_000
"""Outcomes that are searched: those of the last years, at a dozen a day. Associations know all. Our choice."""
OLDER = "older outcomes are not searched; associations know them"
"""How a note of the index ends that says how many; that is as it should be."""
NOTE_HEADING = "note"
"""Heading under which a note is indexed."""
_BLOCK = re.compile("^## ", re.MULTILINE)
"""Each archived entry begins with where it stood (``text/forgetting.py``)."""


Said = tuple[str, str, int, date | None, str]
"""What a record says: heading, words, line, day, id of its entry."""


class Source(Struct, frozen=True, kw_only=True):
    """A file that is searched.

    Attributes:
        path: Relative to the home.
        kind: What its chunks are.
        day: The log day that it is named for; None where it is named for none.
    """

    path: str
    kind: Kind
    day: date | None = None


class Cut(Struct, frozen=True, kw_only=True):
    """A text with its chunks.

    Attributes:
        text: What they are cut from: the file's own, or what a record says in words.
        chunks: In order.
    """

    text: str
    chunks: tuple[NewChunk, ...]


def find_sources(home: Home) -> list[Source]:
    """List the files of a home that are there, by path; nothing is opened.

    The staged page is none of them: all of it stands elsewhere, and its words would count when the next
    one is ranked, so that a run on unchanged input gave another page.
    """
    found = {
        path: Source(path=path, kind=Kind.MEMORY) for path in home.identity.gated if _is_there(home, path)
    }
    for log in find_daylogs(home, (*preset(home.identity.host).daily, EXTRACTS)):
        found.setdefault(log.path, Source(path=log.path, kind=Kind.DAILY, day=log.day))
    for path in (*_texts_in(home, ARCHIVE), *_texts_in(home, ARCHIVE_DAILY)):
        day = day_of(path.rpartition("/")[2])
        found.setdefault(path, Source(path=path, kind=Kind.ARCHIVE, day=day))
    for path, kind in (
        (home.outcomes, Kind.OUTCOME),
        (home.handoff, Kind.HANDOFF),
        (home.path(TRUST_FILES["constitution"]), Kind.PRINCIPLE),
        *((home.records(name), Kind.RECORD) for name in record_kinds()),
    ):
        if _is_there(home, name := home.relative(path)):
            found.setdefault(name, Source(path=name, kind=kind))
    return [found[path] for path in sorted(found)]


def read_source(home: Home, path: str, kind: Kind) -> tuple[bytes, int]:
    """Return the bytes of a file that is searched, of a kind in ``MOST_BYTES`` the first lines, and the size of all of it.

    Args:
        home: The home.
        path: Relative to it.
        kind: What the file's chunks are.

    Raises:
        MissingFileError: There is none.
        UnreadableError: It is no regular file of the home, or a huge one.
    """
    if kind in MOST_BYTES:
        return read_lines(home.path(path), MOST_BYTES[kind], within=home.root)
    raw = read_regular(home.path(path), MAX_FILE_BYTES, within=home.root)
    return raw, len(raw)


def _is_there(home: Home, path: str) -> bool:
    return os.path.lexists(home.path(path))


def _texts_in(home: Home, directory: str) -> Iterator[str]:
    path = home.path(directory)
    for name in os.listdir(path) if os.path.isdir(path) else ():
        if name.lower().endswith((".md", ".markdown", ".txt")):
            yield f"{directory}/{name}"


def cut_prose(text: str, day: date | None) -> Cut:
    """Cut notes; a dated heading tells the day of what stands below it, else the file's name does."""
    chunks = (replace(one, day=one.day or day) for one in cut_markdown(text))
    return Cut(text=text, chunks=tuple(chunks))


def cut_archive(text: str) -> Cut:
    """Cut archived entries; each tells of its first date, at the least of the day on which it was archived."""
    cut = cut_prose(text, None)
    starts = [0, *(match.start() for match in _BLOCK.finditer(text)), len(text)]
    days = [first_day(text[start:end]) for start, end in pairwise(starts)]
    dated = (replace(one, day=one.day or days[bisect_right(starts, one.start) - 1]) for one in cut.chunks)
    return Cut(text=text, chunks=tuple(dated))


def cut_handoff(text: str) -> Cut:
    """Make each line of a handoff a chunk of its own: of its lines some are open items, and only these are told."""
    chunks: list[NewChunk] = []
    for one in cut_prose(text, handoff_day(text)).chunks:
        at = one.start
        for number, line in enumerate(text[one.start : one.end].split("\n"), one.first_line):
            if line.strip():
                end = at + len(line.rstrip())
                chunks.append(replace(one, start=at, end=end, first_line=number, last_line=number, lead=0))
            at += len(line) + 1
    return Cut(text=text, chunks=tuple(chunks))


def cut_entries(entries: Iterable[Placed]) -> Cut:
    """Make the entries of one gated file chunks, a long one several; each carries its entry's id."""
    pieces: list[str] = []
    chunks: list[NewChunk] = []
    at = 0
    for placed in entries:
        entry = placed.entry
        day, above = first_day(entry.field("DATE")) or first_day(entry.text), entry.first_line - 1
        for one in cut_markdown(entry.text):
            heading = JOINT.join(filter(None, (*entry.section, one.heading)))
            lines = {"first_line": above + one.first_line, "last_line": above + one.last_line}
            of_entry = {"heading": heading, "day": day, "entry": entry.id}
            chunks.append(replace(one, start=at + one.start, end=at + one.end, **lines, **of_entry))
        pieces.append(entry.text)
        at += len(entry.text)
    return Cut(text="".join(pieces), chunks=tuple(chunks))


def _cut_words(said: Iterable[Said]) -> Cut:
    """Make what records say chunks, each a line of its own."""
    pieces: list[str] = []
    chunks: list[NewChunk] = []
    at = 0
    for heading, words, line, day, entry in said:
        end = at + len(words)
        chunks.append(
            NewChunk(
                start=at, end=end, first_line=line, last_line=line, heading=heading, day=day, entry=entry
            )
        )
        pieces.append(words)
        at = end + 1
    return Cut(text="\n".join(pieces), chunks=tuple(chunks))


def cut_principles(constitution: Constitution | None) -> Cut:
    """Make the principles in force chunks; all stand in the one line of their file."""
    principles = constitution.principles if constitution else ()
    return _cut_words((", ".join(one.tags), one.text, 1, None, one.id) for one in principles)


def cut_records(path: str, text: str, zone: tzinfo) -> Cut:
    """Make what each record of a file says now a chunk: its words on one line, below its kind and state.

    Args:
        path: The file, ``memory/system/KIND.jsonl``.
        text: Its lines.
        zone: In which the home's days begin and end.
    """
    kind = path.rpartition("/")[2].removesuffix(".jsonl")
    records, _ = fold_lines(kind, [text.encode("utf-8", "surrogateescape")])
    return _cut_words(
        (
            f"{kind}, {one.state}",
            " ".join(" ".join(words_of(one.fields)).split()),
            one.line,
            one.changed_at.astimezone(zone).date(),
            "",
        )
        for one in records.values()
    )


def cut_outcomes(path: str, zone: tzinfo) -> tuple[Cut, str, int]:
    """Read the newest outcomes of a file.

    Args:
        path: The file.
        zone: In which the home's days begin and end.

    Returns:
        Its outcomes, hex SHA-256 of its whole lines, and how many older outcomes were passed over.

    Raises:
        UnreadableError: It is no regular file.
        FileChangedError: It was cut while it was read.
    """
    digest = sha256()
    lines: deque[tuple[int, bytes]] = deque(maxlen=NEWEST)
    number = 0
    with LineLog(path) as log:
        for block in log.chunks(0):
            digest.update(block)
            for line in block.removesuffix(b"\n").split(b"\n"):
                number += 1
                lines.append((number, line))
    return _cut_words(_said(lines, zone)), digest.hexdigest(), max(0, number - NEWEST)


def _said(lines: "deque[tuple[int, bytes]]", zone: tzinfo) -> Iterator[Said]:
    """Give what each outcome says, each id once."""
    seen: set[str] = set()
    for number, line in lines:
        try:
            record = json.loads(line)
            name, words, day = record["id"], read_text(_words(record)), _day(record, zone)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            continue
        if isinstance(name, str) and name not in seen:
            seen.add(name)
            yield "", words, number, day, ""
            if note := _note(record):
                yield NOTE_HEADING, note, number, day, ""


def _note(record: dict[str, Any]) -> str:
    try:
        return " ".join(read_text(record.get("note")).split())
    except ValueError:  # none, or none that an index can hold
        return ""


def _day(record: dict[str, Any], zone: tzinfo) -> date:
    return read_moment(record["timestamp"]).astimezone(zone).date()


def _words(record: dict[str, Any]) -> str:
    tags = ", ".join(record["context_tags"])
    project = f" ({record['project']})" if record.get("project") else ""
    return f"{record['task_type']}{project} [{tags}]: {record['resolution']}: {record['outcome']}"


SETTLED_NS = 2_000_000_000
"""A file system may count time in steps of two seconds (FAT): what was written within them may change unseen."""


class Changed(Struct, frozen=True, kw_only=True):
    """A file that is to be indexed.

    Attributes:
        source: Which.
        state: What it was when it was read.
        raw: Its bytes; None for outcomes, which are read in parts.
        fresh: Whether it is new or changed; else what is known of it did.
    """

    source: Source
    state: FileState
    raw: bytes | None
    fresh: bool = True


class Changes(Struct, kw_only=True):
    """What is to be done to an index.

    Attributes:
        changed: Files to index.
        touched: Files that are what they were, though their times say otherwise.
        gone: Paths that the index holds and the home has not.
        notes: Files that cannot be read, a sentence each.
    """

    changed: list[Changed] = field(default_factory=list)
    touched: list[tuple[str, FileState]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether there is something to do."""
        return bool(self.changed or self.touched or self.gone)


def find_changes(
    home: Home, sources: Iterable[Source], store: SearchStore, *, again: Collection[Kind], now_ns: int
) -> Changes:
    """Compare a home with its index.

    Args:
        home: The home.
        sources: Its files that are searched.
        store: Its index.
        again: Kinds to be indexed whether they changed or not, because what is known of them did.
        now_ns: The file system's time, in nanoseconds since 1970.
    """
    known = store.files()
    found = Changes()
    for source in sources:
        try:
            _look(home, source, known, now_ns, found, anew=source.kind in again)
        except UnreadableError as error:
            found.notes.append(f"{error}: it is not searched")
        else:
            known.pop(source.path, None)
    found.gone = sorted(known)
    return found


def _look(
    home: Home,
    source: Source,
    known: Mapping[str, tuple[int, str, FileState]],
    now_ns: int,
    found: Changes,
    *,
    anew: bool,
) -> None:
    path = home.path(source.path)
    try:
        status = os.stat(path)
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read ({error.strerror})") from error
    old = known.get(source.path)
    state = old[2] if old and old[1] == source.kind.value else None
    same = (
        state and state.settled and (state.size_bytes, state.mtime_ns) == (status.st_size, status.st_mtime_ns)
    )
    if same and not anew:
        return
    settled = status.st_mtime_ns + SETTLED_NS < now_ns
    if source.kind is Kind.OUTCOME:
        fresh = FileState(status.st_size, status.st_mtime_ns, "", settled=settled)
        found.changed.append(Changed(source=source, state=fresh, raw=None, fresh=not same))
        return
    raw, size_bytes = _read(home, source)
    fresh = FileState(size_bytes, status.st_mtime_ns, sha256(raw).hexdigest(), settled=settled)
    same = state is not None and state.sha256 == fresh.sha256
    if same and not anew:
        found.touched.append((source.path, fresh))
    else:
        found.changed.append(Changed(source=source, state=fresh, raw=raw, fresh=not same))


def _read(home: Home, source: Source) -> tuple[bytes, int]:
    if any("\ud800" <= character <= "\udfff" for character in source.path):
        raise UnreadableError(f"{source.path!r} has a name that is not UTF-8")
    raw, size_bytes = read_source(home, source.path, source.kind)
    if is_wide(raw):
        raise UnreadableError(f"{source.path} is UTF-16, not UTF-8")
    return raw, size_bytes

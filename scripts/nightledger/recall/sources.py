"""Which files of a home are searched, and how each becomes chunks.

Invariant: only files that this module names are in the index. Proposals, quarantine, blobs, messages
and the audit log are not among them; a name that leads out of the home is passed over and told.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from nightledger.domain.constitution import Constitution
from nightledger.domain.kept import ARCHIVE, ARCHIVE_DAILY
from nightledger.domain.search.values import Kind
from nightledger.domain.trusting import TRUST_FILES
from nightledger.files.home import Home
from nightledger.files.reading import read_lines, read_regular
from nightledger.files.search_writing import NewChunk
from nightledger.gate.memory.naming import Placed
from nightledger.hosts.daylogs import MAX_LOG_BYTES, day_of, find_daylogs
from nightledger.hosts.presets import preset
from nightledger.text.dates import first_day
from nightledger.text.forgetting.compressed import read_marker
from nightledger.text.search.chunks import JOINT, Passage, cut_markdown
from nightledger.text.staging.handoff import handoff_day

MAX_FILE_BYTES = 32_000_000
"""A file of any other kind that is larger is named and passed over."""
MOST_BYTES = {Kind.DAILY: MAX_LOG_BYTES, Kind.ARCHIVE: MAX_LOG_BYTES, Kind.HANDOFF: 64_000}
"""Of one file that are read: all lines of one that was found are looked at for an agent, those of a handoff by each staging. Our choice."""
_BLOCK = re.compile("^## ", re.MULTILINE)
"""Each archived entry begins with where it stood (``text/forgetting/archive_block.py``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that is searched.

    Attributes:
        path: Relative to the home.
        kind: What its chunks are.
        day: The log day that it is named for; None where it is named for none.
    """

    path: str
    kind: Kind
    day: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
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
    for log in find_daylogs(home, preset(home.identity.host).daily):
        found.setdefault(log.path, Source(path=log.path, kind=Kind.DAILY, day=log.day))
    for path in (*_texts_in(home, ARCHIVE), *_texts_in(home, ARCHIVE_DAILY)):
        day = day_of(path.rpartition("/")[2])
        found.setdefault(path, Source(path=path, kind=Kind.ARCHIVE, day=day))
    for path, kind in (
        (home.outcomes, Kind.OUTCOME),
        (home.handoff, Kind.HANDOFF),
        (home.path(TRUST_FILES["constitution"]), Kind.PRINCIPLE),
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
    chunks = (_chunk(one, heading=one.heading, day=one.day or day) for one in cut_markdown(text))
    return Cut(text=text, chunks=tuple(chunks))


def _chunk(
    one: Passage, *, heading: str, day: date | None, at: int = 0, above: int = 0, entry: str = ""
) -> NewChunk:
    return NewChunk(
        start=at + one.start,
        end=at + one.end,
        lead=one.lead,
        first_line=above + one.first_line,
        last_line=above + one.last_line,
        heading=heading,
        day=day,
        entry=entry,
    )


def cut_summary(text: str, day: date | None) -> Cut:
    """Cut what was added to a compressed log behind its summary, which only repeats the full text in the archive.

    Args:
        text: Of the log; without the line that points to the full text all of it is cut.
        day: The log day.
    """
    lines = text.split("\n")
    marked = next((n for n, line in enumerate(lines, 1) if read_marker(line)), 0)
    if not marked:
        return cut_prose(text, day)
    while marked < len(lines) and lines[marked].startswith(">"):  # it quotes below the line that points
        marked += 1
    blank = [" " * len(line) for line in lines[:marked]]
    return cut_prose("\n".join([*blank, *lines[marked:]]), day)


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
            chunks.append(_chunk(one, heading=heading, day=day, at=at, above=above, entry=entry.id))
        pieces.append(entry.text)
        at += len(entry.text)
    return Cut(text="".join(pieces), chunks=tuple(chunks))


def cut_principles(constitution: Constitution | None) -> Cut:
    """Make the principles in force chunks; all stand in the one line of their file."""
    text = ""
    chunks: list[NewChunk] = []
    for one in constitution.principles if constitution else ():
        start = len(text)
        text += one.text
        heading = ", ".join(one.tags)
        chunks.append(
            NewChunk(start=start, end=len(text), first_line=1, last_line=1, heading=heading, entry=one.id)
        )
        text += "\n"
    return Cut(text=text, chunks=tuple(chunks))

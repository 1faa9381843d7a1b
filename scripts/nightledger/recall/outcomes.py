"""Outcomes as search knows them: what each says in words, its note apart.

Invariant: a line that is no outcome is passed over; the note of an outcome is a chunk of its own, so
that what an agent is shown never holds it.
"""

import json
from collections import deque
from collections.abc import Iterator
from datetime import date, tzinfo
from hashlib import sha256
from typing import Any

from nightledger.domain.words import read_moment, read_text
from nightledger.files.line_log import LineLog
from nightledger.files.search_writing import NewChunk
from nightledger.recall.sources import Cut

NEWEST = 20_000
"""Outcomes that are searched: those of the last years, at a dozen a day. Associations know all. Our choice."""
OLDER = "older outcomes are not searched; associations know them"
"""How a note of the index ends that says how many; that is as it should be."""
NOTE_HEADING = "note"
"""Heading under which a note is indexed."""


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
    pieces: list[str] = []
    chunks: list[NewChunk] = []
    at = 0
    for heading, said, line_number, day in _said(lines, zone):
        chunks.append(
            NewChunk(
                start=at,
                end=at + len(said),
                first_line=line_number,
                last_line=line_number,
                heading=heading,
                day=day,
            )
        )
        pieces.append(said)
        at += len(said) + 1
    return Cut(text="\n".join(pieces), chunks=tuple(chunks)), digest.hexdigest(), max(0, number - NEWEST)


def _said(lines: "deque[tuple[int, bytes]]", zone: tzinfo) -> Iterator[tuple[str, str, int, date | None]]:
    """Give what each outcome says, each id once: heading, words, line, day."""
    seen: set[str] = set()
    for number, line in lines:
        try:
            record = json.loads(line)
            name, words, day = record["id"], read_text(_words(record)), _day(record, zone)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            continue
        if isinstance(name, str) and name not in seen:
            seen.add(name)
            yield "", words, number, day
            if note := _note(record):
                yield NOTE_HEADING, note, number, day


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

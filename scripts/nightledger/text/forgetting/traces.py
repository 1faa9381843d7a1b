"""What stands where something went: an archived entry's block, and the line that links a compressed log to its full text.

Invariant: an entry's lines are in its block as they were, byte for byte. The line of a compressed log is a pointer and proves
nothing: whether a log is compressed the audit log says; whether the pointer is right, the hash of what it points to.
"""

import re
from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from nightledger.domain.kept import is_copy

TOP = "The top of the file"
"""Stands for the section of an entry above all headings."""


def archive_block(
    text: str, *, section: Sequence[str], entry: str | None, target: str, day: date, reason: str
) -> str:
    """Give the block for ``memory/archive/YYYY.md``.

    Args:
        text: The entry's exact lines.
        section: Heading texts from the outermost to its section's own.
        entry: Its id; None for a run of whole sections or entries.
        target: The file in which it stood.
        day: When it goes.
        reason: Why, one line.
    """
    why = " ".join(reason.split())
    named = f", entry {entry}" if entry else ""
    body = text if text.endswith("\n") else f"{text}\n"
    return f"## {' > '.join(section) or TOP}\n\n{body}\nArchived {day} from {target}{named}: {why}\n"


def told_with(added: str, removed: str) -> str | None:
    """Give the line that a block adds to the lines taken out; None where it holds anything else.

    Args:
        added: The block, as signed.
        removed: The lines that the change takes out; blank ones around them do not count.
    """
    heading, _, rest = added.partition("\n\n")
    text, found, line = rest.rpartition("\n\n")
    same = found and text.strip("\r\n") == removed.strip("\r\n")
    plain = heading.startswith("## ") and "\n" not in heading and line.startswith("Archived ")
    return line.rstrip("\n") if same and plain and line.count("\n") == 1 else None


_MARKER = re.compile(
    r"Full text: \[(.(?:(?!\]\(<).)*+)\]\(<.+>\), (0|[1-9][0-9]{0,17}) lines?, SHA-256 ([0-9a-f]{64})\."
)


class Marker(Struct, frozen=True, kw_only=True):
    """What a summary says of its full text.

    Attributes:
        copy: Where it lies, relative to the home.
        lines: How many lines it has.
        sha256: Hex SHA-256 of its bytes.
    """

    copy: str
    lines: int
    sha256: str


def marker_line(log: str, marker: Marker) -> str:
    """Give the line, without its end; the link works from where the log lies.

    Args:
        log: The daily log, relative to the home.
        marker: What it points to.
    """
    noun = "line" if marker.lines == 1 else "lines"
    here, there = log.split("/")[:-1], marker.copy.split("/")
    shared = next(
        (at for at, names in enumerate(zip(here, there, strict=False)) if names[0] != names[1]), len(here)
    )
    link = "/".join([".."] * (len(here) - shared) + there[shared:])
    return f"Full text: [{marker.copy}](<{link}>), {marker.lines} {noun}, SHA-256 {marker.sha256}."


def read_marker(text: str) -> Marker | None:
    """Find the line in a summary; None where none, or more than one, stands there."""
    found = [
        match for line in text.split("\n") if (match := _MARKER.fullmatch(line.strip().removeprefix("> ")))
    ]
    if len(found) != 1 or not is_copy(found[0][1]):
        return None
    return Marker(copy=found[0][1], lines=int(found[0][2]), sha256=found[0][3])


def count_lines(content: bytes) -> int:
    """Give the number of lines of a file; an unfinished last one counts."""
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))

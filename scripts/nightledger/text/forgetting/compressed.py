"""The line by which the summary of a compressed daily log links to its full text.

Invariant: the line is a pointer and proves nothing. Whether a log is compressed the audit log says;
whether the pointer is right, the hash of what it points to.
"""

import re

from msgspec import Struct

from nightledger.domain.kept import is_copy

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

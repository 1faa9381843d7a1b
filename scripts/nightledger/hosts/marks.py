"""Marks that other tools leave in the lines that they write by themselves.

Invariant: only what a tool writes around its own lines counts, never what a person might
say; without such a mark nothing is claimed.
"""

import re
from collections.abc import Iterable

from nightledger.domain.drift import Writer

_DREAMING = re.compile(
    r"<!--\s*openclaw-memory-promotion:"
    r"|<!--\s*openclaw:dreaming:"
    r"|^#{1,6}\s*Promoted From Short-Term Memory\b"
    r"|^#{1,6}\s*(?:Light|REM|Deep) Sleep\s*$"
    r"|\[score=[\d.]+ (?:recalls|avg|source)=",
)
"""OpenClaw's ``memory-core``: what its dreaming promotes to MEMORY.md (docs/formats.md, Hosts)."""
_EXTRACTION = re.compile(
    r"^#{1,6}\s*(?:(?:nightly|daily|auto(?:matic)?) memory extraction|durable facts extracted)\b"
    r"|<!--\s*[\w.-]+:(?:memory|summary|extract\w*|consolidat\w*|dream\w*)(?::[\w.-]+)*:start\b",
    re.IGNORECASE,
)
"""Headings and block marks of other consolidators."""


def find_mark(lines: Iterable[str]) -> Writer | None:
    """Give the tool whose marks stand in some of the lines; None where there are none.

    Args:
        lines: Lines that were added to a memory file.
    """
    found = None
    for line in lines:
        if _DREAMING.search(line):
            return Writer.DREAMING
        if _EXTRACTION.search(line):
            found = Writer.EXTRACTION
    return found

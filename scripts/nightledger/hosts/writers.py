"""Traces of what writes beside the gate: marks of other tools in lines, and sessions that were at work at a moment.

Invariant: only what a tool writes around its own lines counts, never what a person might say; nothing of a session is
read, and no more than ``MOST_FILES`` of a host's files are looked at.
"""

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from nightledger.domain.states import Writer
from nightledger.hosts.presets import preset

WITHIN_S = 300.0
"""A session writes down a tool's call within seconds; five minutes allow for a slow answer. Our choice."""
MOST_FILES = 50_000
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


def hosts_at_work(roots: Mapping[str, str], at_s: float, *, within_s: float = WITHIN_S) -> tuple[str, ...]:
    """Name the hosts with a session file written about then, sorted.

    Args:
        roots: Each host's own directory; missing ones are none.
        at_s: The moment, in seconds since 1970.
        within_s: How far from it a write may be.
    """
    return tuple(
        sorted(
            host
            for host, root in roots.items()
            if any(abs(at - at_s) <= within_s for at in _written(host, root))
        )
    )


def _written(host: str, root: str) -> Iterator[float]:
    names = (name for pattern in preset(host).sessions for name in glob.iglob(pattern, root_dir=root))
    for name in islice(names, MOST_FILES):
        try:
            yield os.lstat(os.path.join(root, name)).st_mtime
        except OSError:
            continue

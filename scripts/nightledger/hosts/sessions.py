"""Which hosts had a session at work at a moment, told by when their session files were written.

Invariant: nothing of a session is read, no link is followed, and no more than ``MOST_FILES``
names are looked at.
"""

import os
import re
from collections.abc import Iterator, Mapping

from nightledger.hosts.presets import CLAUDE_CODE, CODEX, HERMES, OPENCLAW

WITHIN_S = 300.0
"""A session writes down a tool's call within seconds; five minutes allow for a slow answer. Our choice."""
MOST_FILES = 5000
"""Names looked at in one host's directory. Our choice."""
_DEEPEST = 5
_SESSION_FILES = {
    OPENCLAW: re.compile(r"agents/[^/]+/(?:sessions/[^/]+\.jsonl|agent/openclaw-agent\.sqlite(?:-wal)?)"),
    CLAUDE_CODE: re.compile(r"projects/[^/]+/[^/]+\.jsonl"),
    CODEX: re.compile(r"sessions/\d{4}/\d\d/\d\d/rollout-[^/]+\.jsonl"),
    HERMES: re.compile(r"state\.db(?:-wal)?"),
}
_TOP = {OPENCLAW: "agents", CLAUDE_CODE: "projects", CODEX: "sessions", HERMES: ""}
"""Where a host's session files lie below its directory."""


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
            if host in _SESSION_FILES
            and any(abs(written - at_s) <= within_s for written in _written(host, root))
        )
    )


def _written(host: str, root: str) -> Iterator[float]:
    left = MOST_FILES
    for name in _names(root, _TOP[host], _DEEPEST):
        left -= 1
        if left < 0:
            return
        if _SESSION_FILES[host].fullmatch(name):
            try:
                yield os.lstat(os.path.join(root, name)).st_mtime
            except OSError:
                continue


def _names(root: str, below: str, depth: int) -> Iterator[str]:
    """Give names below a directory, the newest days first as far as names tell."""
    try:
        with os.scandir(os.path.join(root, below)) as entries:
            found = sorted(entries, key=lambda entry: entry.name, reverse=True)
    except OSError:
        return
    for entry in found:
        name = os.path.join(below, entry.name)
        try:
            inner = entry.is_dir(follow_symlinks=False)
        except OSError:
            continue
        if not inner:
            yield name
        elif depth > 1 and below:
            yield from _names(root, name, depth - 1)

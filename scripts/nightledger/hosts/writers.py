"""Traces of what writes beside the gate: marks of other tools in lines, sessions at work at a moment, commits of git.

Invariant: only what a tool writes around its own lines counts, never what a person might say; nothing of a session is
read, and no more than ``MOST_FILES`` of a host's files are looked at. No hook, filter, pager, external diff, signature
program or transport of a repository runs; nothing is fetched, nothing written to it, and after five seconds git is stopped.
"""

import glob
import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from nightledger.domain.states import Writer
from nightledger.files.owner import for_child
from nightledger.hosts.daylogs import preset

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


def hosts_at_work(roots: Mapping[str, str], at_s: float) -> tuple[str, ...]:
    """Name the hosts with a session file written about then, sorted.

    Args:
        roots: Each host's own directory; missing ones are none.
        at_s: The moment, in seconds since 1970.
    """
    return tuple(
        sorted(
            host
            for host, root in roots.items()
            if any(abs(at - at_s) <= WITHIN_S for at in _written(host, root))
        )
    )


def _written(host: str, root: str) -> Iterator[float]:
    names = (name for pattern in preset(host).sessions for name in glob.iglob(pattern, root_dir=root))
    for name in islice(names, MOST_FILES):
        try:
            yield os.lstat(os.path.join(root, name)).st_mtime
        except OSError:
            continue


TIMEOUT_S = 5.0
_MOST_COMMITS = 64
"""Commits looked at in which a file got these bytes or lost them. Our choice."""
_OBJECT = re.compile(r"[0-9a-f]{40}")
_PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-C")
_LOG = (
    *("log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--format=%H", "--raw", "--no-abbrev"),
    f"--max-count={_MOST_COMMITS}",
)
_ENVIRONMENT = {
    "PATH": _PATH,
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


def find_commit(root: str, content: bytes) -> str:
    """Give a commit in which a file has exactly these bytes, 40 hex digits; empty where none is found.

    Not found is also: no repository, no git, SHA-256 objects, a history that takes too long.

    Args:
        root: A directory of the working tree.
        content: A file's bytes.
    """
    # the name that git has for these bytes (gitformat-pack(5), loose objects)
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    try:
        ran = subprocess.run(  # noqa: S603 - a fixed command; what varies are a directory and a hash
            [*_GIT, os.path.abspath(root), *_LOG, f"--find-object={blob}", "HEAD"],
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            **for_child(),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return _holder(ran.stdout.decode("ascii", "replace"), blob) if ran.returncode == 0 else ""


def _holder(listing: str, blob: str) -> str:
    """Give the first commit listed in which a file got these bytes; git lists those that took them away, too."""
    commit = ""
    for line in listing.splitlines():
        if _OBJECT.fullmatch(line):
            commit = line
        elif line.startswith(":") and line.split(" ")[3] == blob:
            return commit
    return ""

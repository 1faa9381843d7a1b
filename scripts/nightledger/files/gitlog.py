"""Ask git which commit behind HEAD holds given bytes, without running what a repository configures.

Invariant: no hook, filter, pager, external diff, signature program or transport of the repository runs;
nothing is fetched, nothing written to the repository, and after five seconds git is stopped.
"""

import hashlib
import os
import re
import subprocess

from nightledger.files.owner import for_child

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

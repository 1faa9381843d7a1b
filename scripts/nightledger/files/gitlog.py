"""Ask git which commit behind HEAD holds given bytes, without running or obeying anything that lies in the home.

Invariant: git runs on an empty directory of ours with the home's objects lent to it, so that no
configuration, hook, filter, pager or signature program of the repository takes effect;
nothing is fetched, nothing written to the repository, and after five seconds it is stopped.
"""

import hashlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

from nightledger.domain.errors import UnreadableError
from nightledger.files.owner import for_child
from nightledger.files.reading import read_optional

TIMEOUT_S = 5.0
_MOST_COMMITS = 64
"""Commits looked at in which a file got these bytes or lost them. Our choice."""
_SMALL = 1 << 16
_PACKED_BYTES = 4 << 20
_OBJECT = re.compile(r"[0-9a-f]{40}")
_PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"


def find_commit(root: str, content: bytes) -> str:
    """Give a commit in which a file has exactly these bytes, 40 hex digits; empty where none is found.

    Not found is also: no repository, no git, SHA-256 objects, a history that takes too long.

    Args:
        root: A directory of the working tree.
        content: A file's bytes.
    """
    try:
        own = _git_dir(os.path.abspath(root))
        if not own:
            return ""
        shared = _text(os.path.join(own, "commondir"))  # of a linked working tree
        common = os.path.normpath(os.path.join(own, shared)) if shared else own
        head = _head(own, common)
        return _search(common, _blob_id(content), head) if _OBJECT.fullmatch(head) else ""
    except (OSError, UnreadableError, subprocess.SubprocessError):
        return ""


def _blob_id(content: bytes) -> str:
    """Give the name that git has for these bytes (gitformat-pack(5), loose objects)."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _git_dir(directory: str) -> str:
    """Give the directory of git for the working tree in which a directory is; empty where none is."""
    for parent in (directory, *map(str, Path(directory).parents)):
        name = os.path.join(parent, ".git")
        if os.path.isdir(name):
            return name
        text = _text(name) if os.path.isfile(name) else ""
        if text.startswith("gitdir: "):
            return os.path.join(parent, text.removeprefix("gitdir: "))
    return ""


def _head(own: str, common: str) -> str:
    """Give the commit that HEAD names; empty where it names none."""
    head = _text(os.path.join(own, "HEAD"))
    if not head.startswith("ref: "):
        return head
    ref = head.removeprefix("ref: ")
    packed = (read_optional(os.path.join(common, "packed-refs"), _PACKED_BYTES) or b"").decode(
        "utf-8", "replace"
    )
    listed = (line.partition(" ") for line in packed.splitlines())
    return _text(os.path.join(common, ref)) or next((commit for commit, _, name in listed if name == ref), "")


def _text(path: str) -> str:
    raw = read_optional(path, _SMALL)
    # What holds a NUL names no file and no commit.
    return "" if raw is None or b"\0" in raw else raw.decode("utf-8", "surrogateescape").strip()


def _search(git_dir: str, blob: str, head: str) -> str:
    with tempfile.TemporaryDirectory(prefix="nightledger-git-") as empty:
        for name in ("refs", "objects"):
            os.mkdir(os.path.join(empty, name))
        with open(os.path.join(empty, "HEAD"), "w", encoding="ascii") as stream:
            stream.write("ref: refs/heads/none\n")
        ran = subprocess.run(  # noqa: S603 - a fixed command; what varies are hashes of hex digits
            [  # noqa: S607 - found on a fixed PATH, because systems keep it in different places
                "git",
                f"--git-dir={empty}",
                "--no-pager",
                "log",
                "--no-show-signature",
                "--no-ext-diff",
                "--no-textconv",
                "--format=%H",
                "--raw",
                "--no-abbrev",
                f"--max-count={_MOST_COMMITS}",
                f"--find-object={blob}",
                head,
            ],
            env=_environment(git_dir, empty),
            cwd=empty,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            check=False,
            **for_child(),
        )
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


def _environment(git_dir: str, empty: str) -> dict[str, str]:
    """Give git no configuration but its own defaults, and the home's objects to read (git(1))."""
    return {
        "PATH": _PATH,
        "HOME": empty,
        "LC_ALL": "C",
        "GIT_OBJECT_DIRECTORY": os.path.join(git_dir, "objects"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }

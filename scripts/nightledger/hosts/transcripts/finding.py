"""Find the files of transcripts below a host's own directory, and say which are not read.

Invariant: names and sizes only, nothing is opened; no link is followed, and what another user owns is named and left.
"""

import glob
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

from msgspec import Struct

from nightledger.files.durable import is_within
from nightledger.hosts.transcripts.formats import Format, Store

MOST_FILES = 50_000


class SessionFile(Struct, frozen=True, kw_only=True):
    """A file of one session, or a database of many.

    Attributes:
        path: Absolute.
        name: Relative to the host's own directory.
        store: How it is read.
        size_bytes: Its size.
        written_s: When it was last written to, in seconds since 1970.
        state: Inode, size, and the time of its last change of any kind, which no program can set back.
    """

    path: str
    name: str
    store: Store
    size_bytes: int
    written_s: float = 0.0
    state: str = ""


class Found(Struct, frozen=True, kw_only=True):
    """What lies below a host's own directory.

    Attributes:
        files: By name.
        left: Names that are not read, with why.
    """

    files: tuple[SessionFile, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def find_sessions(form: Format, root: str) -> Found:
    """Return the files of a host's transcripts.

    Args:
        form: How the host writes them.
        root: The host's own directory.
    """
    files: dict[str, SessionFile] = {}
    left: dict[str, str] = {}
    if os.path.isdir(root) and _is_others(os.stat(root)):
        return Found(left=((root, "belongs to another user"),))
    for store in form.stores:
        for name in islice(sorted(glob.iglob(store.files, root_dir=root)), MOST_FILES):
            found = _look(root, name, store)
            if isinstance(found, str):
                left[name] = found
            else:
                files.setdefault(name, found)
    return Found(files=tuple(files[name] for name in sorted(files)), left=tuple(sorted(left.items())))


def _look(root: str, name: str, store: Store) -> SessionFile | str:
    path = os.path.join(root, name)
    try:
        found = os.lstat(path)
    except OSError as error:
        return error.strerror or "cannot be looked at"
    if stat.S_ISLNK(found.st_mode) or not is_within(path, root):
        return "is a link, or reached by one"
    if not stat.S_ISREG(found.st_mode):
        return "is no file"
    if any("\ud800" <= character <= "\udfff" for character in name):
        return "has a name that is not UTF-8"
    if _is_others(found):
        return "belongs to another user"
    return SessionFile(
        path=path,
        name=name,
        store=store,
        size_bytes=found.st_size,
        written_s=found.st_mtime,
        state=_state(path, found),
    )


def _state(path: str, found: os.stat_result) -> str:
    """Return what changes with a file; a database's rows may stand in the log beside it, so that counts, too."""
    beside = [found]
    with suppress(OSError):
        beside.append(os.lstat(f"{path}-wal"))
    return " ".join(f"{one.st_ino}:{one.st_size}:{one.st_ctime_ns}" for one in beside)


def _is_others(status: os.stat_result) -> bool:
    return status.st_uid != os.geteuid()


class Reach(Struct, frozen=True, kw_only=True):
    """Which sessions belong to a home.

    Attributes:
        home: Its directory, absolute.
        root: The host's own directory.
        kind: ``reach`` of the host's format.
        directories: Further working directories whose sessions belong to it, as the operator named them.
    """

    home: str
    root: str
    kind: str
    directories: tuple[str, ...] = ()

    def holds(self, name: str, cwd: str) -> bool:
        """Return whether a session belongs to the home.

        Args:
            name: Its file, relative to the host's own directory.
            cwd: Where it was begun; empty where that is not told. What is no absolute path is nowhere.
        """
        if cwd and (not os.path.isabs(cwd) or "\0" in cwd):
            return False
        if cwd and any(_is_below(cwd, one) for one in (self.home, *self.directories)):
            return True
        if self.kind == "cwd" or not _is_below(self.home, self.root):
            return False
        folder = os.path.dirname(os.path.join(self.root, name))
        return self.kind == "all" or _is_below(self.home, folder)

    def may_hold(self, name: str) -> bool:
        """Return whether a session may belong to the home, told by its name alone.

        Claude Code names a folder for the directory, with ``-`` for whatever is neither letter nor digit.
        """
        if self.kind != "folder":
            return True
        folder = os.path.basename(os.path.dirname(name))
        below = (real for one in (self.home, *self.directories) for real in (one, os.path.realpath(one)))
        return self.holds(name, "") or any(folder.startswith(_spelled(one)) for one in below)


def _spelled(path: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", path).rstrip("-")


def _is_below(path: str, directory: str) -> bool:
    real, top = os.path.realpath(path), os.path.realpath(directory)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)


def largest_folders(files: Iterable[SessionFile]) -> tuple[str, ...]:
    """Return the names of the folders that session files lie in, those with most bytes first."""
    sums: Counter[str] = Counter()
    for one in files:
        sums[os.path.basename(os.path.dirname(one.name))] += one.size_bytes
    return tuple(name for name, _ in sorted(sums.items(), key=lambda item: (-item[1], item[0])))

"""One run at a time: locks that die with the process that holds them.

Invariant: a lock is an flock(2) on a file that stays; who crashed holds nothing.
"""

import errno
import fcntl
import os
import stat
import time

from nightledger.domain.errors import LockedError, NightledgerError, UnreadableError
from nightledger.files.durable import FILE_MODE, make_dir

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_NAME_BYTES = 16
"""Length of what a lock's file holds: the number of its holder, filled up."""
_OTHERS = (errno.ELOOP, errno.EISDIR, errno.ENXIO)
"""A link, a directory, a socket: none of ours."""
_PAUSE_S = 0.02
"""How long to wait between two tries: below what a person notices."""


class Lock:
    """An exclusive lock on a file of ``.nightledger/locks/``; a context manager.

    Not reentrant: the same process asking twice waits for itself. The file names the
    process that took it last, for the message only.
    """

    __slots__ = ("_descriptor", "path", "timeout_s")

    def __init__(self, path: str, *, timeout_s: float = 0.0) -> None:
        """Remember what to lock; nothing is taken yet.

        Args:
            path: The lock file (``Home.lock_path``); made where it is missing.
            timeout_s: How long to wait for another run; 0 asks once.
        """
        self.path = path
        self.timeout_s = timeout_s
        self._descriptor = -1

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            LockedError: When another process holds it until the time is over.
            UnreadableError: When the name is taken by something that is no regular file.
        """
        deadline = time.monotonic() + self.timeout_s
        while not self._try():
            if time.monotonic() >= deadline:
                raise LockedError(f"{self.path} is held by {_holder(self.path)}")
            time.sleep(_PAUSE_S)

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not held."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _try(self) -> bool:
        descriptor = self._open()
        try:
            held = self._hold(descriptor)
        except BaseException:  # a server lives on: what it does not use it must not hold
            os.close(descriptor)
            raise
        if held:
            self._descriptor = descriptor
        else:
            os.close(descriptor)
        return held

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        try:
            try:
                return os.open(self.path, flags, FILE_MODE)
            except (FileNotFoundError, NotADirectoryError):
                make_dir(os.path.dirname(self.path), ignored_by_git=True)
                return os.open(self.path, flags, FILE_MODE)
        except OSError as error:
            if error.errno in _OTHERS:
                raise _no_file(self.path) from error
            raise

    def _hold(self, descriptor: int) -> bool:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _no_file(self.path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if not _is_named(descriptor, self.path):  # .nightledger/ is disposable: somebody removed it
            return False
        name = b"%-*d\n" % (_NAME_BYTES - 1, os.getpid())
        if (
            os.pread(descriptor, len(name) + 1, 0) != name
        ):  # a write would be one more for the journal to keep
            os.ftruncate(descriptor, os.write(descriptor, name))
        return True

    def __enter__(self) -> "Self":
        self.acquire()
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        self.release()


def _is_named(descriptor: int, path: str) -> bool:
    here = os.fstat(descriptor)
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (here.st_ino, here.st_dev) == (there.st_ino, there.st_dev)


def _no_file(path: str) -> UnreadableError:
    return UnreadableError(f"{path} is not a regular file", hint="move it away; the file is made anew")


def _holder(path: str) -> str:
    from nightledger.files.reading import read_start

    try:
        number = read_start(path, _NAME_BYTES).decode("ascii", "replace").strip()
    except (OSError, NightledgerError):
        number = ""
    return f"process {number}" if number.isdigit() else "another process"

r"""A file of lines that only grows: append whole lines so that what was acknowledged stays, and read from where reading ended.

Invariant: bytes that are in the file are never changed or cut. A line that a crash left without its end is closed with
``\n`` by the next append; readers count it as torn. Only whole lines are given, up to the size that the file had when it was
opened; another or a rewritten file is noticed. The prompt hook appends: what only readers need is imported by them.
"""

import errno
import fcntl
import os
import stat
import time

from nightledger.domain import errors
from nightledger.files.durable import (
    FILE_MODE,
    OpenFile,
    is_there,
    open_regular,
    read_rest,
    sync_bytes,
    sync_directory,
    write_all,
)

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK_BYTES = 1 << 16
_PAUSE_S = 0.02
"""How long to wait between two tries to hold a file, as ``files/atomic.py`` does."""


class Appender(OpenFile):
    """One file, kept open to append to; a context manager.

    Each append holds an exclusive flock(2) on the file itself, so that writers which use
    this class never mix their lines, whatever other locks they hold.
    """

    __slots__ = ("_clean_size", "_held", "_opened", "path")

    def __init__(self, path: str, *, make: bool = True) -> None:
        """Open the file, made (0600) where it is missing.

        Args:
            path: The file.
            make: Whether it may be made.

        Raises:
            MissingFileError: When it is missing and may not be made.
            ConfigurationError: When its directory is missing.
            UnreadableError: When the name is taken by something that is no regular file.
        """
        self.path = path
        self._held = False
        self._clean_size = 0
        """The size up to which we know that the file ends with a line end."""
        descriptor, self._opened = _open(path, make=make)
        super().__init__(descriptor)

    def hold(self, timeout_s: float) -> None:
        """Lock the file until it is closed: for whoever reads it first and then writes what follows from that.

        Not reentrant: the same process asking with a second one waits for itself.

        Args:
            timeout_s: How long to wait for another run; 0 asks once.

        Raises:
            LockedError: When another process holds it until the time is over.
        """
        deadline = None
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                now = time.monotonic()
                deadline = now + timeout_s if deadline is None else deadline
                if now >= deadline:
                    raise errors.LockedError(f"{self.path} is held by another process") from None
                time.sleep(_PAUSE_S)
            else:
                self._held = True
                return

    def read_from(self, offset: int) -> bytes:
        """Give what stands behind an offset, to the file's end; :meth:`append` need not look there again."""
        found = read_rest(self._descriptor, offset)
        if found.endswith(b"\n"):
            self._clean_size = offset + len(found)
        return found

    def append(self, payload: bytes) -> tuple[int, int, int]:
        r"""Append whole lines with one write; they survive power loss when this returns.

        Args:
            payload: One or more lines, each with its ``\n``; no other line ends inside.

        Returns:
            Where they begin in the file, the file's size behind them, and the length of the unfinished line that was
            closed first, 0 where there was none; in bytes.

        Raises:
            ValueError: When the payload is empty or does not end with a line end.
            FileChangedError: When the file was moved away or cut since it was opened.
            NotDurableError: When the disk took only a part, or could not confirm; the message says
                what is there. Never retried here.
        """
        if not payload.endswith(b"\n"):
            raise ValueError("a payload is whole lines")
        if self._held:
            return self._append(payload)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        try:
            return self._append(payload)
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _append(self, payload: bytes) -> tuple[int, int, int]:
        size = self._checked_size()
        torn = 0 if size == self._clean_size else size - line_end(self._descriptor, size)
        content = b"\n" + payload if torn else payload
        try:
            write_all(self._descriptor, content)
        except OSError as error:
            raise self._not_taken(error, size, len(content)) from error
        # Where it went: a program that ignores the lock may have written since the size was asked for.
        end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        self._clean_size = end
        sync_bytes(self._descriptor, self.path)
        return end - len(payload), end, torn

    def _checked_size(self) -> int:
        try:
            there = os.lstat(self.path)
        except FileNotFoundError:
            there = None
        if there is None or not os.path.samestat(there, self._opened):
            raise errors.FileChangedError(
                f"{self.path} was moved away while it was open; nothing was appended"
            )
        if there.st_size < self._clean_size:
            raise errors.FileChangedError(f"{self.path} was cut while it was open; nothing was appended")
        return there.st_size

    def _not_taken(self, error: OSError, size: int, wanted: int) -> errors.NotDurableError:
        kept = os.fstat(self._descriptor).st_size - size
        return errors.NotDurableError(
            f"{self.path}: {kept} of {wanted} bytes could be written ({error.strerror}); "
            "these records are not acknowledged"
        )


def line_end(descriptor: int, size: int) -> int:
    """Give the offset behind the last line end of a file's first ``size`` bytes; 0 where there is none."""
    while size > 0:
        start = max(0, size - _BLOCK_BYTES)
        found = os.pread(descriptor, size - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        size = start
    return 0


def append_records(path: str, payload: bytes) -> tuple[int, int, int]:
    r"""Open, append whole lines durably, close; the guarantee is that of :meth:`Appender.append`.

    Args:
        path: The file; made where it is missing.
        payload: One or more lines, each with its ``\n``.
    """
    with Appender(path) as file:
        return file.append(payload)


def require_appendable(path: str) -> None:
    """Look that lines can be appended, before anything is done that they would tell; a missing file is made then.

    Raises:
        UnreadableError: What has that name is no regular file.
        OSError: This user may not write to it.
    """
    if is_there(path):
        os.close(_open(path, make=False)[0])


def _open(path: str, *, make: bool) -> tuple[int, os.stat_result]:
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = _open_or_create(path, flags) if make else os.open(path, flags)
    except FileNotFoundError as error:
        if not make:
            raise errors.MissingFileError(f"{path} is missing") from error
        raise errors.ConfigurationError(
            f"{os.path.dirname(path)} is missing", hint="make the home first: nightledger init --home DIR"
        ) from error
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EISDIR):
            raise
        raise _no_file(path) from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise _no_file(path)
    return descriptor, status


def _no_file(path: str) -> errors.UnreadableError:
    hint = "put the file itself in its place; one that is missing is made anew"
    return errors.UnreadableError(f"{path} is a link or no regular file", hint=hint)


def _open_or_create(path: str, flags: int) -> int:
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        descriptor = os.open(path, flags | os.O_CREAT, FILE_MODE)
        sync_directory(os.path.dirname(path) or ".")
        return descriptor


CHUNK_BYTES = 1 << 16
"""Decoded rows of 64 KB of lines stay in a processor's second-level cache; of 1 MB they do
not, and whatever is done with them then takes twice as long."""


class LineLog(OpenFile):
    """A file of lines, open for reading; a context manager.

    Attributes:
        path: The file.
        inode: Which file it is, as long as it lives.
        end: Behind its last whole line, in bytes.
        torn_bytes: Length of the unfinished line behind ``end``.
    """

    __slots__ = ("_device", "end", "inode", "path", "torn_bytes")

    def __init__(self, path: str) -> None:
        """Open the file; where there is none, it is as an empty one, with 0 for its inode.

        Raises:
            UnreadableError: When it is a link, a directory, a FIFO or a device.
        """
        self.path = path
        self.inode = self._device = self.end = self.torn_bytes = 0
        try:
            descriptor, size_bytes = open_regular(path)
        except errors.MissingFileError:
            super().__init__(-1)
            return
        super().__init__(descriptor)
        status = os.fstat(descriptor)
        self.inode, self._device = status.st_ino, status.st_dev
        self.end = line_end(descriptor, size_bytes)
        self.torn_bytes = size_bytes - self.end

    def chunks(self, start: int) -> "Iterator[bytes]":
        """Give whole lines from ``start`` to ``end``, about 64 KB at a time; too long a line is cut short.

        Raises:
            FileChangedError: When the file was cut meanwhile.
        """
        from nightledger.codec.canonical import MAX_LINE_BYTES

        at, rest = start, b""
        while at < self.end:
            block = os.pread(self._descriptor, min(CHUNK_BYTES, self.end - at), at)
            if not block:
                raise errors.FileChangedError(f"{self.path} was cut while it was read")
            at += len(block)
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut]
                rest = block[cut:]
            elif len(rest) <= MAX_LINE_BYTES:
                rest = (rest + block)[: MAX_LINE_BYTES + 1]

    def probe(self, end: int) -> str:
        """Return the hex SHA-256 of the bytes before ``end``: other bytes are another file."""
        return self.hashes([end]).get(end, "")

    def hashes(self, sizes: "Iterable[int]") -> dict[int, str]:
        """Return the hex SHA-256 of several beginnings of the file, by their size; see :func:`hash_prefixes`."""
        import hashlib

        found: dict[int, str] = {}
        digest, at = hashlib.sha256(), 0
        for size_bytes in sorted({*sizes}):
            while at < size_bytes and (
                block := os.pread(self._descriptor, min(size_bytes - at, CHUNK_BYTES), at)
            ):
                digest.update(block)
                at += len(block)
            if at < size_bytes:
                break
            found[size_bytes] = digest.hexdigest()
        return found

    def require_same(self) -> None:
        """Make sure that what was read is still the file of that name.

        Raises:
            FileChangedError: When it was moved away, replaced or cut meanwhile.
        """
        try:
            there = os.stat(self.path, follow_symlinks=False)
        except FileNotFoundError:
            if self._descriptor < 0:
                return
            there = None
        if there is None or (there.st_ino, there.st_dev) != (self.inode, self._device):
            raise errors.FileChangedError(f"{self.path} was replaced while it was read; nothing was written")
        if there.st_size < self.end:
            raise errors.FileChangedError(f"{self.path} was cut while it was read; nothing was written")


def hash_file(path: str) -> "tuple[int, str] | None":
    """Return a file's size in bytes and the hex SHA-256 of them; None where there is none.

    Raises:
        UnreadableError: It is a link, a directory, a FIFO or a device.
    """
    if not os.path.lexists(path):
        return None
    size_bytes = os.lstat(path).st_size
    sha256 = hash_prefixes(path, [size_bytes]).get(size_bytes)
    return None if sha256 is None else (size_bytes, sha256)


def hash_prefixes(path: str, sizes: "Iterable[int]") -> dict[int, str]:
    """Return the hex SHA-256 of several beginnings of a file, by their size; those that it is too short for are left out.

    Args:
        path: The file; a missing one has no beginnings.
        sizes: How many bytes each.

    Raises:
        UnreadableError: It is a link, a directory, a FIFO or a device.
    """
    with LineLog(path) as log:
        return log.hashes(sizes) if log.inode else {}

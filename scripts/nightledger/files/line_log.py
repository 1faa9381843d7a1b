r"""Read an append-only file of lines from where reading ended, and notice when it is another file.

Invariant: only whole lines are given, up to the size that the file had when it was
opened; what a writer adds meanwhile is for the next time.
"""

import hashlib
import os
import stat
from collections.abc import Iterator

from nightledger.codec.strict_json import MAX_LINE_BYTES
from nightledger.domain.errors import FileChangedError, UnreadableError
from nightledger.files.opened import OpenFile

CHUNK_BYTES = 1 << 16
"""Decoded rows of 64 KB of lines stay in a processor's second-level cache; of 1 MB they do
not, and whatever is done with them then takes twice as long."""
PROBES = 16
PROBE_BYTES = 512


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
        super().__init__(_open(path))
        if self._descriptor < 0:
            return
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise UnreadableError(f"{path} is not a regular file", hint="move it away; the file is made anew")
        self.inode, self._device = status.st_ino, status.st_dev
        self.end = self._last_line_end(status.st_size)
        self.torn_bytes = status.st_size - self.end

    def chunks(self, start: int) -> Iterator[bytes]:
        """Give whole lines from ``start`` to ``end``, about 64 KB at a time; too long a line is cut short.

        Raises:
            FileChangedError: When the file was cut meanwhile.
        """
        at, rest = start, b""
        while at < self.end:
            block = os.pread(self._descriptor, min(CHUNK_BYTES, self.end - at), at)
            if not block:
                raise FileChangedError(f"{self.path} was cut while it was read")
            at += len(block)
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut]
                rest = block[cut:]
            elif len(rest) <= MAX_LINE_BYTES:
                rest = (rest + block)[: MAX_LINE_BYTES + 1]

    def probe(self, end: int) -> str:
        """Give a hex SHA-256 of samples of the bytes before ``end``: other samples are another file.

        Sixteen samples of 512 bytes, evenly spread, the first at the start and the last at
        ``end``. They notice another file, a cut one, and one from which something was taken or
        into which something was put; a change of some bytes to others of the same number only
        where it meets a sample (the audit log holds the hash of the whole).
        """
        digest = hashlib.sha256(end.to_bytes(8, "big"))
        for n in range(PROBES if end else 0):
            at = max(0, end - PROBE_BYTES) * n // (PROBES - 1)
            digest.update(os.pread(self._descriptor, min(PROBE_BYTES, end - at), at))
        return digest.hexdigest()

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
            raise FileChangedError(f"{self.path} was replaced while it was read; nothing was written")
        if there.st_size < self.end:
            raise FileChangedError(f"{self.path} was cut while it was read; nothing was written")

    def _last_line_end(self, size: int) -> int:
        while size > 0:
            start = max(0, size - CHUNK_BYTES)
            found = os.pread(self._descriptor, size - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            size = start
        return 0


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    except FileNotFoundError:
        return -1
    except PermissionError as error:
        raise UnreadableError(f"{path} may not be read by this user", hint=f"chmod u+r '{path}'") from error
    except OSError as error:
        raise UnreadableError(
            f"{path} cannot be opened ({error.strerror})", hint="put a regular file in its place"
        ) from error

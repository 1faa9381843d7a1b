r"""Read an append-only file of lines from where reading ended, and notice when it is another file or a rewritten one.

Invariant: only whole lines are given, up to the size that the file had when it was
opened; what a writer adds meanwhile is for the next time.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator

from msgspec import Struct

from nightledger.codec.canonical import MAX_LINE_BYTES
from nightledger.domain.errors import FileChangedError, MissingFileError
from nightledger.files.append import OpenFile, line_end
from nightledger.files.durable import open_regular

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
        except MissingFileError:
            super().__init__(-1)
            return
        super().__init__(descriptor)
        status = os.fstat(descriptor)
        self.inode, self._device = status.st_ino, status.st_dev
        self.end = line_end(descriptor, size_bytes)
        self.torn_bytes = size_bytes - self.end

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
        """Return the hex SHA-256 of the bytes before ``end``: other bytes are another file."""
        digest, at = hashlib.sha256(), 0
        while at < end and (block := os.pread(self._descriptor, min(CHUNK_BYTES, end - at), at)):
            digest.update(block)
            at += len(block)
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


class Prefix(Struct, frozen=True, kw_only=True):
    """The beginning of a file that only grows.

    Attributes:
        size_bytes: How much of it.
        sha256: Hex SHA-256 of these bytes.
    """

    size_bytes: int
    sha256: str


def hash_file(path: str) -> Prefix | None:
    """Hash a file as far as it reaches now; None where there is none.

    Raises:
        UnreadableError: It is a link, a directory, a FIFO or a device.
    """
    if not os.path.lexists(path):
        return None
    size_bytes = os.lstat(path).st_size
    return hash_prefixes(path, [size_bytes]).get(size_bytes)


def hash_prefixes(path: str, sizes: Iterable[int]) -> dict[int, Prefix]:
    """Hash several beginnings of a file in one pass; those that it is too short for are left out.

    Args:
        path: The file; a missing one has no beginnings.
        sizes: How many bytes each.

    Raises:
        UnreadableError: It is a link, a directory, a FIFO or a device.
    """
    try:
        descriptor, _ = open_regular(path)
    except MissingFileError:
        return {}
    found: dict[int, Prefix] = {}
    digest, at = hashlib.sha256(), 0
    with OpenFile(descriptor):
        for size_bytes in sorted({*sizes}):
            while at < size_bytes and (block := os.read(descriptor, min(size_bytes - at, CHUNK_BYTES))):
                digest.update(block)
                at += len(block)
            if at < size_bytes:
                break
            found[size_bytes] = Prefix(size_bytes=size_bytes, sha256=digest.hexdigest())
    return found

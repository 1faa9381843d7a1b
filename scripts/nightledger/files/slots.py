"""A small file of two slots that are overwritten in turn: what was written lasts after one sync.

To replace a file takes two syncs and a change of its directory, which a journal must commit;
to overwrite bytes that it has takes one sync. Invariant: a write touches one slot, so a crash
in it leaves the other as it was; whoever reads must be able to tell a slot that is not whole.
"""

import errno
import os

from nightledger.domain.errors import UnreadableError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import sync_bytes, write_all
from nightledger.files.opened import OpenFile

SLOT_BYTES = 4_096
"""A page, which no file system of ours splits between two blocks."""
SLOTS = 2
_EMPTY = (b" " * (SLOT_BYTES - 1) + b"\n") * SLOTS
_OTHERS = (errno.ENOENT, errno.ELOOP, errno.EISDIR, errno.ENXIO)
"""Nothing there, a link, a directory, a FIFO: none of ours."""


class SlotFile(OpenFile):
    """A file of two slots, kept open from its reading to its writing; a context manager.

    Attributes:
        path: The file.
        raw: What both slots hold; None where it is not there, or is none of two slots.
        next: What they hold when :meth:`write` has returned.
    """

    __slots__ = ("_line", "next", "path", "raw")

    def __init__(self, path: str) -> None:
        """Open and read the file.

        Raises:
            UnreadableError: When this user may not read and write it.
        """
        self.path = path
        self._line = self.next = b""
        descriptor, self.raw = _open(path)
        super().__init__(descriptor)

    def prepare(self, slot: int, content: bytes) -> None:
        r"""Say what :meth:`write` is to write: all that can be done before it must be.

        Args:
            slot: 0 or 1.
            content: One line without its end; filled up with spaces and ``\n``.

        Raises:
            ValueError: It does not fit.
        """
        if len(content) >= SLOT_BYTES:
            raise ValueError(f"{len(content)} bytes do not fit into a slot of {SLOT_BYTES}")
        self._line = line = content.ljust(SLOT_BYTES - 1) + b"\n"
        held = self.raw or _EMPTY
        self.next = held[:SLOT_BYTES] + line if slot else line + held[SLOT_BYTES:]
        if self._descriptor >= 0:
            os.lseek(self._descriptor, slot * SLOT_BYTES, os.SEEK_SET)

    def write(self) -> None:
        """Overwrite one slot; it survives power loss when this returns, and the other is as it was.

        A file that was not there, or was none of two slots, is made anew with this one alone.

        Raises:
            NotDurableError: When the disk reports a failure.
        """
        if self._descriptor < 0:
            replace_file(self.path, self.next)
            return
        write_all(self._descriptor, self._line)
        sync_bytes(self._descriptor, self.path)


def _open(path: str) -> tuple[int, bytes | None]:
    """Open and read a file of two slots; -1 and None where there is none."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    except PermissionError as error:
        from shlex import quote

        raise UnreadableError(
            f"{path} may not be read and written by this user", hint=f"chmod u+rw {quote(path)}"
        ) from error
    except OSError as error:
        if error.errno in _OTHERS:
            return -1, None
        raise
    raw = None
    try:
        # One byte more is asked for: this size and no other is ours. What has no offset (a FIFO) has no slots.
        raw = os.pread(descriptor, SLOTS * SLOT_BYTES + 1, 0)
    except OSError as error:
        if error.errno != errno.ESPIPE:
            os.close(descriptor)
            raise
    if raw is not None and len(raw) == SLOTS * SLOT_BYTES:
        return descriptor, raw
    os.close(descriptor)
    return -1, None

"""A small file of two slots that are overwritten in turn: what was written lasts after one sync.

To replace a file takes two syncs and a change of its directory, which a journal must commit;
to overwrite bytes that it has takes one sync. Invariant: a write touches one slot, so a crash
in it leaves the other as it was; whoever reads must be able to tell a slot that is not whole.
"""

import errno
import os
from stat import S_ISREG

from nightledger.files.atomic import replace_file
from nightledger.files.durable import sync_bytes, write_all

SLOT_BYTES = 4_096
"""A page, which no file system of ours splits between two blocks."""
SLOTS = 2
_OTHERS = (errno.ENOENT, errno.ELOOP, errno.EISDIR, errno.ENXIO)
"""Nothing there, a link, a directory, a FIFO: none of ours."""


def write_slot(path: str, slot: int, content: bytes) -> None:
    r"""Overwrite one slot; it survives power loss when this returns, and the other is as it was.

    A file that is not there, or is none of two slots, is made anew with this one alone.

    Args:
        path: The file.
        slot: 0 or 1.
        content: One line without its end; filled up with spaces and ``\n``.

    Raises:
        ValueError: It does not fit.
        NotDurableError: When the disk reports a failure.
    """
    if len(content) >= SLOT_BYTES:
        raise ValueError(f"{len(content)} bytes do not fit into a slot of {SLOT_BYTES}")
    line = content.ljust(SLOT_BYTES - 1) + b"\n"
    descriptor = _open(path)
    if descriptor < 0:
        empty = b" " * (SLOT_BYTES - 1) + b"\n"
        replace_file(path, line + empty if slot == 0 else empty + line)
        return
    try:
        os.lseek(descriptor, slot * SLOT_BYTES, os.SEEK_SET)
        write_all(descriptor, line)
        sync_bytes(descriptor, path)
    finally:
        os.close(descriptor)


def split_slots(raw: bytes) -> tuple[bytes, ...]:
    """Give what stands in each slot, whole or not, with what fills it up; none where there are no slots."""
    if len(raw) != SLOTS * SLOT_BYTES:
        return ()
    return tuple(raw[at : at + SLOT_BYTES] for at in range(0, len(raw), SLOT_BYTES))


def _open(path: str) -> int:
    """Open a file of two slots to write to it; -1 where there is none."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in _OTHERS:
            return -1
        raise
    status = os.fstat(descriptor)
    if S_ISREG(status.st_mode) and status.st_size == SLOTS * SLOT_BYTES:
        return descriptor
    os.close(descriptor)
    return -1

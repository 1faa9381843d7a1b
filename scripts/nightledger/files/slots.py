"""A small file of two slots that are overwritten in turn: what was written lasts after one sync.

To replace a file takes two syncs and a change of its directory, which a journal must commit;
to overwrite bytes that it has takes one sync. Invariant: a write touches one slot, so a crash
in it leaves the other as it was; whoever reads must be able to tell a slot that is not whole.
"""

import os

from nightledger.files.atomic import replace_file
from nightledger.files.durable import is_regular, sync_bytes, write_all

SLOT_BYTES = 4_096
"""A page, which no file system of ours splits between two blocks."""
SLOTS = 2


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
    if not is_regular(path) or os.lstat(path).st_size != SLOTS * SLOT_BYTES:
        empty = b" " * (SLOT_BYTES - 1) + b"\n"
        replace_file(path, line + empty if slot == 0 else empty + line)
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    try:
        os.lseek(descriptor, slot * SLOT_BYTES, os.SEEK_SET)
        write_all(descriptor, line)
        sync_bytes(descriptor, path)
    finally:
        os.close(descriptor)


def split_slots(raw: bytes) -> tuple[bytes, ...]:
    """Give what stands in each slot, whole or not, without what fills it up; none where there are no slots."""
    if len(raw) != SLOTS * SLOT_BYTES:
        return ()
    return tuple(raw[at : at + SLOT_BYTES].rstrip() for at in range(0, len(raw), SLOT_BYTES))

"""Overwrite what a file must not hold any more, in place and byte for byte.

Invariant: size, inode and every other byte stay, so that offsets and later appends hold;
the same flock(2) as an append's is held meanwhile (``files/append.py``), so no line is lost.
Cut short, it is finished by calling it again.
"""

import fcntl
import os
from collections.abc import Iterable

from nightledger.domain.errors import UnreadableError
from nightledger.files.append import read_rest
from nightledger.files.durable import is_regular, sync_bytes

FILLER = b"x"


def overwritten(content: bytes, needles: Iterable[bytes]) -> bytes:
    """Give the content with every occurrence of each needle overwritten, as long as before."""
    wanted = sorted({needle for needle in needles if needle.strip(FILLER)}, key=len, reverse=True)
    while any(needle in content for needle in wanted):  # what is put there may make another anew
        for needle in wanted:
            content = content.replace(needle, FILLER * len(needle))
    return content


def overwrite(path: str, needles: Iterable[bytes]) -> bytes:
    """Overwrite every occurrence of each needle in a file; on disk when this returns.

    Args:
        path: A regular file.
        needles: Bytes that must go.

    Returns:
        The file's bytes afterwards.

    Raises:
        UnreadableError: It is no regular file, or has a second name.
        NotDurableError: When the disk reports a failure.
    """
    if not is_regular(path):
        raise UnreadableError(f"{path} is not a regular file", hint="put the file itself in its place")
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink > 1:
            raise UnreadableError(
                f"{path} has a second name (a hard link)", hint="copy it, and put the copy in its place"
            )
        before = read_rest(descriptor, 0)
        after = overwritten(before, needles)
        for start, end in _differences(before, after):
            _write_at(descriptor, after[start:end], start)
        sync_bytes(descriptor, path)
    finally:
        os.close(descriptor)
    return after


def _differences(before: bytes, after: bytes) -> Iterable[tuple[int, int]]:
    """Give the runs in which two contents of one length differ."""
    start = None
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new and start is None:
            start = at
        elif old == new and start is not None:
            yield start, at
            start = None
    if start is not None:
        yield start, len(after)


def _write_at(descriptor: int, content: bytes, offset: int) -> None:
    while content:
        taken = os.pwrite(descriptor, content, offset)
        content, offset = content[taken:], offset + taken

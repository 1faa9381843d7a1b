"""Write the link index: segments that never change, and the list of those in use.

Invariant: replacing ``current`` is the one step by which the index changes; what it does
not name is nobody's. All of it is disposable: the outcome log says it again.
"""

import os
import zlib
from collections.abc import Iterable, Sequence

from nightledger.domain.errors import NightledgerError
from nightledger.files.atomic import TEMP_SUFFIX, open_temp, replace_file
from nightledger.files.durable import make_dir, sync_directory, sync_file, write_all
from nightledger.files.link_index import CURRENT, SUFFIX, Stored, dump_current
from nightledger.files.link_segment import SegmentError
from nightledger.files.reading import open_regular

TYPE_CHECKING = False  # as in the modules that recall loads
if TYPE_CHECKING:
    from array import array

_BLOCK_BYTES = 1 << 20


def write_segment(directory: str, pieces: "Iterable[bytes | bytearray | array[int]]") -> Stored:
    """Write a segment under a name of its own; it is on disk when this returns, and in use by nobody.

    Args:
        directory: ``Home.link_index_dir``; made where it is missing.
        pieces: Its bytes, in order; written one by one, because a large one is a third of the memory allowed.
    """
    make_dir(directory, ignored_by_git=True)
    temp, descriptor = open_temp(os.path.join(directory, "segment"))
    try:
        crc32 = size_bytes = 0
        for piece in pieces:
            content = bytes(memoryview(piece))
            write_all(descriptor, content)
            crc32 = zlib.crc32(content, crc32)
            size_bytes += len(content)
        sync_file(descriptor, temp)
    finally:
        os.close(descriptor)
    name = f"{size_bytes:x}-{crc32:08x}{SUFFIX}"
    os.rename(temp, os.path.join(directory, name))
    sync_directory(directory)
    return Stored(name, size_bytes, crc32)


def use_segments(directory: str, stored: Sequence[Stored]) -> bytes:
    """Make these the segments in use, oldest first, and remove all others; gives the bytes of ``current``."""
    make_dir(directory, ignored_by_git=True)
    current = dump_current(stored)
    replace_file(os.path.join(directory, CURRENT), current, disposable=True)
    names = {item.name for item in stored}
    for name in os.listdir(directory):
        if name.endswith((SUFFIX, TEMP_SUFFIX)) and name not in names:
            os.unlink(os.path.join(directory, name))
    return current


def check_segments(directory: str, stored: Iterable[Stored]) -> None:
    """Read every byte of the segments in use.

    Raises:
        SegmentError: When one is missing or has other bytes than were written.
    """
    for item in stored:
        path = os.path.join(directory, item.name)
        crc32 = 0
        try:
            with open(open_regular(path)[0], "rb") as stream:
                while block := stream.read(_BLOCK_BYTES):
                    crc32 = zlib.crc32(block, crc32)
        except (OSError, NightledgerError) as error:
            raise SegmentError(f"{path} cannot be read ({error})") from error
        if crc32 != item.crc32:
            raise SegmentError(f"{path} has other bytes than were written")

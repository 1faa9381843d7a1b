"""Hash the beginnings of files that only grow, so that a rewritten one shows.

Invariant: a file is read once, in blocks, whatever its size and however many beginnings
are asked for.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from nightledger.domain.errors import UnreadableError
from nightledger.files.durable import is_regular, is_there

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The beginning of a file.

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
    if not is_there(path):
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
    if not is_there(path):
        return {}
    if not is_regular(path):
        raise UnreadableError(f"{path} is not a regular file", hint="put the file itself in its place")
    found: dict[int, Prefix] = {}
    digest, at = hashlib.sha256(), 0
    with open(path, "rb") as stream:
        for size_bytes in sorted(set(sizes)):
            while at < size_bytes and (block := stream.read(min(size_bytes - at, _BLOCK_BYTES))):
                digest.update(block)
                at += len(block)
            if at < size_bytes:
                break
            found[size_bytes] = Prefix(size_bytes=size_bytes, sha256=digest.hexdigest())
    return found

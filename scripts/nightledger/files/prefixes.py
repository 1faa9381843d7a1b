"""Hash the beginnings of files that only grow, so that a rewritten one shows.

Invariant: a file is read once, in blocks, whatever its size and however many beginnings
are asked for.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from nightledger.domain.errors import MissingFileError
from nightledger.files.reading import open_regular

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
    try:
        return _hash(descriptor, sizes)
    finally:
        os.close(descriptor)


def _hash(descriptor: int, sizes: Iterable[int]) -> dict[int, Prefix]:
    found: dict[int, Prefix] = {}
    digest, at = hashlib.sha256(), 0
    for size_bytes in sorted({*sizes}):
        while at < size_bytes and (block := os.read(descriptor, min(size_bytes - at, _BLOCK_BYTES))):
            digest.update(block)
            at += len(block)
        if at < size_bytes:
            break
        found[size_bytes] = Prefix(size_bytes=size_bytes, sha256=digest.hexdigest())
    return found

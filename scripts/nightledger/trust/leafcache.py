"""Leaf hashes of the audit log, kept beside it: they tell which line of a log was edited.

``.nightledger/audit-leaves``, 32 bytes a leaf. Invariant: disposable and never believed;
it is used only where its root is a signed root, and then a forged cache is as hard as a
forged signature.
"""

import os
from collections.abc import Sequence

from nightledger.domain.errors import UnreadableError
from nightledger.files.durable import FILE_MODE, make_dir, write_all
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.trust.merkle import DIGEST_BYTES, Tree

_MAX_BYTES = 1 << 30


def leaves_path(home: Home) -> str:
    """Give the cache's file."""
    return os.path.join(home.work_dir, "audit-leaves")


def keep_leaves(home: Home, first: int, digests: Sequence[bytes]) -> None:
    """Put leaf hashes at their places; not durable, and nothing where the ones before are missing.

    Args:
        home: Whose log.
        first: Index of the first of ``digests``.
        digests: Leaf hashes, in order.
    """
    make_dir(home.work_dir)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(leaves_path(home), flags, FILE_MODE)
    except OSError:  # something else has the name; the cache is not worth an error
        return
    try:
        if os.fstat(descriptor).st_size >= first * DIGEST_BYTES:
            os.lseek(descriptor, first * DIGEST_BYTES, os.SEEK_SET)
            write_all(descriptor, b"".join(digests))
    finally:
        os.close(descriptor)


def read_leaves(home: Home, size: int, root: bytes) -> list[bytes]:
    """Give the first ``size`` leaf hashes; empty where the cache does not have them or their root is another.

    Args:
        home: Whose log.
        size: How many leaves were signed for.
        root: The signed root over them.
    """
    try:
        raw = read_optional(leaves_path(home), _MAX_BYTES) or b""
    except UnreadableError:
        return []
    leaves = [raw[at : at + DIGEST_BYTES] for at in range(0, size * DIGEST_BYTES, DIGEST_BYTES)]
    if len(raw) < size * DIGEST_BYTES:
        return []
    tree = Tree()
    tree.extend(leaves)
    return leaves if tree.root() == root else []

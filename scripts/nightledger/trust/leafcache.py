"""Leaf hashes of the audit log, kept beside it: they tell which line of a log was edited.

``.nightledger/audit-leaves``, 32 bytes a leaf. Invariant: disposable and never believed;
it is used only where its root is a signed root, and then a forged cache is as hard as a
forged signature.
"""

import os
import stat

from nightledger.domain.errors import UnreadableError
from nightledger.files.durable import FILE_MODE, write_all
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.trust.merkle import DIGEST_BYTES, Tree, leaf_hash

_MAX_BYTES = 1 << 30
_BLOCK_BYTES = 1 << 16
_MAX_TAIL_BYTES = 1 << 25


def leaves_path(home: Home) -> str:
    """Give the cache's file."""
    return os.path.join(home.work_dir, "audit-leaves")


def keep_leaves(home: Home, size: int) -> None:
    """Put the hashes of the log's last lines behind those that are kept; not durable.

    Once a run, when its head is signed: what nobody signed nobody asks for, and every append would be
    one more write for the disk's journal. Who signs holds the log and made the cache's folder:
    where somebody took that away since, nothing is kept.

    Args:
        home: Whose log.
        size: How many lines the log has, all of them whole.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(leaves_path(home), flags, FILE_MODE)
    except OSError:  # something else has the name, or no folder is there; the cache is not worth an error
        return
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return
        kept = status.st_size // DIGEST_BYTES
        lines = _last_lines(home.audit_log, size - kept)
        os.lseek(descriptor, kept * DIGEST_BYTES, os.SEEK_SET)
        write_all(descriptor, b"".join(map(leaf_hash, lines)))
    finally:
        os.close(descriptor)


def _last_lines(path: str, count: int) -> list[bytes]:
    """Give a file's last lines, read from its end; none where there are not as many, or they are too long."""
    if count <= 0:
        return []
    raw, block = b"", _BLOCK_BYTES
    with open(path, "rb") as stream:
        start = stream.seek(0, os.SEEK_END)
        while start > 0 and raw.count(b"\n") <= count and block <= _MAX_TAIL_BYTES:
            end, start = start, max(0, start - block)
            stream.seek(start)
            raw, block = stream.read(end - start) + raw, 2 * block
    lines = raw.split(b"\n")[:-1]
    whole = lines if start == 0 else lines[1:]  # the first one may have begun before
    return whole[-count:] if len(whole) >= count else []


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

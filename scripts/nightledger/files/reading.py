"""Read files that others wrote, without being led astray.

Invariant: reading never blocks on a FIFO, never opens a device, never follows a link out
of the home, and never takes more memory than the caller allowed.
"""

import errno
import os
import stat

from nightledger.domain.errors import MissingFileError, UnreadableError
from nightledger.files.durable import is_there

_BLOCK_BYTES = 1 << 16
"""Of what a file has grown by since it was opened; to ask for a megabyte costs more than to read a small file."""


def read_regular(path: str, max_bytes: int, *, within: str | None = None) -> bytes:
    """Give the bytes of a regular file.

    Args:
        path: The file.
        max_bytes: The largest size that is read.
        within: A directory that the file must really be in; links that stay in it are
            followed. Without it a link is refused.

    Raises:
        MissingFileError: When there is none.
        UnreadableError: For a directory, a FIFO, socket or device, a link out of
            ``within``, a file that is larger than allowed or that this user may not read.
    """
    descriptor, size_bytes = open_regular(path, within=within)
    try:
        if size_bytes > max_bytes:
            raise _too_large(path, size_bytes, max_bytes)
        content = _read_up_to(descriptor, size_bytes, max_bytes + 1)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        raise _too_large(path, len(content), max_bytes)
    return content


def read_lines(path: str, max_bytes: int, *, within: str) -> tuple[bytes, int]:
    """Give the first lines of a regular file, as many as fit, and the size of all of it in bytes.

    Args:
        path: The file.
        max_bytes: How many bytes at most; the lines that are given are whole.
        within: As :func:`read_regular`.

    Raises:
        MissingFileError: When there is none.
        UnreadableError: As :func:`read_regular`, the size apart.
    """
    descriptor, size_bytes = open_regular(path, within=within)
    try:
        content = _read_up_to(descriptor, min(size_bytes, max_bytes), max_bytes + 1)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        return content[: content.rfind(b"\n", 0, max_bytes) + 1], max(size_bytes, len(content))
    return content, len(content)


def read_start(path: str, max_bytes: int) -> bytes:
    """Give the first bytes of a regular file, whatever its size.

    Args:
        path: The file.
        max_bytes: How many at most.

    Raises:
        MissingFileError: When there is none.
        UnreadableError: As :func:`read_regular`, the size apart.
    """
    descriptor, _ = open_regular(path)
    try:
        return os.read(descriptor, max_bytes)
    finally:
        os.close(descriptor)


def open_regular(path: str, *, within: str | None = None) -> tuple[int, int]:
    """Open a regular file for reading; give the descriptor, which the caller closes, and the size in bytes.

    Args:
        path: The file.
        within: As :func:`read_regular`.

    Raises:
        MissingFileError: When there is none.
        UnreadableError: As :func:`read_regular`, the size apart.
    """
    descriptor = _open(path if within is None else _resolve(path, within), path)
    try:
        return descriptor, _regular_size(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise


def read_optional(path: str, max_bytes: int, *, within: str | None = None) -> bytes | None:
    """Give the bytes of a regular file, or None when there is nothing of that name.

    Raises:
        UnreadableError: As :func:`read_regular`, a missing file apart.
    """
    if within is not None and not is_there(path):  # a link that leads nowhere is something
        return None
    try:
        return read_regular(path, max_bytes, within=within)
    except MissingFileError:
        if within is not None:
            raise
        return None


def list_names(directory: str) -> tuple[str, ...]:
    """Give the names in a directory, sorted.

    Raises:
        MissingFileError: When there is none: a wrong path must not look like "nothing to do".
        UnreadableError: When it is no directory.
    """
    try:
        return tuple(sorted(os.listdir(directory)))
    except FileNotFoundError as error:
        raise MissingFileError(f"{directory} is missing", hint="check the path given with --home") from error
    except NotADirectoryError as error:
        raise UnreadableError(
            f"{directory} is not a directory", hint="check the path given with --home"
        ) from error


def is_within(path: str, directory: str) -> bool:
    """Tell whether a path, all links followed, is the directory or in it."""
    return _leads_into(os.path.realpath(path), directory)


def _leads_into(real: str, directory: str) -> bool:
    root = os.path.realpath(directory)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def _resolve(path: str, within: str) -> str:
    real = os.path.realpath(path)
    if not _leads_into(real, within):
        raise UnreadableError(
            f"{path} is a link to {real}, outside {within}", hint="put a copy of the file in its place"
        )
    return real


def _open(real: str, path: str) -> int:
    try:
        return os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFileError(f"{path} is missing", hint="check the name") from error
    except PermissionError as error:
        from shlex import quote

        raise UnreadableError(
            f"{path} may not be read by this user", hint=f"chmod u+r {quote(path)}"
        ) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UnreadableError(f"{path} is a link", hint="put the file itself in its place") from error
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise UnreadableError(f"{path} is a socket or a device", hint="move it away") from error
        raise


def _regular_size(descriptor: int, path: str) -> int:
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return status.st_size
    kinds = {
        stat.S_IFDIR: "a directory",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    what = kinds.get(stat.S_IFMT(status.st_mode), "not a regular file")
    raise UnreadableError(
        f"{path} is {what}, not a file to read", hint="move it away, or put a file in its place"
    )


def _too_large(path: str, size_bytes: int, max_bytes: int) -> UnreadableError:
    return UnreadableError(
        f"{path} has {size_bytes} bytes; at most {max_bytes} are read", hint="split it, or move it away"
    )


def _read_up_to(descriptor: int, size_bytes: int, limit: int) -> bytes:
    block = os.read(descriptor, min(limit, size_bytes + 1))
    if len(block) == size_bytes:  # all that it has: one byte more was asked for
        return block
    blocks, left = [block], limit - len(block)
    while left > 0 and (block := os.read(descriptor, min(left, _BLOCK_BYTES))):
        blocks.append(block)
        left -= len(block)
    return b"".join(blocks)

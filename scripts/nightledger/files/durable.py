"""The few system calls that make bytes last, each with its guarantee, and reading what others wrote without being led astray.

Invariant: every write of the project to a home goes through this package, so that a
test can stand between us and the disk in one place.

Invariant: reading never blocks on a FIFO, never opens a device, never follows a link out
of the home, and never takes more memory than the caller allowed.
"""

import errno
import fcntl
import os
import stat
import sys

from nightledger.domain.errors import ConfigurationError, MissingFileError, NotDurableError, UnreadableError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700
FILLER = b"x"
"""What stands where a text was expunged."""


class OpenFile:
    """A base for what keeps one descriptor; ``with`` closes it."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        """Take a descriptor; -1 where nothing is open."""
        self._descriptor = descriptor

    def close(self) -> None:
        """Close the file, and give back the locks on it; nothing happens when it is closed already."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_all(descriptor: int, content: bytes) -> None:
    """Write every byte: the system may take fewer than it was given (POSIX write(2)).

    Raises:
        OSError: When the system takes no more; some of the bytes may have been taken.
    """
    rest: bytes | memoryview = content
    while rest:
        taken = os.write(descriptor, rest)
        if taken == len(rest):  # nearly always, and then no view is needed
            return
        rest = memoryview(rest)[taken:]


def sync_file(descriptor: int, path: str) -> None:
    """Put a file's bytes and length on disk: they survive power loss when this returns.

    On macOS ``F_FULLFSYNC`` is asked for, because fsync(2) there stops at the drive's cache.

    Raises:
        NotDurableError: When the system reports a failure; never call it again for these bytes.
    """
    _sync(_full_sync if sys.platform == "darwin" else os.fsync, descriptor, path)


def sync_bytes(descriptor: int, path: str) -> None:
    """Put a file's bytes and length on disk, leaving out times that nobody needs (fdatasync(2)).

    Raises:
        NotDurableError: When the system reports a failure; never call it again for these bytes.
    """
    _sync(_full_sync if sys.platform == "darwin" else os.fdatasync, descriptor, path)


def sync_directory(path: str) -> None:
    """Put a directory's entries on disk: names made, renamed or removed in it survive power loss.

    Raises:
        NotDurableError: When the system reports a failure.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _sync(os.fsync, descriptor, path)
    finally:
        os.close(descriptor)


def _sync(put: "Callable[[int], None]", descriptor: int, path: str) -> None:
    try:
        put(descriptor)
    except OSError as error:
        raise NotDurableError(f"{path}: could not be put on disk ({error.strerror})") from error


def make_dir(path: str, *, ignored_by_git: bool = False) -> bool:
    """Make a directory (0700) and those above it that are missing; durable when this returns.

    Args:
        path: The directory.
        ignored_by_git: Put a ``.gitignore`` of ``*`` into each one made, so that an adopted
            workspace does not commit what is ours.

    Returns:
        Whether it was made; False when it was there.

    Raises:
        ConfigurationError: When something that is no directory has its name.
    """
    if os.path.isdir(path):
        return False
    if os.path.lexists(path):
        from shlex import quote

        away = f"mv {quote(path)} {quote(path + '.old')}"
        raise ConfigurationError(f"{path} is not a directory", hint=f"move it away: {away}")
    parent = os.path.dirname(path) or "."
    if not os.path.isdir(parent):
        make_dir(parent, ignored_by_git=ignored_by_git)
    _mkdir(path)
    if ignored_by_git:
        _ignore(path)
    sync_directory(parent)
    return True


def is_there(path: str) -> bool:
    """Tell whether something has the name; a link counts, wherever it points.

    Unlike ``os.path.lexists`` it does not say no for a disk that fails: what cannot be asked for is
    not missing, and a log that seems to be missing is an alarm.

    Raises:
        OSError: The system cannot tell.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def is_regular(path: str) -> bool:
    """Tell whether the name itself, not what a link points at, is a regular file."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _mkdir(path: str) -> None:
    try:
        os.mkdir(path, DIRECTORY_MODE)
    except FileExistsError:
        if not os.path.isdir(path):  # else another run made it between the question and the act
            raise


def _ignore(path: str) -> None:
    """Put the ``.gitignore`` into a directory that was just made."""
    name = os.path.join(path, ".gitignore")
    descriptor = os.open(
        name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK, FILE_MODE
    )
    try:
        write_all(descriptor, b"*\n")
        sync_file(descriptor, name)
    finally:
        os.close(descriptor)
    sync_directory(path)


def _full_sync(descriptor: int) -> None:
    full = getattr(fcntl, "F_FULLFSYNC", None)
    try:
        if full is not None:
            fcntl.fcntl(descriptor, full)
            return
    except OSError:  # network and FAT volumes do not know it (fcntl(2) on macOS)
        pass
    os.fsync(descriptor)


def read_rest(descriptor: int, offset: int) -> bytes:
    """Give what a file holds behind an offset, to its end as it is now."""
    size = os.fstat(descriptor).st_size
    blocks, at = [], offset
    while at < size and (block := os.pread(descriptor, size - at, at)):
        blocks.append(block)
        at += len(block)
    return b"".join(blocks)


def overwritten(content: bytes, needles: "Iterable[bytes]") -> bytes:
    """Return the content with every occurrence of each needle overwritten, as long as before."""
    wanted = sorted({needle for needle in needles if needle.strip(FILLER)}, key=len, reverse=True)
    while any(needle in content for needle in wanted):  # what is put there may make another anew
        for needle in wanted:
            content = content.replace(needle, FILLER * len(needle))
    return content


def overwrite(path: str, needles: "Iterable[bytes]") -> bytes:
    """Overwrite every occurrence of each needle in a file, in place: size and inode stay; on disk when this returns.

    The same flock(2) as an append's is held meanwhile (``files/line_log.py``), so no line is lost; cut short, it is
    finished by calling it again.

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
        done = 0 if after != before else len(after)
        while done < len(after):
            done += os.pwrite(descriptor, after[done:], done)
        sync_bytes(descriptor, path)
    finally:
        os.close(descriptor)
    return after


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
        content = _read_up_to(descriptor, size_bytes, max_bytes + 1) if size_bytes <= max_bytes else b""
    finally:
        os.close(descriptor)
    if (size_bytes := max(size_bytes, len(content))) > max_bytes:
        raise UnreadableError(
            f"{path} has {size_bytes} bytes; at most {max_bytes} are read", hint="split it, or move it away"
        )
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

        hint = f"chmod u+r {quote(path)}"
        raise UnreadableError(f"{path} may not be read by this user", hint=hint) from error
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


def _read_up_to(descriptor: int, size_bytes: int, limit: int) -> bytes:
    block = os.read(descriptor, min(limit, size_bytes + 1))
    if len(block) == size_bytes:  # all that it has: one byte more was asked for
        return block
    blocks, left = [block], limit - len(block)
    while left > 0 and (block := os.read(descriptor, min(left, _BLOCK_BYTES))):
        blocks.append(block)
        left -= len(block)
    return b"".join(blocks)

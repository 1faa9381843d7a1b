"""Replace whole files so that nobody ever sees half of one; keep bytes by their hash; locks that die with the process that holds them.

Invariant: at every moment, power loss included, the path holds the old bytes or the
new ones. What a run that died left beside it ends in ``TEMP_SUFFIX`` and is nobody's.

Invariant: a lock is an flock(2) on a file that stays; who crashed holds nothing.

Invariant: a blob, raw bytes that undo, diffs and drift need, has its SHA-256 for its name; what is read back is what was
put, or an error.
"""

import errno
import fcntl
import hashlib
import os
import re
import stat
import time

from nightledger.domain import errors
from nightledger.files.durable import (
    FILE_MODE,
    OpenFile,
    is_regular,
    is_there,
    make_dir,
    read_regular,
    sync_directory,
    sync_file,
    write_all,
)

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from nightledger.files.home import Home

TEMP_SUFFIX = ".nightledger-tmp"
_TEMP = re.compile(rf".+\.\d+(\.old)?{re.escape(TEMP_SUFFIX)}", re.DOTALL)
"""Names that we give: another program's file that only ends like ours is left alone."""
YOUNG_S = 3_600
"""A run that lives has written to its temporary file within the last hour."""


def replace_file(path: str, content: bytes, *, disposable: bool = False) -> None:
    """Make ``path`` hold ``content``: a reader sees the old file or the new one, never half.

    When this returns, bytes and directory entry are on disk. Mode and owner of a replaced
    file are kept. A writer that ignores our locks loses its bytes; where that matters, use :func:`exchange_file`.

    Args:
        path: A regular file or a free name; not a symlink (resolve it first, ``Home.gated``).
        content: The new bytes.
        disposable: Whether a link, a FIFO or a device of that name gives way, too: for what is made
            again and nobody misses.

    Raises:
        RefusedError: When the name is taken by something that is no regular file, or the
            owner cannot be kept; nothing was changed.
        NotDurableError: When the disk reports a failure; the old bytes or the new are there.
    """
    temp = _write_temp(path, content, FILE_MODE, disposable=disposable)
    try:
        os.rename(temp, path)
    except OSError:
        os.unlink(temp)
        raise
    sync_directory(os.path.dirname(path) or ".")


def refresh_file(path: str, content: bytes, *, disposable: bool = False) -> bool:
    """Make a file hold ``content`` where it does not yet, and return whether it did not; else as :func:`replace_file`.

    What cannot be read is replaced, or replacing it says what is wrong.
    """
    try:
        if read_regular(path, len(content)) == content:
            return False
    except (OSError, errors.UnreadableError):
        pass
    replace_file(path, content, disposable=disposable)
    return True


def create_file(path: str, content: bytes, *, mode: int = FILE_MODE) -> None:
    """Make a new file, complete or not at all; bytes and name are on disk when this returns.

    Raises:
        FileExistsError: When the name is taken; what is there was left as it is.
        NotDurableError: When the disk reports a failure.
    """
    temp = _write_temp(path, content, mode, keep=False)
    try:
        os.link(temp, path)  # unlike rename(2), link(2) never replaces
    finally:
        os.unlink(temp)
    sync_directory(os.path.dirname(path) or ".")


def exchange_file(
    path: str,
    content: bytes,
    *,
    keep: "Callable[[bytes], None] | None" = None,
    swap: "Callable[[str, str], str] | None" = None,
) -> bytes:
    """Replace a file and give the very bytes that were replaced, so that a rival's write is not lost.

    Linux (renameat2 with RENAME_EXCHANGE, ext4, XFS, Btrfs, tmpfs): the two files change
    places in one step; what is given back is what any other program had put there until
    that step. Elsewhere: the old file is linked to a second name, the new one renamed over
    the first, the second read; a rival's *rename* between these two calls is lost, its
    writes in place are not. On both, a program that had the old file open may go on
    writing to it unseen. Mode and owner are kept; all is on disk when this returns.

    Args:
        path: An existing regular file.
        content: The new bytes.
        keep: Called with the replaced bytes before their last name is removed: store them.
        swap: Stands in for :func:`swap_files`, where a lock of the operating system is in the way.

    Raises:
        FileNotFoundError: When there is no file.
        NotDurableError: When the disk reports a failure; the old bytes or the new are there.
    """
    os.lstat(path)
    temp = _write_temp(path, content, FILE_MODE)
    old = (swap or swap_files)(temp, path)
    sync_directory(os.path.dirname(path) or ".")
    replaced = _read(old)
    if keep is not None:
        keep(replaced)
    os.unlink(old)
    return replaced


def swap_files(temp: str, path: str) -> str:
    """Let a prepared file take the place of another; give the name under which the other now is.

    Raises:
        OSError: Neither way is possible here; the prepared file is removed.
    """
    return temp if _exchange(temp, path) else _swap_by_link(temp, path)


def _open_temp(path: str) -> tuple[str, int]:
    """Make a temporary file beside a path, under a name that nothing has; give that name and the descriptor."""
    directory, name = os.path.split(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    n = 0
    while True:
        temp = os.path.join(directory, f".{name[:100]}.{os.getpid()}.{n}{TEMP_SUFFIX}")
        try:
            return temp, os.open(temp, flags, FILE_MODE)
        except FileExistsError:  # a thread of ours, or a run that died with our number
            n += 1


def leftovers(directory: str) -> tuple[str, ...]:
    """Name the temporary files that runs which died left here; sorted, empty for no directory.

    Remove them only under the home's lock: those of a living run have the same shape. What
    :func:`exchange_file` left may hold replaced bytes: store them first.
    """
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return ()
    return tuple(sorted(os.path.join(directory, name) for name in names if _TEMP.fullmatch(name)))


def find_leftovers(home: "Home", *directories: str) -> "Iterator[str]":
    """Return the paths of what was left wherever we write: below our directories and others, beside gated files."""
    ours = (home.memory_dir, home.audit_dir, home.config_dir, home.work_dir, *directories)
    folders = {folder for directory in ours for folder, _, _ in os.walk(directory)}
    beside = {os.path.dirname(path) for path in home.gated_paths()}
    return filter(is_regular, (path for folder in sorted(folders | beside) for path in leftovers(folder)))


def remove_leftovers(home: "Home", keys_dir: str, *, before: float) -> None:
    """Remove what was left in a home and in the directory of its keys; the caller holds the home's lock.

    Args:
        home: What lies beside its gated files was kept as blobs before (``gate/writing.py``).
        keys_dir: The directory of its keys.
        before: What was written to since stays, seconds since 1970.
    """
    for path in find_leftovers(home, keys_dir):
        if os.lstat(path).st_mtime < before:
            os.unlink(path)


def _write_temp(path: str, content: bytes, mode: int, *, keep: bool = True, disposable: bool = False) -> str:
    """Write ``content`` beside ``path``, on disk, with the mode and owner of what it will replace."""
    replaced = _status(path, disposable=disposable) if keep else None
    temp, descriptor = _open_temp(path)
    try:
        write_all(descriptor, content)
        if replaced is not None:
            _copy_owner(descriptor, replaced, path)
            mode = stat.S_IMODE(replaced.st_mode)
        os.fchmod(descriptor, mode)
        sync_file(descriptor, path)
    except BaseException:
        os.unlink(temp)
        raise
    finally:
        os.close(descriptor)
    return temp


def _status(path: str, *, disposable: bool) -> os.stat_result | None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(status.st_mode):
        return status
    if disposable and not stat.S_ISDIR(status.st_mode):
        return None
    what = "a symlink" if stat.S_ISLNK(status.st_mode) else "not a regular file"
    raise errors.RefusedError(
        f"{path} is {what}; it was left as it is", hint="put a regular file in its place"
    )


def _copy_owner(descriptor: int, replaced: os.stat_result, path: str) -> None:
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) == (replaced.st_uid, replaced.st_gid):
        return
    try:
        os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
    except PermissionError as error:
        raise errors.RefusedError(
            f"{path} belongs to user {replaced.st_uid}, group {replaced.st_gid}, which this user cannot keep",
            hint="run it as the file's owner",
        ) from error


def _read(path: str) -> bytes:
    with open(path, "rb", opener=_at_once) as stream:
        return stream.read() or b""


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)  # a FIFO of that name is no reason to wait


def _exchange(temp: str, path: str) -> bool:
    """Let two names change places in one step; False where system or file system cannot."""
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    at_current, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE, rename(2)
    if rename(at_current, os.fsencode(temp), at_current, os.fsencode(path), exchange) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS):
        return False
    os.unlink(temp)
    raise OSError(code, os.strerror(code), path)


def _swap_by_link(temp: str, path: str) -> str:
    old = f"{temp[: -len(TEMP_SUFFIX)]}.old{TEMP_SUFFIX}"
    try:
        os.link(path, old, follow_symlinks=False)
        os.rename(temp, path)
    except OSError:
        for name in (temp, old):
            if os.path.lexists(name):
                os.unlink(name)
        raise
    return old


_NAME_BYTES = 16
"""Length of what a lock's file holds: the number of its holder, filled up."""
_OTHERS = (errno.ELOOP, errno.EISDIR, errno.ENXIO)
"""A link, a directory, a socket: none of ours."""
_PAUSE_S = 0.02
"""How long to wait between two tries: below what a person notices."""


class Lock(OpenFile):
    """An exclusive lock on a file of ``.nightledger/locks/``; a context manager.

    Not reentrant: the same process asking twice waits for itself. The file names the
    process that took it last, for the message only.
    """

    __slots__ = ("path", "timeout_s")

    def __init__(self, path: str, *, timeout_s: float = 0.0) -> None:
        """Remember what to lock; nothing is taken yet.

        Args:
            path: The lock file (``Home.lock_path``); made where it is missing.
            timeout_s: How long to wait for another run; 0 asks once.
        """
        super().__init__(-1)
        self.path = path
        self.timeout_s = timeout_s

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            LockedError: When another process holds it until the time is over.
            UnreadableError: When the name is taken by something that is no regular file.
        """
        deadline = time.monotonic() + self.timeout_s
        while not self._try():
            if time.monotonic() >= deadline:
                raise errors.LockedError(f"{self.path} is held by {_holder(self.path)}")
            time.sleep(_PAUSE_S)

    def _try(self) -> bool:
        descriptor, held = self._open(), False
        try:
            held = self._hold(descriptor)
        finally:
            if not held:  # a server lives on: what it does not use it must not hold
                os.close(descriptor)
        if held:
            self._descriptor = descriptor
        return held

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        try:
            try:
                return os.open(self.path, flags, FILE_MODE)
            except (FileNotFoundError, NotADirectoryError):
                make_dir(os.path.dirname(self.path), ignored_by_git=True)
                return os.open(self.path, flags, FILE_MODE)
        except OSError as error:
            if error.errno in _OTHERS:
                raise _no_file(self.path) from error
            raise

    def _hold(self, descriptor: int) -> bool:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _no_file(self.path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if not _is_named(descriptor, self.path):  # .nightledger/ is disposable: somebody removed it
            return False
        name = b"%-*d\n" % (_NAME_BYTES - 1, os.getpid())
        # a write would be one more for the journal to keep
        if os.pread(descriptor, len(name) + 1, 0) != name:
            os.ftruncate(descriptor, os.write(descriptor, name))
        return True

    def __enter__(self) -> "Self":  # type: ignore[explicit-override]  # typing.override is newer than 3.11
        self.acquire()
        return self


def _is_named(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _no_file(path: str) -> errors.UnreadableError:
    return errors.UnreadableError(f"{path} is not a regular file", hint="move it away; the file is made anew")


def _holder(path: str) -> str:
    from nightledger.files.durable import read_start

    try:
        number = read_start(path, _NAME_BYTES).decode("ascii", "replace").strip()
    except (OSError, errors.NightledgerError):
        number = ""
    return f"process {number}" if number.isdigit() else "another process"


MAX_BLOB_BYTES = 256 << 20
"""More than any file that is read here; a larger one is not ours."""
_NAME = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """The directory ``audit/blobs/sha256`` of a home."""

    __slots__ = ("directory",)

    def __init__(self, directory: str) -> None:
        """Name the directory; it is made by the first put."""
        self.directory = directory

    def path(self, sha256: str) -> str:
        """Give the place of a blob: ``<directory>/ab/<64 hex>``.

        Raises:
            ValueError: When it is not 64 lower-case hex digits.
        """
        if not _NAME.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is not a SHA-256 in lower-case hex")
        return os.path.join(self.directory, sha256[:2], sha256)

    def put(self, content: bytes) -> str:
        """Keep the bytes and give their hex SHA-256; on disk when this returns, however often it is called.

        A blob that was damaged is written anew.

        Raises:
            NotDurableError: When the disk reports a failure.
        """
        sha256 = hashlib.sha256(content).hexdigest()
        path = self.path(sha256)
        make_dir(os.path.dirname(path))
        if self._holds(path, content):
            sync_directory(os.path.dirname(path))
        else:
            replace_file(path, content)
        return sha256

    def get(self, sha256: str) -> bytes:
        """Give the bytes with this hash.

        Raises:
            MissingBlobError: When there is no such blob: none has a name that is no SHA-256.
            IntegrityError: When the stored bytes have another hash.
        """
        path = self.path(sha256) if _NAME.fullmatch(sha256) else ""
        if not path or not is_there(path):
            raise errors.MissingBlobError(f"the blob {sha256} is not in {self.directory}")
        content = read_regular(path, MAX_BLOB_BYTES)
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            raise errors.IntegrityError(
                f"{path} was changed: its bytes have the SHA-256 {found}", hint=errors.MissingBlobError.hint
            )
        return content

    def holds(self, sha256: str) -> bool:
        """Tell whether the blob is there with the bytes of its name."""
        try:
            self.get(sha256)
        except errors.NightledgerError:
            return False
        return True

    def _holds(self, path: str, content: bytes) -> bool:
        try:
            return is_there(path) and read_regular(path, len(content)) == content
        except errors.UnreadableError:
            return False

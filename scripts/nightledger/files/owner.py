"""As whom this run acts, and flags of files that the operating system itself enforces.

Flags: on Linux FS_IOC_GETFLAGS and FS_IOC_SETFLAGS (ioctl_iflags(2)); ext4, XFS, Btrfs, F2FS; root with
CAP_LINUX_IMMUTABLE. On macOS chflags(2) uchg and uappnd, which the file's owner can also take away. Elsewhere, and on
tmpfs of older kernels or overlays, there are none.

Invariant: a file that root's run makes in a home belongs to the home's owner, as if the owner had run it; root's rights
are taken up again for a flag alone. A flag is read and set through a descriptor of a regular file that no link led to.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from nightledger.domain.errors import ConfigurationError

ROOT = 0


@contextmanager
def acting_as_owner(directory: str) -> Iterator[None]:
    """Take the owner's place while the block runs, where this is root and the directory is another user's.

    Raises:
        ConfigurationError: The owner may not read the program itself, of which parts are loaded when needed.
    """
    status = os.stat(directory)
    if os.geteuid() != ROOT or status.st_uid == ROOT:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups([status.st_gid])
    os.setegid(status.st_gid)
    os.seteuid(status.st_uid)
    try:
        _require_readable(status.st_uid)
        yield
    finally:
        os.seteuid(ROOT)
        os.setegid(group)
        os.setgroups(groups)


def _require_readable(user: int) -> None:
    packages = [path for path in sys.path if os.path.basename(path) == "site-packages"]
    for place in (os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(__file__)), *packages):
        try:
            os.listdir(place)
        except PermissionError as error:
            raise ConfigurationError(
                f"root acts as the home's owner here, and the owner (user {user}) may not read {place}, "
                "where this program runs from",
                hint="run it with a checkout and an interpreter that this user can read, for example below /opt",
            ) from error


@contextmanager
def acting_as_root() -> Iterator[None]:
    """Take up root's rights again while the block runs, where this run has them; else change nothing."""
    user = os.geteuid()
    if user == ROOT or not may_act_as_root():
        yield
        return
    os.seteuid(ROOT)
    try:
        yield
    finally:
        os.seteuid(user)


def for_child() -> dict[str, Any]:
    """Give what keeps a program that is run from taking up root's rights: arguments of ``subprocess.run``."""
    if os.getuid() == os.geteuid():
        return {}
    return {"user": os.geteuid(), "group": os.getegid()}


def may_act_as_root() -> bool:
    """Tell whether this run was started by root."""
    return ROOT in os.getresuid() if hasattr(os, "getresuid") else ROOT in (os.getuid(), os.geteuid())


_GET, _SET = 0x6601, 0x6602
_READ, _WRITE = 2 << 30, 1 << 30
_NONE = frozenset({errno.ENOTTY, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})
"""What a file system answers that knows no flags."""


class Flag(StrEnum):
    """What the operating system enforces on a file."""

    IMMUTABLE = "immutable"
    """Not written, renamed, linked or removed, not even by root."""
    APPEND_ONLY = "append_only"
    """Written only at its end; not renamed, cut or removed."""


_LINUX = {Flag.IMMUTABLE: 0x10, Flag.APPEND_ONLY: 0x20}
"""FS_IMMUTABLE_FL and FS_APPEND_FL, linux/fs.h."""
_MACOS = {Flag.IMMUTABLE: stat.UF_IMMUTABLE, Flag.APPEND_ONLY: stat.UF_APPEND}


def read_flags(path: str) -> frozenset[Flag] | None:
    """Give the flags of a file; None where system or file system knows none.

    Raises:
        OSError: It is missing, a link or no regular file, or may not be read.
    """
    if sys.platform == "darwin":
        return frozenset(flag for flag, bit in _MACOS.items() if os.lstat(path).st_flags & bit)
    descriptor = _open(path)
    try:
        bits = _bits(descriptor)
    except OSError as error:
        if error.errno in _NONE:
            return None
        raise
    finally:
        os.close(descriptor)
    return frozenset(flag for flag, bit in _LINUX.items() if bits & bit)


def set_flag(path: str, flag: Flag, *, on: bool) -> None:
    """Set or clear one flag; others stay as they are.

    Raises:
        PermissionError: This user may not.
        OSError: The file system knows no flags, or the file is missing, a link or no regular file.
    """
    if sys.platform == "darwin":
        status = os.lstat(path)
        os.chflags(path, _changed(status.st_flags, _MACOS[flag], on=on), follow_symlinks=False)
        return
    descriptor = _open(path)
    try:
        before = _bits(descriptor)
        after = _changed(before, _LINUX[flag], on=on)
        if after != before:
            _ioctl(descriptor, _SET, _WRITE, after)
    finally:
        os.close(descriptor)


def _changed(bits: int, bit: int, *, on: bool) -> int:
    return bits | bit if on else bits & ~bit


def _open(path: str) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor


def _bits(descriptor: int) -> int:
    return _ioctl(descriptor, _GET, _READ, 0)


def _ioctl(descriptor: int, number: int, direction: int, value: int) -> int:
    """Call the ioctl: its number names a long (ioctl_iflags(2)), and the kernel reads and writes an int."""
    import fcntl
    import struct

    request = direction | struct.calcsize("l") << 16 | number
    answer = fcntl.ioctl(descriptor, request, struct.pack("l", value))
    bits: int = struct.unpack_from("i", answer)[0]
    return bits

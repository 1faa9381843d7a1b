"""Which runs are at work on a home, told without touching their locks.

Asking for a lock, even for a moment, could turn away the run that asks next; so the
kernel's own list is read (Linux, proc_locks(5)). Where there is none, nothing is said.
"""

import os
from dataclasses import dataclass

from nightledger.files.home import Home

KERNEL_LOCKS = "/proc/locks"
_SUFFIX = ".lock"
_FLOCK_FIELDS = 8
"""``1: FLOCK  ADVISORY  WRITE 4711 08:02:131 0 EOF``, proc_locks(5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A run that holds a lock.

    Attributes:
        lock: Name of the lock: ``home``, ``night``, ``link``.
        pid: Its process.
    """

    lock: str
    pid: int


def find_running(home: Home, *, kernel_locks: str = KERNEL_LOCKS) -> tuple[Running, ...]:
    """Name the runs that hold a lock of the home now, sorted by lock.

    Args:
        home: Whose.
        kernel_locks: The kernel's list.
    """
    try:
        with open(kernel_locks, encoding="ascii", errors="replace") as stream:
            held = _holders(stream.read())
        names = sorted(os.listdir(home.locks_dir))
    except OSError:
        return ()
    found = []
    for name in names:
        inode = os.lstat(os.path.join(home.locks_dir, name)).st_ino if name.endswith(_SUFFIX) else -1
        if inode in held:
            found.append(Running(lock=name.removesuffix(_SUFFIX), pid=held[inode]))
    return tuple(found)


def _holders(text: str) -> dict[int, int]:
    """Give the process that holds each inode by flock(2); file systems are told apart by nothing else.

    A device number here and in stat(2) may differ (Btrfs, overlayfs), so only inodes are compared.
    """
    found = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == _FLOCK_FIELDS and fields[1] == "FLOCK" and fields[4].lstrip("-").isdigit():
            found[int(fields[5].rpartition(":")[2])] = int(fields[4])
    return found

"""A kernel's flags on files, and who calls: what no test can ask of a real one without root.

It stands where ``ioctl_iflags(2)`` and ``credentials(7)`` stand: the program's own code runs as it is.
"""

import errno
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.blackbox.world import World

IMMUTABLE, APPEND_ONLY = 0x10, 0x20
GET, SET = 0x6601, 0x6602
SOMEBODY = 1000


@dataclass(slots=True, kw_only=True)
class Kernel:
    """The flags of a home's files, by inode.

    Attributes:
        world: The home.
        flags: Bits by inode.
        changed: Each change: the file's name, its bits then, its bytes then, the newest event then.
        knows: Whether the file system knows flags.
        user: Who calls.
        at_unlock: Called once, when a file has just been unlocked: what another program does at that moment.
    """

    world: World
    flags: dict[int, int] = field(default_factory=dict)
    changed: list[tuple[str, int, bytes, str]] = field(default_factory=list)
    knows: bool = True
    user: int = 0
    at_unlock: Callable[[], object] | None = None

    def ioctl(self, descriptor: int, request: int, packed: bytes) -> bytes:
        """Answer as ``fcntl.ioctl`` does."""
        if not self.knows:
            raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")
        inode, number = os.fstat(descriptor).st_ino, request & 0xFFFF
        if number == GET:
            return struct.pack("l", self._bits(inode))
        assert number == SET, hex(request)
        if self.user:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        (self.flags[inode],) = struct.unpack("l", packed)
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        now = self.world.events()[-1]["event"]
        self.changed.append((path.name, self.flags[inode], path.read_bytes(), now))
        rival = self.at_unlock
        if rival is not None and not self.flags[inode]:
            self.at_unlock = None
            rival()
        return packed

    def _bits(self, inode: int) -> int:
        return self.flags.get(inode, 0)

    def of(self, name: str) -> int:
        """Give the bits of a file of the home."""
        return self._bits((self.world.home / name).stat().st_ino)

    def meddle(self, *names: str) -> None:
        """Take flags away, as somebody with root's rights would."""
        for name in names:
            self.flags[(self.world.home / name).stat().st_ino] = 0


def kernel_for(world: World, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Put a kernel under this process, whose caller is root to begin with."""
    kernel = Kernel(world=world)
    monkeypatch.setattr("fcntl.ioctl", kernel.ioctl)
    monkeypatch.setattr(os, "getresuid", lambda: (kernel.user,) * 3)
    monkeypatch.setattr(os, "seteuid", lambda _: None)
    return kernel

"""A file system on a file, from which the power can be taken (root, Linux).

``FS_IOC_SHUTDOWN`` (include/uapi/linux/fs.h; ext4, XFS and others) stops a file system where it is:
nothing more reaches its device. Mounted again, it holds what a power cut would have left.
"""

import fcntl
import os
import shutil
import struct
import subprocess
import time
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

SHUTDOWN = 0x8004587D
SIZE_BYTES = 320 << 20
"""XFS wants 300 MB; the file is sparse."""
OPTIONS = {"ext4": "loop,noauto_da_alloc,commit=300", "xfs": "loop"}
"""ext4 would else put bytes on disk before a rename of its own accord, and its journal every 5 s."""
_TRIES = 50


class Cut(IntEnum):
    """How the file system goes down."""

    WITH_LOG = 1
    """The journal is written out first: names may be newer than bytes."""
    WITHOUT_LOG = 2
    """Nothing is written any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerDisk:
    """One file system, and where it is mounted."""

    kind: str
    image: Path
    place: Path

    def make(self) -> None:
        """Make it new and mount it."""
        self.place.mkdir()
        with self.image.open("wb") as stream:
            stream.truncate(SIZE_BYTES)
        run(f"mkfs.{self.kind}", "-q", str(self.image))
        self.mount()

    def mount(self) -> None:
        """Mount it; what a cut left in its journal is carried out."""
        run("mount", "-t", self.kind, "-o", OPTIONS[self.kind], str(self.image), str(self.place))

    def unmount(self) -> None:
        """Unmount it, once nobody uses it any more."""
        for _ in range(_TRIES):
            if subprocess.run(["umount", str(self.place)], capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.1)
        run("umount", str(self.place))

    def cut(self, how: Cut) -> None:
        """Take the power."""
        descriptor = os.open(self.place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", how))
        finally:
            os.close(descriptor)

    def restart(self) -> None:
        """Mount it again after a cut."""
        self.unmount()
        self.mount()

    def settle(self) -> None:
        """Put all that it holds on disk: from here on what is lost is the program's."""
        run("sync", "-f", str(self.place))


def run(*command: str) -> None:
    """Run a system command.

    Raises:
        AssertionError: It failed.
    """
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{' '.join(command)}: {ran.stderr}"


def why_not(kind: str) -> str:
    """Say why no such file system can be mounted here; empty where it can."""
    if os.geteuid() or not os.path.exists("/dev/loop-control"):
        return "only root, on Linux with loop devices, may mount a file system"
    return "" if shutil.which(f"mkfs.{kind}") else f"mkfs.{kind} is not installed"

import errno
import fcntl
import struct
import sys
from pathlib import Path

import pytest

from nightledger.files.owner import Flag, read_flags, set_flag

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the calls are Linux's")


class Kernel:
    """Answers the two ioctls as ext4 does (ioctl_iflags(2))."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.sets = 0

    def ioctl(self, _: int, request: int, argument: bytes) -> bytes:
        if request & 0xFFFF == 0x6601:
            return struct.pack("i", self.bits) + argument[4:]
        assert request & 0xFFFF == 0x6602
        (self.bits,) = struct.unpack_from("i", argument)
        self.sets += 1
        return argument


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel(0x80000)  # EXT4_EXTENTS_FL, which must stay
    monkeypatch.setattr(fcntl, "ioctl", made.ioctl)
    return made


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "MEMORY.md").write_text("x")
    return str(tmp_path / "MEMORY.md")


def test_one_flag_is_set_and_cleared_and_the_others_stay(kernel: Kernel, path: str) -> None:
    assert read_flags(path) == frozenset()
    set_flag(path, Flag.IMMUTABLE, on=True)
    set_flag(path, Flag.APPEND_ONLY, on=True)
    assert kernel.bits == 0x80000 | 0x10 | 0x20
    assert read_flags(path) == frozenset({Flag.IMMUTABLE, Flag.APPEND_ONLY})
    set_flag(path, Flag.IMMUTABLE, on=False)
    assert kernel.bits == 0x80000 | 0x20


@pytest.mark.parametrize("code", [errno.ENOTTY, errno.EOPNOTSUPP])
def test_a_file_system_without_flags_gives_none(
    code: int, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> bytes:
        raise OSError(code, "no")

    monkeypatch.setattr(fcntl, "ioctl", refuses)
    assert read_flags(path) is None
    with pytest.raises(OSError, match="no"):
        set_flag(path, Flag.IMMUTABLE, on=True)

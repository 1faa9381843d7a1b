import errno
import fcntl
import os
import struct
import sys
from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError
from nightledger.files.owner import Flag, acting_as_owner, acting_as_root, for_child, read_flags, set_flag


class Process:
    """The identity of a process, as the kernel would keep it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, started_by: int, home_of: int) -> None:
        self.real, self.user, self.group = started_by, started_by, started_by
        self.groups = [started_by]
        self.calls: list[str] = []
        for name, value in {
            "geteuid": lambda: self.user,
            "getuid": lambda: self.real,
            "getegid": lambda: self.group,
            "getresuid": lambda: (self.real, self.user, self.real),
            "getgroups": lambda: self.groups,
            "seteuid": self.seteuid,
            "setegid": self.setegid,
            "setgroups": self.setgroups,
        }.items():
            monkeypatch.setattr(os, name, value)
        status = os.stat_result((0o40700, 1, 1, 1, home_of, home_of, 0, 0, 0, 0))
        monkeypatch.setattr(os, "stat", lambda _: status)

    def seteuid(self, user: int) -> None:
        assert self.user == 0 or user in (self.real, self.user)
        self.user = user

    def setegid(self, group: int) -> None:
        assert self.user == 0
        self.group = group

    def setgroups(self, groups: list[int]) -> None:
        assert self.user == 0
        self.groups = groups


def test_root_takes_the_owners_place_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process(monkeypatch, started_by=0, home_of=1000)
    with acting_as_owner("/home/me/agent"):
        assert (process.user, process.group, process.groups) == (1000, 1000, [1000])
        assert for_child() == {"user": 1000, "group": 1000}
        with acting_as_root():
            assert process.user == 0
        assert process.user == 1000
    assert (process.user, process.group, process.groups) == (0, 0, [0])
    assert for_child() == {}


def test_an_owner_who_may_not_read_the_program_is_told_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process(monkeypatch, started_by=0, home_of=1000)
    refused = str(Path(os.__file__).parent)

    def listdir(place: str) -> list[str]:
        if place == refused:
            raise PermissionError(13, "Permission denied", place)
        return []

    monkeypatch.setattr(os, "listdir", listdir)
    with (
        pytest.raises(ConfigurationError, match=f"\\(user 1000\\) may not read {refused}"),
        acting_as_owner("/home/me/agent"),
    ):
        pass
    assert (process.user, process.group, process.groups) == (0, 0, [0])


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

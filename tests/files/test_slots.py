"""Two slots that are overwritten in turn; ``tests/trust/test_pin.py`` cuts their writes short."""

import errno
import os
from pathlib import Path

import pytest

from nightledger.domain.errors import NotDurableError, RefusedError, UnreadableError
from nightledger.files import slots
from nightledger.files.slots import SLOT_BYTES, SLOTS, SlotFile


def write(path: str, slot: int, content: bytes) -> None:
    with SlotFile(path) as file:
        file.prepare(slot, content)
        promised = file.next
        file.write()
    assert Path(path).read_bytes() == promised


def lines(raw: bytes) -> tuple[bytes, ...]:
    """Give what stands in each slot of a file of two."""
    assert len(raw) == SLOTS * SLOT_BYTES
    return raw[:SLOT_BYTES].rstrip(), raw[SLOT_BYTES:].rstrip()


def test_a_slot_is_overwritten_and_the_other_stays(tmp_path: Path) -> None:
    path = tmp_path / "slots"
    write(str(path), 1, b"one")
    assert lines(path.read_bytes()) == (b"", b"one")
    inode = path.stat().st_ino
    write(str(path), 0, b"nought")
    write(str(path), 1, b"1")
    assert lines(path.read_bytes()) == (b"nought", b"1")
    assert (path.stat().st_ino, path.stat().st_size, path.stat().st_mode & 0o777) == (inode, 8192, 0o600)
    assert path.read_bytes()[SLOT_BYTES - 1 : SLOT_BYTES] == b"\n"


@pytest.mark.parametrize("before", [b"", b"short", b"x" * 9000])
def test_a_file_of_another_size_is_made_anew(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "slots"
    path.write_bytes(before)
    with SlotFile(str(path)) as file:
        assert file.raw is None
    write(str(path), 0, b"new")
    assert lines(path.read_bytes()) == (b"new", b"")


def test_a_link_is_left_as_it_is_and_so_is_what_it_leads_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"y" * 8192)
    (tmp_path / "slots").symlink_to(other)
    with pytest.raises(RefusedError, match="is a symlink"):
        write(str(tmp_path / "slots"), 0, b"new")
    assert other.read_bytes() == b"y" * 8192


def test_a_fifo_has_no_slots_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slots")
    opened = len(os.listdir("/dev/fd"))
    with SlotFile(str(tmp_path / "slots")) as file:
        assert file.raw is None
    assert len(os.listdir("/dev/fd")) == opened


def test_a_file_that_cannot_be_read_is_not_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    write(str(tmp_path / "slots"), 0, b"old")
    monkeypatch.setattr(os, "pread", fail)
    opened = len(os.listdir("/dev/fd"))
    with pytest.raises(OSError, match="Input/output error"):
        SlotFile(str(tmp_path / "slots"))
    assert len(os.listdir("/dev/fd")) == opened


def test_a_slot_has_its_size(tmp_path: Path) -> None:
    write(str(tmp_path / "slots"), 0, b"x" * 4095)
    assert lines((tmp_path / "slots").read_bytes()) == (b"x" * 4095, b"")
    with pytest.raises(ValueError, match="4096 bytes do not fit into a slot of 4096"):
        write(str(tmp_path / "slots"), 0, b"x" * 4096)


def test_what_the_disk_does_not_confirm_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int, path: str) -> None:
        raise NotDurableError(f"{path}: could not be put on disk")

    write(str(tmp_path / "slots"), 0, b"old")
    monkeypatch.setattr(slots, "sync_bytes", fail)
    opened = len(os.listdir("/dev/fd"))
    with pytest.raises(NotDurableError):
        write(str(tmp_path / "slots"), 1, b"new")
    assert len(os.listdir("/dev/fd")) == opened


def test_a_file_that_may_not_be_written_is_told_before_anything_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UnreadableError, match="may not be read and written by this user") as caught:
        SlotFile(str(tmp_path / "slots"))
    assert caught.value.hint == f"chmod u+rw {tmp_path / 'slots'}"


def test_other_failures_of_opening_pass_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="Read-only file system"):
        SlotFile(str(tmp_path / "slots"))


def test_what_is_prepared_is_not_written_yet(tmp_path: Path) -> None:
    path = tmp_path / "slots"
    write(str(path), 0, b"old")
    with SlotFile(str(path)) as file:
        assert file.raw == path.read_bytes()
        file.prepare(1, b"new")
        assert lines(path.read_bytes()) == (b"old", b"")
        file.write()
        assert lines(path.read_bytes()) == (b"old", b"new")
        file.close()

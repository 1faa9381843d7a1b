import errno
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from nightledger.domain.errors import FileChangedError, NotDurableError, RefusedError
from nightledger.files import atomic
from nightledger.files.atomic import (
    create_file,
    exchange_file,
    leftovers,
    link_or_copy,
    replace_file,
)

OLD, NEW = b"old bytes\n", b"new bytes, more of them\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(OLD)
    return path


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


class Failing:
    """A stand-in for one system call that fails with a full disk at its nth use."""

    def __init__(self, call: Callable[..., object], at: int = 1) -> None:
        self.call, self.left = call, at

    def __call__(self, *words: object, **named: object) -> object:
        self.left -= 1
        if self.left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.call(*words, **named)


def test_a_new_file_belongs_to_its_owner_only(tmp_path: Path) -> None:
    replace_file(str(tmp_path / "new"), NEW)
    assert (tmp_path / "new").read_bytes() == NEW
    assert mode_of(tmp_path / "new") == 0o600


def test_a_replaced_file_keeps_its_owner(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = []
    real = os.lstat(file)
    foreign = os.stat_result((*real[:4], real.st_uid + 1, real.st_gid + 1, *real[6:]))
    monkeypatch.setattr(os, "lstat", lambda _: foreign)
    monkeypatch.setattr(os, "fchown", lambda _, user, group: owners.append((user, group)))
    replace_file(str(file), NEW)
    assert owners == [(real.st_uid + 1, real.st_gid + 1)]


def test_an_owner_that_cannot_be_kept_stops_the_replacement(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.lstat(file)
    foreign = os.stat_result((*real[:4], real.st_uid + 1, *real[5:]))

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "lstat", lambda _: foreign)
    monkeypatch.setattr(os, "fchown", refuse)
    with pytest.raises(RefusedError, match="belongs to user"):
        replace_file(str(file), NEW)
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["MEMORY.md"]


def test_a_file_that_is_not_the_expected_one_is_left_alone(file: Path) -> None:
    with pytest.raises(FileChangedError, match="has changed") as caught:
        replace_file(str(file), NEW, expect_sha256=sha256(b"something else"))
    assert sha256(OLD) in str(caught.value)
    assert "run it again" in caught.value.hint
    assert file.read_bytes() == OLD


def test_a_link_is_refused_and_what_it_points_at_untouched(file: Path) -> None:
    link = file.parent / "link"
    link.symlink_to(file)
    with pytest.raises(RefusedError, match="is a symlink"):
        replace_file(str(link), NEW)
    assert link.is_symlink()
    assert file.read_bytes() == OLD


@pytest.mark.parametrize("call", ["open", "write", "fchmod", "fsync", "rename"])
@pytest.mark.parametrize("change", [replace_file, exchange_file])
def test_a_full_disk_at_any_call_leaves_the_old_bytes_and_no_temporary_file(
    file: Path, call: str, change: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    monkeypatch.setattr(os, call, Failing(getattr(os, call)))
    with pytest.raises((OSError, NotDurableError)):
        change(str(file), NEW)
    monkeypatch.undo()
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["MEMORY.md"]


def test_a_directory_that_cannot_be_synced_is_reported_with_the_new_bytes_in_place(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", Failing(os.fsync, at=2))
    with pytest.raises(NotDurableError):
        replace_file(str(file), NEW)
    monkeypatch.undo()
    assert file.read_bytes() == NEW


def test_bytes_and_name_are_synced_before_it_returns(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    fsync, rename = os.fsync, os.rename

    def note_sync(descriptor: int) -> None:
        order.append("sync directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "sync file")
        fsync(descriptor)

    def note_rename(source: str, target: str) -> None:
        order.append("rename")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "rename", note_rename)
    replace_file(str(file), NEW)
    assert order == ["sync file", "rename", "sync directory"]


def test_a_temporary_file_of_a_dead_run_with_our_number_is_stepped_over(file: Path) -> None:
    stale = file.parent / f".MEMORY.md.{os.getpid()}.0{atomic.TEMP_SUFFIX}"
    stale.write_bytes(b"half")
    replace_file(str(file), NEW)
    assert file.read_bytes() == NEW
    assert leftovers(str(file.parent)) == (str(stale),)


def test_creating_takes_a_free_name_only(file: Path) -> None:
    with pytest.raises(FileExistsError):
        create_file(str(file), NEW)
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["MEMORY.md"]
    create_file(str(file.parent / "other"), NEW)
    assert (file.parent / "other").read_bytes() == NEW
    assert mode_of(file.parent / "other") == 0o600


def test_creating_never_writes_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        create_file(str(tmp_path / "link"), NEW)
    assert not (tmp_path / "elsewhere").exists()


@pytest.fixture(params=["in one step", "by link and rename"])
def exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "by link and rename":
        monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    return str(request.param)


@pytest.mark.usefixtures("exchange")
def test_an_exchange_gives_back_what_it_replaced(file: Path) -> None:
    file.chmod(0o640)
    kept: list[bytes] = []
    assert exchange_file(str(file), NEW, expect_sha256=sha256(OLD), keep=kept.append) == OLD
    assert kept == [OLD]
    assert file.read_bytes() == NEW
    assert mode_of(file) == 0o640
    assert names(file.parent) == ["MEMORY.md"]


@pytest.mark.usefixtures("exchange")
def test_a_rival_that_writes_after_the_check_loses_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_temp = atomic._write_temp

    def rival_writes(path: str, content: bytes, mode: int) -> str:
        temp = write_temp(path, content, mode)
        file.write_bytes(b"the rival's bytes\n")
        return temp

    monkeypatch.setattr(atomic, "_write_temp", rival_writes)
    assert exchange_file(str(file), NEW, expect_sha256=sha256(OLD)) == b"the rival's bytes\n"
    assert file.read_bytes() == NEW


@pytest.mark.usefixtures("exchange")
def test_replaced_bytes_stay_on_disk_until_they_were_kept(file: Path) -> None:
    def fail(_: bytes) -> None:
        raise RuntimeError("the disk went away")

    with pytest.raises(RuntimeError):
        exchange_file(str(file), NEW, keep=fail)
    (left,) = leftovers(str(file.parent))
    assert Path(left).read_bytes() == OLD


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOSYS])
def test_a_file_system_that_cannot_exchange_gets_the_other_way(
    code: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Library:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        @staticmethod
        def renameat2(*_: object) -> int:
            return -1

    monkeypatch.setattr("ctypes.CDLL", Library)
    monkeypatch.setattr("ctypes.get_errno", lambda: code)
    assert exchange_file(str(file), NEW) == OLD
    assert file.read_bytes() == NEW


def test_a_second_name_that_is_taken_stops_the_other_way_before_anything_changed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    monkeypatch.setattr(os, "link", Failing(os.link))
    with pytest.raises(OSError, match="No space"):
        exchange_file(str(file), NEW)
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["MEMORY.md"]


@pytest.mark.parametrize("put", [os.mkfifo, lambda path: os.symlink("MEMORY.md", path)], ids=["fifo", "link"])
def test_what_is_no_file_gives_way_to_what_is_disposable_alone(
    file: Path, put: Callable[[Path], None]
) -> None:
    mark = file.parent / "mark"
    put(mark)
    with pytest.raises(RefusedError):
        replace_file(str(mark), NEW)
    replace_file(str(mark), NEW, disposable=True)
    assert mark.read_bytes() == NEW
    assert not mark.is_symlink()
    assert file.read_bytes() == OLD


def test_a_fifo_is_not_waited_for_and_not_what_was_expected(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileChangedError):
        replace_file(str(pipe), NEW, expect_sha256=sha256(OLD))


@pytest.mark.usefixtures("exchange")
def test_a_fifo_that_a_rival_put_there_after_the_check_is_not_waited_for(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_temp = atomic._write_temp

    def rival_puts(path: str, content: bytes, mode: int) -> str:
        temp = write_temp(path, content, mode)
        file.unlink()
        os.mkfifo(file)
        return temp

    monkeypatch.setattr(atomic, "_write_temp", rival_puts)
    assert exchange_file(str(file), NEW) == b""
    assert file.read_bytes() == NEW


def test_a_second_name_is_a_link_a_refused_one_a_copy_and_a_taken_one_is_left(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked, copied = tmp_path / "linked", tmp_path / "copied"
    link_or_copy(str(file), str(linked))
    assert linked.samefile(file)
    with pytest.raises(FileExistsError):
        link_or_copy(str(file), str(linked))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    link_or_copy(str(file), str(copied))
    assert (copied.read_bytes(), mode_of(copied), copied.samefile(file)) == (OLD, mode_of(file), False)

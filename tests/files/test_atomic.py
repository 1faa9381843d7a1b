import contextlib
import errno
import hashlib
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from nightledger.domain.errors import EXIT_LOCKED, LockedError, RefusedError, UnreadableError
from nightledger.files import atomic
from nightledger.files.atomic import Lock, create_file, exchange_file, leftovers, replace_file

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


def test_a_link_is_refused_and_what_it_points_at_untouched(file: Path) -> None:
    link = file.parent / "link"
    link.symlink_to(file)
    with pytest.raises(RefusedError, match="is a symlink"):
        replace_file(str(link), NEW)
    assert link.is_symlink()
    assert file.read_bytes() == OLD


def test_creating_takes_a_free_name_only(file: Path) -> None:
    with pytest.raises(FileExistsError):
        create_file(str(file), NEW)
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["MEMORY.md"]
    create_file(str(file.parent / "other"), NEW)
    assert (file.parent / "other").read_bytes() == NEW
    assert mode_of(file.parent / "other") == 0o600


@pytest.fixture(params=["in one step", "by link and rename"])
def exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "by link and rename":
        monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    return str(request.param)


@pytest.mark.usefixtures("exchange")
def test_an_exchange_gives_back_what_it_replaced(file: Path) -> None:
    file.chmod(0o640)
    kept: list[bytes] = []
    assert exchange_file(str(file), NEW, keep=kept.append) == OLD
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
    assert exchange_file(str(file), NEW) == b"the rival's bytes\n"
    assert file.read_bytes() == NEW


@pytest.mark.usefixtures("exchange")
def test_replaced_bytes_stay_on_disk_until_they_were_kept(file: Path) -> None:
    def fail(_: bytes) -> None:
        raise RuntimeError("the disk went away")

    with pytest.raises(RuntimeError):
        exchange_file(str(file), NEW, keep=fail)
    (left,) = leftovers(str(file.parent))
    assert Path(left).read_bytes() == OLD


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


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / ".nightledger" / "locks" / "home.lock")


def bind(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as one, contextlib.chdir(os.path.dirname(path)):
        one.bind(os.path.basename(path))  # a whole path may be too long for a socket's address


def test_a_second_run_is_told_who_holds_the_lock_and_exits_75(path: str) -> None:
    with Lock(path), pytest.raises(LockedError, match=f"held by process {os.getpid()}") as caught:
        Lock(path).acquire()
    assert caught.value.exit_status == EXIT_LOCKED == 75
    assert "try again" in caught.value.hint


def test_a_lock_whose_file_was_removed_while_waiting_is_taken_anew(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two runs would hold a lock each: one on the removed file, one on the new one."""
    real_open = os.open
    removed: list[str] = []

    def open_then_lose(name: str, *words: int) -> int:
        descriptor = real_open(name, *words)
        if name == path and not removed:
            removed.append(name)
            Path(path).parent.rename(Path(path).parent.with_name("removed"))
        return descriptor

    monkeypatch.setattr(os, "open", open_then_lose)
    with Lock(path, timeout_s=60), pytest.raises(LockedError):
        Lock(path).acquire()


@pytest.mark.parametrize(
    "put",
    [
        os.mkfifo,
        os.mkdir,
        lambda path: os.symlink("nothing", path),
        lambda path: os.symlink(path, path),
        bind,
    ],
    ids=["fifo", "directory", "dangling", "loop", "socket"],
)
def test_what_is_no_file_is_named_and_left(path: str, put: Callable[[str], None]) -> None:
    os.makedirs(os.path.dirname(path))
    put(path)
    before = os.lstat(path)
    with pytest.raises(UnreadableError, match=r"home\.lock is not a regular file") as caught:
        Lock(path).acquire()
    assert caught.value.hint == "move it away; the file is made anew"
    assert os.lstat(path).st_ino == before.st_ino

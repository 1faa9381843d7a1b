import contextlib
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from nightledger.domain.errors import EXIT_LOCKED, LockedError, UnreadableError
from nightledger.files.atomic import Lock


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

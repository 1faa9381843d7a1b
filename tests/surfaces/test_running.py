import os
from pathlib import Path

from tests.homes import make_home

from nightledger.files.lock import Lock
from nightledger.surfaces.running import Running, find_running


def kernel_says(path: Path, inode: int) -> str:
    lines = [
        "1: POSIX  ADVISORY  WRITE 77 00:01:1 0 EOF",
        f"2: FLOCK  ADVISORY  WRITE 4711 08:02:{inode} 0 EOF",
        "2: -> FLOCK  ADVISORY  WRITE 4712 08:02:9 0 EOF",
        "3: FLOCK  ADVISORY  WRITE x 08:02:9 0 EOF",
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_a_held_lock_is_named_with_its_process(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    Path(home.locks_dir, "notes.txt").write_text("not a lock")
    for name in ("night", "home"):
        Path(home.lock_path(name)).write_text("1\n")
    listed = kernel_says(tmp_path / "locks", os.stat(home.lock_path("night")).st_ino)
    assert find_running(home, kernel_locks=listed) == (Running(lock="night", pid=4711),)


def test_where_the_kernel_lists_no_locks_nothing_is_said(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    assert find_running(home, kernel_locks=str(tmp_path / "none")) == ()


def test_a_home_without_locks_has_no_runs(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    os.rmdir(home.locks_dir)
    assert find_running(home, kernel_locks=kernel_says(tmp_path / "locks", 1)) == ()


def test_looking_takes_no_lock(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with Lock(home.lock_path()):
        find_running(home)
    assert find_running(home) == ()
    with Lock(home.lock_path()):
        assert os.listdir(home.locks_dir) == ["home.lock"]

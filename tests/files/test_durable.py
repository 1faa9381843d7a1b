import errno
import fcntl
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError, NotDurableError
from nightledger.files import durable


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_short_write_is_continued_until_every_byte_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: whole(descriptor, content[:3]))
    path = tmp_path / "file"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    durable.write_all(descriptor, b"0123456789")
    os.close(descriptor)
    assert path.read_bytes() == b"0123456789"


@pytest.mark.parametrize(("call", "name"), [("sync_file", "fsync"), ("sync_bytes", "fdatasync")])
def test_a_failed_sync_is_reported_once_and_not_retried(
    call: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fail(descriptor: int) -> None:
        calls.append(descriptor)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(NotDurableError, match=r"some\.jsonl: could not be put on disk"):
        getattr(durable, call)(7, "some.jsonl")
    assert calls == [7]


def test_a_directory_that_cannot_be_synced_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(NotDurableError):
        durable.sync_directory(str(tmp_path))


def test_directories_are_made_for_their_owner_only_with_those_above(tmp_path: Path) -> None:
    assert durable.make_dir(str(tmp_path / "a" / "b"))
    assert mode_of(tmp_path / "a") == mode_of(tmp_path / "a" / "b") == 0o700


def test_a_directory_of_ours_in_a_workspace_is_ignored_by_git_from_the_moment_it_is_seen(
    tmp_path: Path,
) -> None:
    durable.make_dir(str(tmp_path / "a" / "b"), ignored_by_git=True)
    assert (tmp_path / "a" / ".gitignore").read_text() == "*\n"
    assert (tmp_path / "a" / "b" / ".gitignore").read_text() == "*\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_two_runs_that_make_one_directory_both_find_it_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tmp_path / "a"
    rename = os.rename

    def rival_first(source: str, target: str) -> None:
        wanted.mkdir()
        (wanted / ".gitignore").write_text("*\n")
        rename(source, target)

    monkeypatch.setattr(os, "rename", rival_first)
    assert durable.make_dir(str(wanted), ignored_by_git=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_file_where_a_directory_should_be_is_named_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "it's").write_text("")
    with pytest.raises(ConfigurationError, match="is not a directory") as caught:
        durable.make_dir(str(tmp_path / "it's"))
    assert "mv " in caught.value.hint
    assert """it'"'"'s'""" in caught.value.hint


@pytest.mark.parametrize("call", [durable.sync_file, durable.sync_bytes])
def test_on_macos_the_drive_itself_is_asked(
    call: Callable[[int, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda descriptor, what: asked.append((descriptor, what)))
    call(7, "path")
    assert asked == [(7, 51)]


def test_a_volume_that_does_not_know_the_drive_call_gets_the_plain_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain: list[int] = []

    def unknown(_: int, __: int) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", unknown)
    monkeypatch.setattr(os, "fsync", plain.append)
    durable._full_sync(7)
    assert plain == [7]


def test_what_cannot_be_asked_for_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "lstat", fail)
    with pytest.raises(OSError, match="Input/output error"):
        durable.is_there("file")


@pytest.mark.parametrize(
    "put", [os.mkfifo, lambda path: os.symlink("../outside", path)], ids=["fifo", "link"]
)
def test_what_waits_under_the_name_that_a_new_directory_is_made_with_is_not_written(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    (tmp_path / "outside").write_text("kept")
    staged = tmp_path / f"audit.{os.getpid()}.new"
    staged.mkdir()
    put(staged / ".gitignore")
    with pytest.raises(OSError, match="gitignore"):
        durable.make_dir(str(tmp_path / "audit"), ignored_by_git=True)
    assert (tmp_path / "outside").read_text() == "kept"

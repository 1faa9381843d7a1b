import errno
import fcntl
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError
from nightledger.files import durable


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_directories_are_made_for_their_owner_only_with_those_above(tmp_path: Path) -> None:
    assert durable.make_dir(str(tmp_path / "a" / "b"))
    assert mode_of(tmp_path / "a") == mode_of(tmp_path / "a" / "b") == 0o700


def test_a_directory_of_ours_in_a_workspace_is_ignored_by_git(
    tmp_path: Path,
) -> None:
    durable.make_dir(str(tmp_path / "a" / "b"), ignored_by_git=True)
    assert (tmp_path / "a" / ".gitignore").read_text() == "*\n"
    assert (tmp_path / "a" / "b" / ".gitignore").read_text() == "*\n"
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


def test_what_cannot_be_asked_for_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "lstat", fail)
    with pytest.raises(OSError, match="Input/output error"):
        durable.is_there("file")

import errno
import fcntl
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.errors import UnreadableError
from nightledger.files import durable
from nightledger.files.durable import overwrite, overwritten
from nightledger.files.line_log import append_records


def test_a_directory_of_ours_in_a_workspace_is_ignored_by_git(
    tmp_path: Path,
) -> None:
    durable.make_dir(str(tmp_path / "a" / "b"), ignored_by_git=True)
    assert (tmp_path / "a" / ".gitignore").read_text() == "*\n"
    assert (tmp_path / "a" / "b" / ".gitignore").read_text() == "*\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


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


def test_an_append_at_the_same_time_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a secret\n" * 2000)
    writer = threading.Thread(target=lambda: [append_records(str(path), b"line %d\n" % n) for n in range(50)])
    writer.start()
    for _ in range(5):
        overwrite(str(path), [b"secret"])
    writer.join()
    overwrite(str(path), [b"secret"])
    lines = path.read_bytes().splitlines()
    assert lines[:2000] == [b"a xxxxxx"] * 2000
    assert lines[2000:] == [b"line %d" % n for n in range(50)]


def test_what_has_a_second_name_stays_as_it_is_under_both(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a secret")
    (tmp_path / "other").hardlink_to(path)
    with pytest.raises(UnreadableError, match="second name"):
        overwrite(str(path), [b"secret"])
    assert path.read_bytes() == b"a secret"


@given(content=st.binary(), needles=st.lists(st.binary(max_size=4)))
def test_the_length_stays_and_no_needle_does(content: bytes, needles: list[bytes]) -> None:
    after = overwritten(content, needles)
    assert len(after) == len(content)
    for needle in needles:
        if needle.strip(b"x"):
            assert needle not in after

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
from nightledger.files.durable import is_within, overwrite, overwritten, read_regular
from nightledger.files.line_log import append_records


def test_a_directory_of_ours_in_a_workspace_is_ignored_by_git(tmp_path: Path) -> None:
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


@given(content=st.binary(), needles=st.lists(st.binary(max_size=4)))
def test_the_length_stays_and_no_needle_does(content: bytes, needles: list[bytes]) -> None:
    after = overwritten(content, needles)
    assert len(after) == len(content)
    for needle in needles:
        if needle.strip(b"x"):
            assert needle not in after


LIMIT = 1000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "log.md"
    path.parent.mkdir()
    path.write_bytes(b"text\n")
    return path


def refusal(path: Path, within: Path | None = None) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        read_regular(str(path), LIMIT, within=None if within is None else str(within))
    assert str(path) in str(caught.value)
    assert caught.value.hint
    return caught.value


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not(file: Path) -> None:
    file.write_bytes(b"x" * LIMIT)
    assert len(read_regular(str(file), LIMIT)) == LIMIT
    file.write_bytes(b"x" * (LIMIT + 1))
    assert "1001 bytes; at most 1000" in str(refusal(file))


def test_a_link_is_refused_unless_it_stays_in_the_home(file: Path) -> None:
    link = file.parent / "link.md"
    link.symlink_to("log.md")
    assert "is a link" in str(refusal(link))
    assert read_regular(str(link), LIMIT, within=str(file.parent)) == b"text\n"


@pytest.mark.parametrize("directory", [False, True])
def test_a_link_out_of_the_home_is_refused_whether_file_or_directory(file: Path, directory: bool) -> None:  # noqa: FBT001 - a parameter of the test
    outside = file.parent.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    link = file.parent / "link"
    link.symlink_to(outside if directory else outside / "secret.md")
    path = link / "secret.md" if directory else link
    assert "outside" in str(refusal(path, within=file.parent))


def test_being_inside_follows_links_and_names_do_not_fool_it(file: Path) -> None:
    home = file.parent
    (home.parent / "home-2").mkdir()
    assert is_within(str(home), str(home))
    assert is_within(str(file), str(home))
    assert is_within(str(home / "none" / "yet"), str(home))
    assert not is_within(str(home.parent / "home-2"), str(home))
    assert not is_within(str(home / ".." / "home-2"), str(home))
    assert is_within("/etc", "/")

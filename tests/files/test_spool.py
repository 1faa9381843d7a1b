"""Letters in a directory that machines share."""

import os
from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError
from nightledger.files.spool import MESSAGE_SUFFIX, PATIENCE_S, REPLY_SUFFIX, Letter, Spool

HOME = "0123456789abcdef0123456789abcdef"
ID = "m-" + "a" * 26
NAME = f"{ID}{MESSAGE_SUFFIX}"


def letters(box: Spool) -> list[Letter]:
    return list(box.letters(1 << 20))


def test_a_letter_lies_whole_in_new_and_nothing_is_left_in_tmp(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    path = box.put(NAME, b"hello")
    assert path == str(tmp_path / HOME / "new" / NAME)
    (letter,) = letters(box)
    assert (letter.name, letter.content, letter.is_reply) == (NAME, b"hello", False)
    assert list((tmp_path / HOME / "tmp").iterdir()) == []
    assert Path(path).stat().st_mode & 0o777 == 0o600
    assert box.waiting() == 1


def test_the_same_letter_twice_is_one(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    box.put(NAME, b"hello")
    box.put(NAME, b"hello")
    assert len(letters(box)) == 1


def test_a_letter_that_was_dealt_with_is_gone_however_often_that_is_said(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    box.put(f"{ID}{REPLY_SUFFIX}", b"hello")
    (letter,) = letters(box)
    assert letter.is_reply
    box.done(letter)
    box.done(letter)
    assert letters(box) == []


def test_what_other_programs_leave_is_no_letter(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    box.put(NAME, b"hello")
    new = tmp_path / HOME / "new"
    for name in (
        f".{NAME}.Xy12",
        f".syncthing.{NAME}.tmp",
        f"{NAME}~",
        f"{ID}.sync-conflict-1.message.json",
        "README",
    ):
        (new / name).write_bytes(b"half")
    assert [letter.name for letter in letters(box)] == [NAME]


def test_links_directories_and_large_files_are_passed_over(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    box.put(NAME, b"hello")
    new = tmp_path / HOME / "new"
    (new / f"m-{'b' * 26}{MESSAGE_SUFFIX}").symlink_to(new / NAME)
    (new / f"m-{'c' * 26}{MESSAGE_SUFFIX}").mkdir()
    (new / f"m-{'d' * 26}{MESSAGE_SUFFIX}").write_bytes(b"x" * 100)
    os.mkfifo(new / f"m-{'e' * 26}{MESSAGE_SUFFIX}")
    assert [letter.name for letter in box.letters(50)] == [NAME]


def test_a_letter_that_cannot_be_read_is_left_until_it_had_time_to_become_whole(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    path = Path(box.put(NAME, b"half"))
    (letter,) = letters(box)
    written = path.stat().st_mtime
    assert not box.set_aside(letter, written + PATIENCE_S - 1)
    assert path.exists()
    assert box.set_aside(letter, written + PATIENCE_S + 1)
    assert not path.exists()
    assert (tmp_path / HOME / "cur" / f"{NAME}.unreadable").read_bytes() == b"half"
    assert not box.set_aside(letter, written + PATIENCE_S + 1)


def test_a_spool_that_is_gone_is_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="missing"):
        Spool(str(tmp_path / "mount"), HOME)


def test_a_box_that_nobody_wrote_to_is_empty(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    assert letters(box) == []
    assert box.waiting() == 0

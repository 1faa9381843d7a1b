"""Letters in a directory that machines share."""

import os
import re
from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError
from nightledger.remote.spool import MESSAGE_SUFFIX, PATIENCE_S, REPLY_SUFFIX, Letter, Spool

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


def strange(new: Path) -> list[str]:
    """Put what nobody can take in under names of letters; give the names."""
    names = [f"m-{letter * 26}{MESSAGE_SUFFIX}" for letter in "bcde"]
    (new / names[0]).symlink_to(new / NAME)
    (new / names[1]).mkdir()
    (new / names[2]).write_bytes(b"x" * 100)
    os.mkfifo(new / names[3])
    return names


def test_links_directories_and_large_files_are_given_with_the_reason(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    box.put(NAME, b"hello")
    names = strange(tmp_path / HOME / "new")
    found = {letter.name: letter for letter in box.letters(50)}
    assert list(found) == [NAME, *names]
    assert (found[NAME].content, found[NAME].unreadable) == (b"hello", "")
    assert all(found[name].unreadable and not found[name].content for name in names)


def test_whatever_has_the_name_of_a_letter_is_set_aside_in_the_end(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    box.put(NAME, b"hello")
    new, cur = tmp_path / HOME / "new", tmp_path / HOME / "cur"
    names: list[str] = []
    for _ in range(2):  # the second time there is one of each name already
        names = strange(new)
        later = max((new / name).lstat().st_ctime for name in names) + PATIENCE_S + 1
        assert all(box.set_aside(letter, later) for letter in box.letters(50) if letter.unreadable)
    assert box.waiting() == 1
    assert box.aside() == 5
    assert sorted(path.name for path in cur.iterdir()) == sorted(
        [*(f"{name}.unreadable" for name in names), f"2.{names[1]}.unreadable"]
    )


def test_a_time_ahead_of_ours_keeps_no_letter_longer(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    path = Path(box.put(NAME, b"half"))
    came = path.stat().st_ctime
    os.utime(path, (came + 10**8, came + 10**8))
    (letter,) = letters(box)
    assert not box.set_aside(letter, came + PATIENCE_S - 1)
    assert box.set_aside(letter, came + PATIENCE_S + 1)


def test_a_letter_that_came_long_after_now_does_not_wait_for_that_day(tmp_path: Path) -> None:
    """Our clock was set back, or is a simulated one."""
    box = Spool(str(tmp_path), HOME)
    path = Path(box.put(NAME, b"half"))
    (letter,) = letters(box)
    came = path.stat().st_mtime
    assert not box.set_aside(letter, came - PATIENCE_S + 1)
    assert box.set_aside(letter, came - PATIENCE_S - 1)


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
    assert (box.waiting(), box.aside()) == (0, 0)


def test_a_fifo_that_a_peer_put_where_a_letter_is_written_is_not_waited_for(tmp_path: Path) -> None:
    box = Spool(str(tmp_path), HOME)
    (tmp_path / HOME / "tmp").mkdir(parents=True)
    os.mkfifo(tmp_path / HOME / "tmp" / f"{NAME}.{os.getpid()}")
    with pytest.raises(OSError, match=re.escape(NAME)):
        box.put(NAME, b"hello")

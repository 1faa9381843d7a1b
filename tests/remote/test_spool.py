"""Letters in a directory that machines share."""

import os
from pathlib import Path

import pytest

from nightledger.domain.errors import RecordError
from nightledger.remote.letters import MESSAGE_SUFFIX, BoxError, Spool

HOME = "0123456789abcdef0123456789abcdef"
ID = "m-" + "a" * 26
NAME = f"{ID}{MESSAGE_SUFFIX}"


@pytest.fixture
def box(tmp_path: Path) -> Spool:
    return Spool(str(tmp_path), HOME)


def test_a_letter_lies_whole_in_new_once_and_is_gone_when_it_was_dealt_with(
    box: Spool, tmp_path: Path
) -> None:
    assert box.names() == []
    box.put(NAME, b"an older one")
    box.put(NAME, b"hello")
    path = tmp_path / HOME / "new" / NAME
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"hello", 0o600)
    assert list(path.parent.iterdir()) == [path]
    for name in (f".{NAME}.Xy12", f".syncthing.{NAME}.tmp", f"{NAME}~", f"{ID}.sync-conflict-1.message.json"):
        path.with_name(name).write_bytes(b"half")  # what other programs leave
    assert (box.names(), box.read(NAME, 50)) == ([NAME], b"hello")
    for _ in range(2):
        box.done(NAME)
    assert (box.names(), box.read(NAME, 50)) == ([], None)


def strange(new: Path) -> list[str]:
    """Put what nobody can take in under names of letters; give the names."""
    names = [f"m-{letter * 26}{MESSAGE_SUFFIX}" for letter in "bcde"]
    (new / names[0]).symlink_to(new / NAME)
    (new / names[1]).mkdir()
    (new / names[2]).write_bytes(b"x" * 100)
    os.mkfifo(new / names[3])
    return names


def test_whatever_has_the_name_of_a_letter_and_is_none_is_set_aside(box: Spool, tmp_path: Path) -> None:
    box.put(NAME, b"hello")
    new, cur = tmp_path / HOME / "new", tmp_path / HOME / "cur"
    names = strange(new)
    assert sorted(box.names()) == [NAME, *names]
    for name in names:
        with pytest.raises(RecordError):
            box.read(name, 50)
        box.set_aside(name)
    assert box.names() == [NAME]
    assert sorted(path.name for path in cur.iterdir()) == [f"{name}.unreadable" for name in names]


def test_a_spool_that_is_gone_is_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(BoxError, match="missing"):
        Spool(str(tmp_path / "mount"), HOME)


def test_a_box_that_is_a_file_is_told_by_its_name(box: Spool, tmp_path: Path) -> None:
    (tmp_path / HOME).write_text("not a directory")
    for use in (lambda: box.put(NAME, b"x"), box.names, lambda: box.set_aside(NAME)):
        with pytest.raises(BoxError, match=HOME):
            use()

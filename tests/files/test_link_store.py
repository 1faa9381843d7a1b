"""What is no file in the place of one of the link index; tests/jobs/test_link.py asks the rest."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nightledger.domain.errors import LinkIndexError
from nightledger.files.link_index import CURRENT, Stored, open_index, parse_current, read_current
from nightledger.files.link_segment import Segment, SegmentError
from nightledger.files.link_store import check_segments, use_segments, write_segment

PUT = pytest.mark.parametrize(
    "put",
    [os.mkfifo, os.mkdir, lambda path: os.symlink("nothing", path), lambda path: os.symlink(path, path)],
    ids=["fifo", "directory", "dangling", "loop"],
)
Put = Callable[[Path], None]


def written(directory: Path) -> Stored:
    one = write_segment(str(directory), [b"segment"])
    use_segments(str(directory), [one])
    return one


@PUT
def test_what_is_no_segment_is_damage(tmp_path: Path, put: Put) -> None:
    one = written(tmp_path)
    (tmp_path / one.name).unlink()
    put(tmp_path / one.name)
    with pytest.raises(SegmentError, match=one.name):
        Segment(str(tmp_path / one.name))
    with pytest.raises(SegmentError, match=one.name):
        check_segments(str(tmp_path), [one])
    with pytest.raises(LinkIndexError, match="damaged"):
        open_index(str(tmp_path))


@pytest.mark.parametrize(
    "put", [os.mkfifo, lambda path: os.symlink("nothing", path)], ids=["fifo", "dangling"]
)
def test_what_is_no_file_gives_way_to_what_is_made_anew(tmp_path: Path, put: Put) -> None:
    one = written(tmp_path)
    for name in (one.name, CURRENT):
        (tmp_path / name).unlink()
        put(tmp_path / name)
    assert written(tmp_path).name == one.name
    check_segments(str(tmp_path), [one])
    (stored,) = parse_current(read_current(str(tmp_path)) or b"", str(tmp_path))
    assert (stored.name, stored.crc32) == (one.name, one.crc32)


def test_a_fifo_under_a_temporary_name_is_not_waited_for_and_goes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f".segment.{os.getpid()}.0.nightledger-tmp")
    one = written(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([one.name, CURRENT])

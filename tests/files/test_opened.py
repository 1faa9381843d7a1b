import os
from pathlib import Path

import pytest

from nightledger.files.append import OpenFile


@pytest.fixture
def descriptor(tmp_path: Path) -> int:
    return os.open(tmp_path / "one", os.O_RDWR | os.O_CREAT)


def test_a_file_is_closed_when_its_block_ends_and_also_where_that_fails(descriptor: int) -> None:
    with pytest.raises(ValueError, match="in the block"), OpenFile(descriptor):
        raise ValueError("in the block")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_to_close_a_file_twice_closes_no_other_that_got_its_number(tmp_path: Path, descriptor: int) -> None:
    file = OpenFile(descriptor)
    file.close()
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    file.close()
    os.fstat(other)
    os.close(other)


def test_what_was_never_open_is_closed_already() -> None:
    with OpenFile(-1) as file:
        file.close()

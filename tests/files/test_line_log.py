import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.errors import FileChangedError
from nightledger.files import line_log
from nightledger.files.line_log import LineLog


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def test_whole_lines_are_given_and_the_torn_one_is_counted(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nhal")
    with LineLog(str(path)) as log:
        assert (log.end, log.torn_bytes) == (8, 3)
        assert list(log.chunks(0)) == [b"one\ntwo\n"]
        assert list(log.chunks(4)) == [b"two\n"]
        assert list(log.chunks(8)) == []


@given(
    st.lists(st.binary(max_size=40).map(lambda text: text.replace(b"\n", b"")), max_size=30),
    st.integers(1, 60),
)
def test_chunks_of_any_size_join_to_the_log(tmp_path: Path, texts: list[bytes], size: int) -> None:
    path = tmp_path / "log"
    content = b"".join(text + b"\n" for text in texts)
    path.write_bytes(content + b"torn")
    with pytest.MonkeyPatch.context() as patch, LineLog(str(path)) as log:
        patch.setattr(line_log, "CHUNK_BYTES", size)
        chunks = list(log.chunks(0))
    assert b"".join(chunks) == content
    assert all(chunk.endswith(b"\n") for chunk in chunks)


def test_a_file_that_was_replaced_moved_or_cut_is_noticed(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    with LineLog(str(path)) as log:
        os.truncate(path, 4)
        with pytest.raises(FileChangedError, match="was cut while it was read; nothing was written"):
            log.require_same()
        with pytest.raises(FileChangedError, match="was cut while it was read"):
            list(log.chunks(0))
        os.rename(path, f"{path}.1")
        with pytest.raises(FileChangedError, match="was replaced while it was read"):
            log.require_same()
        path.write_bytes(b"one\ntwo\n")
        with pytest.raises(FileChangedError, match="was replaced while it was read"):
            log.require_same()

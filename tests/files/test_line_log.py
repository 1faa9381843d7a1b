import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.codec.strict_json import MAX_LINE_BYTES
from nightledger.domain.errors import FileChangedError, UnreadableError
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


def test_a_line_that_is_too_long_takes_no_more_memory_than_a_long_one(path: Path) -> None:
    path.write_bytes(b"a\n" + b"x" * (3 << 20) + b"\nb\n")
    with LineLog(str(path)) as log:
        lines = b"".join(log.chunks(0)).split(b"\n")
    assert [lines[0], *lines[2:]] == [b"a", b"b", b""]
    assert MAX_LINE_BYTES < len(lines[1]) < MAX_LINE_BYTES + (2 << 16)


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 100_000])
def test_the_same_bytes_have_the_same_probe_whatever_follows(path: Path, size: int) -> None:
    path.write_bytes(os.urandom(size) + b"\n")
    with LineLog(str(path)) as log:
        probe = log.probe(size + 1)
    with path.open("ab") as stream:
        stream.write(b"more\n")
    with LineLog(str(path)) as log:
        assert log.probe(size + 1) == probe
        assert log.probe(size + 5) != probe


@given(st.integers(0, 49_999))
def test_a_byte_put_in_anywhere_shows_in_the_probe(tmp_path: Path, at: int) -> None:
    path = tmp_path / "log"
    content = b"".join(b"%09d\n" % n for n in range(5000))
    path.write_bytes(content)
    with LineLog(str(path)) as log:
        probe = log.probe(50_000)
    path.write_bytes(content[:at] + b"!" + content[at:])
    with LineLog(str(path)) as log:
        assert log.probe(50_000) != probe


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


def test_what_is_no_regular_file_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(UnreadableError, match="is a directory"):
        LineLog(str(path))
    path.rmdir()
    path.symlink_to("/etc/hostname")
    with pytest.raises(UnreadableError, match="is a link"):
        LineLog(str(path))

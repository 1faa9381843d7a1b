import errno
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.errors import FileChangedError, LockedError, NotDurableError
from nightledger.files import line_log
from nightledger.files.line_log import Appender, LineLog, append_records


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


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
        assert (log.end, log.torn_bytes) == (len(content), 4)
        for start in range(len(content) + 1):
            if not content[:start] or content[:start].endswith(b"\n"):
                assert b"".join(log.chunks(start)) == content[start:]
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


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.mark.parametrize("torn", [b"half", b"x" * 200_000, b"\0" * 4096, b"half\r"])
@pytest.mark.parametrize("before", [b"", b"one\n"])
def test_a_torn_last_line_is_closed_append_only(log: Path, before: bytes, torn: bytes) -> None:
    log.write_bytes(before + torn)
    offset, size_bytes, torn_bytes = append_records(str(log), b"next\n")
    assert log.read_bytes() == before + torn + b"\nnext\n"
    assert torn_bytes == len(torn)
    assert log.read_bytes()[offset:] == b"next\n"
    assert size_bytes == log.stat().st_size


def test_a_file_that_another_holds_is_waited_for_and_then_said_to_be_held(log: Path) -> None:
    with Appender(str(log)) as holder, Appender(str(log)) as other:
        holder.hold(0)
        for timeout_s in (0.0, 0.05):
            with pytest.raises(LockedError, match="is held by another process"):
                other.hold(timeout_s)
        threading.Timer(0.05, holder.close).start()
        other.hold(60)


def test_a_full_disk_says_what_is_there_and_acknowledges_nothing(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.write_bytes(b"one\n")
    write = os.write
    calls = []

    def short_then_full(descriptor: int, content: bytes) -> int:
        calls.append(len(content))
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, content[:6])

    monkeypatch.setattr(os, "write", short_then_full)
    with pytest.raises(NotDurableError, match="6 of 12 bytes could be written") as caught:
        append_records(str(log), b"two\nthree..\n")
    assert "free some room" in caught.value.hint
    monkeypatch.undo()
    assert log.read_bytes() == b"one\ntwo\nth"
    assert append_records(str(log), b"two\nthree..\n")[2] == 2
    assert log.read_bytes() == b"one\ntwo\nth\ntwo\nthree..\n"


def test_a_file_that_was_moved_away_is_noticed(log: Path) -> None:
    with Appender(str(log)) as file:
        file.append(b"one\n")
        log.rename(log.with_suffix(".old"))
        with pytest.raises(FileChangedError, match="moved away"):
            file.append(b"two\n")
        log.write_bytes(b"")
        with pytest.raises(FileChangedError, match="moved away"):
            file.append(b"two\n")
    assert log.with_suffix(".old").read_bytes() == b"one\n"

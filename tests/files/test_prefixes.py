import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.errors import UnreadableError
from nightledger.files import line_log
from nightledger.files.line_log import Prefix, hash_file, hash_prefixes


def prefix(content: bytes) -> Prefix:
    return Prefix(size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


@given(content=st.binary(max_size=300), sizes=st.lists(st.integers(0, 400)))
def test_every_beginning_has_the_hash_of_its_bytes(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, sizes: list[int]
) -> None:
    path = tmp_path_factory.getbasetemp() / "grows"
    path.write_bytes(content)
    expected = {size: prefix(content[:size]) for size in sizes if size <= len(content)}
    assert hash_prefixes(str(path), sizes) == expected


def test_a_file_larger_than_a_block_is_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_log, "CHUNK_BYTES", 7)
    path = tmp_path / "grows"
    path.write_bytes(bytes(range(100)))
    assert hash_file(str(path)) == prefix(bytes(range(100)))
    assert hash_prefixes(str(path), [50, 3]) == {3: prefix(b"\0\1\2"), 50: prefix(bytes(range(50)))}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnreadableError, match="is a link"):
        hash_file(str(tmp_path / "link"))
    with pytest.raises(UnreadableError):
        hash_file(str(tmp_path))

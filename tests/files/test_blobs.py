import hashlib
from pathlib import Path

import pytest

from nightledger.domain.errors import EXIT_ALARM, IntegrityError
from nightledger.files.atomic import BlobStore

CONTENT = b"raw \x00 bytes \xff\r\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(str(tmp_path / "audit" / "blobs" / "sha256"))


@pytest.mark.parametrize("content", [b"", CONTENT, b"x" * 1_000_000])
def test_what_was_put_is_what_comes_back(blobs: BlobStore, content: bytes) -> None:
    sha256 = blobs.put(content)
    assert sha256 == hashlib.sha256(content).hexdigest()
    assert blobs.holds(sha256)
    assert blobs.get(sha256) == content


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], CONTENT + b"x", CONTENT.upper()])
def test_a_damaged_blob_is_never_given_out_and_mended_by_the_next_put(
    blobs: BlobStore, damage: bytes
) -> None:
    blobs.put(CONTENT)
    Path(blobs.path(SHA256)).write_bytes(damage)
    with pytest.raises(IntegrityError, match="was changed") as caught:
        blobs.get(SHA256)
    assert caught.value.exit_status == EXIT_ALARM
    blobs.put(CONTENT)
    assert blobs.get(SHA256) == CONTENT

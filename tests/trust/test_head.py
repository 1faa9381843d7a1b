"""The head of the log in the keys' directory."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.codec.canonical import canonical
from nightledger.domain.errors import IntegrityError
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.pin import HEAD_FILE as FILE
from nightledger.trust.pin import KeptHead, dump_head, keep_head, read_head


def head_of(size: int, offset: int) -> KeptHead:
    peaks = tuple(leaf_hash(b"%d" % n) for n in range(size.bit_count()))
    return KeptHead(range=CompactRange(size=size, peaks=peaks), offset=offset)


@given(size=st.integers(0, 5_000), offset=st.integers(0, 2**53 - 1))
def test_a_head_is_canonical_json_with_the_hash_of_the_rest_in_it(
    size: int, offset: int, tmp_path: Path
) -> None:
    keep_head(tmp_path, head_of(size, offset))
    assert read_head(tmp_path) == head_of(size, offset)
    raw = (tmp_path / FILE).read_bytes()
    record = json.loads(raw)
    assert canonical(record) + b"\n" == raw
    assert record.pop("check") == sha256(canonical(record)).hexdigest()
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_no_head_is_none(tmp_path: Path) -> None:
    assert read_head(tmp_path) is None


WHOLE = dump_head(head_of(5, 77))


def rehashed(**changed: object) -> bytes:
    record = {name: value for name, value in json.loads(WHOLE).items() if name != "check"} | changed
    return canonical({**record, "check": sha256(canonical(record)).hexdigest()}) + b"\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"[]", b"{}", b" " * 8192, WHOLE[:-1], WHOLE[: len(WHOLE) // 2], WHOLE + b" ",
        WHOLE.replace(b'"size":5', b'"size":6'), b'{"offset":1,"peaks":[],"size":0,"v":1}\n',
        rehashed(v=2), rehashed(size=7), rehashed(size="5"), rehashed(offset="77"), rehashed(peaks=["00"]), rehashed(more=1),
    ],
)  # fmt: skip
def test_a_damaged_head_is_an_alarm(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / FILE).write_bytes(raw)
    with pytest.raises(IntegrityError, match="is damaged") as caught:
        read_head(tmp_path)
    assert "last checkpoint" in caught.value.hint

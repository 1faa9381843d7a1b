import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.trust.wire import WireError, WireReader, wire_string


@given(parts=st.lists(st.binary(max_size=40), max_size=5))
def test_strings_come_back_in_order(parts: list[bytes]) -> None:
    reader = WireReader(b"".join(map(wire_string, parts)))
    assert [reader.string() for _ in parts] == parts
    reader.end()


# RFC 4251 section 5
@pytest.mark.parametrize(
    ("value", "raw"), [(0x9A378F9B2E332A7, "0000000809a378f9b2e332a7"), (0x80, "000000020080")]
)
def test_the_published_numbers_hold(value: int, raw: str) -> None:
    assert WireReader(bytes.fromhex(raw)).mpint() == value


@pytest.mark.parametrize(
    "raw", ["", "00000000", "0000000100", "00000001ff", "00000002007f", "0000000300007f"]
)
def test_zero_negative_padded_or_missing_numbers_are_refused(raw: str) -> None:
    with pytest.raises(WireError):
        WireReader(bytes.fromhex(raw)).mpint()


@pytest.mark.parametrize("raw", [b"", b"\0\0\0", b"\0\0\0\1", b"\xff\xff\xff\xffabc"])
def test_a_string_that_reaches_beyond_the_end_is_refused(raw: bytes) -> None:
    with pytest.raises(WireError, match="too early"):
        WireReader(raw).string()


def test_what_is_left_over_is_refused() -> None:
    reader = WireReader(wire_string(b"a") + b"x")
    reader.string()
    with pytest.raises(WireError, match="1 bytes are left over"):
        reader.end()

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.trust.wire import decode_base64, encode_base64


# RFC 4648 section 10
@pytest.mark.parametrize(
    ("raw", "text"), [(b"", ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foobar", "Zm9vYmFy")]
)
def test_the_published_pairs_hold(raw: bytes, text: str) -> None:
    assert encode_base64(raw) == text
    assert decode_base64(text) == raw


@given(st.binary(max_size=80))
def test_decoding_is_the_inverse_of_encoding(raw: bytes) -> None:
    assert decode_base64(encode_base64(raw)) == raw


@pytest.mark.parametrize(
    "text", ["Zg", "Zg=", "Zh==", "Zg==\n", " Zg==", "Z g==", "Zm9v_-==", "Zg===", "é", "Zg==Zg=="]
)
def test_any_other_spelling_of_a_value_is_refused(text: str) -> None:
    assert decode_base64(text) is None

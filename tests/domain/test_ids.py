import hashlib

from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.ids import ID_CHARACTERS, content_id


def test_a_known_id() -> None:
    # base32 (RFC 4648) of SHA-256 of no bytes, e3b0c442..., worked out by hand for its first letters
    assert content_id("p", b"").startswith("p-4oymiquy7qobjgx3")
    assert ID_CHARACTERS == 26


@given(st.binary())
def test_an_id_is_a_prefix_and_26_characters_that_a_file_name_may_hold(identity: bytes) -> None:
    name = content_id("d", identity)
    assert name == content_id("d", identity)
    assert len(name) == 28
    assert set(name[2:]) <= set("abcdefghijklmnopqrstuvwxyz234567")
    value = int.from_bytes(hashlib.sha256(identity).digest(), "big") >> (256 - 130)
    letters = "".join(
        "abcdefghijklmnopqrstuvwxyz234567"[(value >> (5 * n)) & 31] for n in reversed(range(26))
    )
    assert name[2:] == letters

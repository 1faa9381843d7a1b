from nightledger.domain.words import ID_CHARACTERS, content_id


def test_a_known_id() -> None:
    # base32 (RFC 4648) of SHA-256 of no bytes, e3b0c442..., worked out by hand for its first letters
    assert content_id("p", b"").startswith("p-4oymiquy7qobjgx3")
    assert ID_CHARACTERS == 26

"""DSSE envelopes: the standard's own vector, and everything that is none."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from nightledger.trust.dsse import (
    Envelope,
    pae,
    parse_envelope,
    payloads_in,
    seal,
)
from nightledger.trust.sshsig import KeySigner

KIND = "application/vnd.example+json"
KEY = KeySigner(Ed25519PrivateKey.from_private_bytes(bytes(32)))


def parse(raw: bytes) -> Envelope:
    return parse_envelope(raw, "it", max_bytes=1 << 20)


def test_the_encoding_is_that_of_the_standard() -> None:
    # secure-systems-lab/dsse, protocol.md, "Test Vectors"
    kind = "http://example.com/HelloWorld"
    assert pae(kind, b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


@given(first=st.tuples(st.text(), st.binary()), second=st.tuples(st.text(), st.binary()))
def test_no_two_pairs_have_one_encoding(first: tuple[str, bytes], second: tuple[str, bytes]) -> None:
    try:
        same = pae(*first) == pae(*second)
    except UnicodeEncodeError:  # half a character has no UTF-8 form
        return
    assert same == (first == second)


@given(payloads=st.lists(st.binary(min_size=1, max_size=60), max_size=4))
def test_what_envelopes_carry_is_found_in_any_file_of_ours(payloads: list[bytes]) -> None:
    lines = b"".join(b'{"envelope":' + seal(KIND, payload, KEY) + b"}\n" for payload in payloads)
    assert list(payloads_in(lines)) == payloads
    assert list(payloads_in(b'{"payload":"not base64!"}')) == []

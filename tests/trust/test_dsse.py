"""DSSE envelopes: the standard's own vector, and everything that is none."""

import base64
import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from nightledger.trust.dsse import (
    Envelope,
    pae,
    parse_envelope,
    payloads_in,
    seal,
    verify_envelope,
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


def test_both_alphabets_of_base64_are_taken() -> None:
    payload = b"\xfb\xef\xff~~~"
    made = json.loads(seal(KIND, payload, KEY))
    assert "+" in made["payload"]
    url_safe = {
        "payload": base64.urlsafe_b64encode(payload).decode(),
        "signatures": [
            {
                **made["signatures"][0],
                "sig": made["signatures"][0]["sig"].translate(str.maketrans("+/", "-_")),
            }
        ],
    }
    envelope = parse(json.dumps({**made, **url_safe}).encode())
    assert envelope.payload == payload
    assert verify_envelope(envelope, KIND, [KEY.public_key]) == KEY.public_key


@given(payloads=st.lists(st.binary(min_size=1, max_size=60), max_size=4))
def test_what_envelopes_carry_is_found_in_any_file_of_ours(payloads: list[bytes]) -> None:
    lines = b"".join(b'{"envelope":' + seal(KIND, payload, KEY) + b"}\n" for payload in payloads)
    assert list(payloads_in(lines)) == payloads
    assert list(payloads_in(b'{"payload":"not base64!"}')) == []

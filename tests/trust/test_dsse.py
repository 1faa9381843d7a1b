"""DSSE envelopes: the standard's own vector, and everything that is none."""

import base64
import contextlib
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain.errors import RecordError
from nightledger.remote.machine_key import MachineKey
from nightledger.trust.dsse import (
    Envelope,
    dump_envelope,
    pae,
    parse_envelope,
    payloads_in,
    seal,
    verify_envelope,
)
from nightledger.trust.sshsig import SignatureError

KIND = "application/vnd.example+json"
KEY = MachineKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
OTHER = MachineKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32)))


def parse(raw: bytes) -> Envelope:
    return parse_envelope(raw, "it", max_bytes=1 << 20)


def sealed(**changed: Any) -> bytes:
    """Give an envelope with members changed."""
    return json.dumps({**json.loads(seal(KIND, b'{"a":1}', KEY)), **changed}).encode()


def test_the_encoding_is_that_of_the_standard() -> None:
    # secure-systems-lab/dsse, protocol.md, "Test Vectors"
    kind = "http://example.com/HelloWorld"
    assert pae(kind, b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_the_signature_of_the_standards_example_is_over_our_encoding() -> None:
    # The same page: ECDSA over P-256, r and s one after the other.
    x = 46950820868899156662930047687818585632848591499744589407958293238635476079160
    y = 5640078356564379163099075877009565129882514886557779369047442380624545832820
    raw = base64.b64decode(
        "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="
    )
    signature = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    public.verify(
        signature,
        pae("http://example.com/HelloWorld", base64.b64decode("aGVsbG8gd29ybGQ=")),
        ec.ECDSA(SHA256()),
    )


@given(first=st.tuples(st.text(), st.binary()), second=st.tuples(st.text(), st.binary()))
def test_no_two_pairs_have_one_encoding(first: tuple[str, bytes], second: tuple[str, bytes]) -> None:
    try:
        same = pae(*first) == pae(*second)
    except UnicodeEncodeError:  # half a character has no UTF-8 form
        return
    assert same == (first == second)


def test_what_was_sealed_is_verified_with_the_key_that_sealed_it() -> None:
    envelope = parse(seal(KIND, b"payload", KEY))
    assert envelope.payload == b"payload"
    assert verify_envelope(envelope, KIND, [OTHER.public_key, KEY.public_key]) == KEY.public_key
    assert parse(dump_envelope(envelope)) == envelope


def test_another_key_another_type_and_other_bytes_are_refused() -> None:
    envelope = parse(seal(KIND, b"payload", KEY))
    with pytest.raises(SignatureError, match="no known key"):
        verify_envelope(envelope, KIND, [OTHER.public_key])
    with pytest.raises(SignatureError, match="expected"):
        verify_envelope(envelope, "application/vnd.other+json", [KEY.public_key])
    for at in range(len(envelope.payload)):
        flipped = bytearray(envelope.payload)
        flipped[at] ^= 1
        changed = Envelope(
            payload=bytes(flipped), payload_type=KIND, keyid=envelope.keyid, signature=envelope.signature
        )
        with pytest.raises(SignatureError):
            verify_envelope(changed, KIND, [KEY.public_key])


def test_a_type_that_the_sender_did_not_sign_is_refused() -> None:
    envelope = parse(sealed(payloadType="application/vnd.other+json"))
    with pytest.raises(SignatureError):
        verify_envelope(envelope, "application/vnd.other+json", [KEY.public_key])


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


SIGNATURE = json.loads(seal(KIND, b'{"a":1}', KEY))["signatures"][0]


@each_row(
    "changed",
    [
        {"extra": 1},
        {"payload": 1},
        {"payload": "eyJhIjoxfR=="},  # bits behind the end are not zero
        {"payload": "eyJhIjoxfQ"},
        {"payload": "eyJ-"},  # no padding needed, and not what an encoder gives for these bytes
        {"payload": "é"},
        {"payload": ""},
        {"payloadType": None},
        {"signatures": []},
        {"signatures": {}},
        {"signatures": [SIGNATURE, SIGNATURE]},
        {"signatures": ["x"]},
        {"signatures": [{**SIGNATURE, "more": 1}]},
        {"signatures": [{**SIGNATURE, "sig": "?"}]},
        {"signatures": [{**SIGNATURE, "keyid": 1}]},
    ],
)
def test_what_is_no_envelope_is_refused(changed: dict[str, Any]) -> None:
    try:
        envelope = parse(sealed(**changed))
    except RecordError:
        return
    with pytest.raises(SignatureError):  # decodes, and is not what was signed
        verify_envelope(envelope, KIND, [KEY.public_key])


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"null", b'{"payload":"a"}', b"\xff", b'{"payload":"","payload":""}']
)
def test_other_json_and_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(RecordError):
        parse(raw)


@pytest.mark.parametrize("name", ["payloadType", "keyid"])
def test_half_a_surrogate_pair_is_no_text(name: str) -> None:
    raw = seal(KIND, b"x", KEY).replace(b'"%b":"' % name.encode(), b'"%b":"\\ud800' % name.encode())
    with pytest.raises(RecordError, match=f"{name} is not text"):
        parse(raw)


def test_an_envelope_that_is_too_large_is_refused() -> None:
    with pytest.raises(RecordError, match="too many"):
        parse_envelope(seal(KIND, b"x" * 100, KEY), "it", max_bytes=100)


@given(raw=st.binary(max_size=200))
def test_no_bytes_end_in_anything_but_an_envelope_or_a_named_problem(raw: bytes) -> None:
    with contextlib.suppress(RecordError):
        parse(raw)


@given(payloads=st.lists(st.binary(min_size=1, max_size=60), max_size=4))
def test_what_envelopes_carry_is_found_in_any_file_of_ours(payloads: list[bytes]) -> None:
    lines = b"".join(b'{"envelope":' + seal(KIND, payload, KEY) + b"}\n" for payload in payloads)
    assert list(payloads_in(lines)) == payloads
    assert list(payloads_in(b'{"payload":"not base64!"}')) == []

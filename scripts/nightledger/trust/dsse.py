"""DSSE envelopes: bytes with their type, signed together (secure-systems-lab/dsse, protocol 1.0.0).

``{"payload", "payloadType", "signatures": [{"keyid", "sig"}]}``. Invariant: the payload is given
out only with the key that verified it, and it is the very bytes that were signed; ``keyid``
narrows which keys are tried and decides nothing. Stricter than the standard: one signature,
no further members, each once, because what is not signed must not mean anything.
"""

import base64
import re
from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert

from nightledger.codec.canonical import canonical, parse_json
from nightledger.domain.errors import RecordError
from nightledger.trust.note import decode_base64, encode_base64
from nightledger.trust.sshsig import ED25519, KeySigner, PublicKey, SignatureError, verify_raw

_PAYLOAD = re.compile(rb'"payload":"((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)"')
_FORM = "an envelope has payload, payloadType and one signature of keyid and sig: text, and nothing else"


class _Signature(Struct, forbid_unknown_fields=True):
    keyid: str
    sig: str


class _Outer(Struct, forbid_unknown_fields=True, rename="camel"):
    payload: str
    payload_type: str
    signatures: Annotated[list[_Signature], Meta(min_length=1, max_length=1)]


class Envelope(Struct, frozen=True, kw_only=True):
    """An envelope taken apart; nothing is verified.

    Attributes:
        payload: The bytes that are said to be signed.
        payload_type: What they are said to be.
        keyid: Names the key, unsigned.
        signature: The bare signature.
    """

    payload: bytes
    payload_type: str
    keyid: str
    signature: bytes


def pae(payload_type: str, payload: bytes) -> bytes:
    """Give the bytes that are signed: ``DSSEv1 SP len SP type SP len SP payload`` (protocol, PAE)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload_type: str, payload: bytes, signer: KeySigner) -> bytes:
    """Sign a payload and give the envelope's bytes, in canonical JSON."""
    return dump_envelope(
        Envelope(
            payload=payload,
            payload_type=payload_type,
            keyid=signer.public_key.fingerprint,
            signature=signer.sign_bytes(pae(payload_type, payload)),
        )
    )


def verify_envelope(envelope: Envelope, payload_type: str, keys: Iterable[PublicKey]) -> PublicKey:
    """Give the key, of those that are trusted, that signed the envelope's payload as this type.

    Args:
        envelope: As it was read.
        payload_type: What the payload must be.
        keys: Public keys that may sign; Ed25519 only.

    Raises:
        SignatureError: It is of another type, or none of the keys has signed it.
    """
    if envelope.payload_type != payload_type:
        raise SignatureError("the envelope does not hold what is expected here")
    signed = pae(payload_type, envelope.payload)
    for key in keys:
        named = key.kind == ED25519 and key.fingerprint == envelope.keyid
        if named and verify_raw(key, envelope.signature, signed):
            return key
    raise SignatureError(
        "no known key has signed this envelope", hint="'nightledger channel peer list' names them"
    )


def parse_envelope(raw: bytes, where: str, *, max_bytes: int) -> Envelope:
    """Take an envelope apart.

    Args:
        raw: JSON, UTF-8.
        where: File or input, for messages.
        max_bytes: The largest size that is read.

    Raises:
        RecordError: It is no envelope.
    """
    value = parse_json(raw, where, max_bytes=max_bytes)
    try:
        outer = convert(value, _Outer)
        f"{outer.payload_type}{outer.signatures[0].keyid}".encode()
    except (ValidationError, UnicodeEncodeError) as error:  # half a surrogate pair is no text
        raise RecordError(where, (_FORM,)) from error
    (signature,) = outer.signatures
    payload, raw_signature = _decoded(outer.payload), _decoded(signature.sig)
    if not payload or not raw_signature:
        raise RecordError(where, ("payload or sig is not base64",))
    return Envelope(
        payload=payload, payload_type=outer.payload_type, keyid=signature.keyid, signature=raw_signature
    )


def dump_envelope(envelope: Envelope) -> bytes:
    """Give an envelope's bytes; the inverse of :func:`parse_envelope`."""
    return canonical(
        {
            "payload": encode_base64(envelope.payload),
            "payloadType": envelope.payload_type,
            "signatures": [{"keyid": envelope.keyid, "sig": encode_base64(envelope.signature)}],
        }
    )


def payloads_in(content: bytes) -> Iterator[bytes]:
    """Give what the envelopes in a file of ours carry, unverified: a search does not see through base64."""
    for found in _PAYLOAD.finditer(content):
        yield base64.b64decode(found[1])


def _decoded(text: str) -> bytes | None:
    """Decode base64 of either alphabet, each in its one form; a verifier must take both (protocol)."""
    is_standard = "+" in text or "/" in text
    return decode_base64(text if is_standard else text.replace("-", "+").replace("_", "/"))

"""Signatures against the vectors that the ``cryptography-vectors`` package carries."""

from collections.abc import Iterator
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from nightledger.trust.keys import load_operator_key, needs_passphrase, public_key_of
from nightledger.trust.note import has_mldsa, verify_ed25519, verify_mldsa44
from nightledger.trust.sshsig import parse_public_line


def flipped(raw: bytes) -> bytes:
    return raw[:-1] + bytes([raw[-1] ^ 1])


def test_ed25519_signatures_of_the_reference_implementation_verify() -> None:
    # ed25519.cr.yp.to/python/sign.input: secret and public key, public key, message, signature and message.
    with cryptography_vectors.open_vector_file("asymmetric/Ed25519/sign.input", "r") as stream:
        lines = [line.split(":") for line in stream.read().splitlines()]
    for secret, public, message, signed in ([bytes.fromhex(part) for part in line[:4]] for line in lines):
        signature = signed[:64]
        assert verify_ed25519(public, signature, message)
        assert not verify_ed25519(public, flipped(signature), message)
        assert Ed25519PrivateKey.from_private_bytes(secret[:32]).sign(message) == signature
    assert len(lines) == 1_024


def records(text: str) -> Iterator[dict[str, bytes]]:
    record: dict[str, bytes] = {}
    for line in text.splitlines():
        name, _, value = line.partition(" = ")
        if name == "count" and record:
            yield record
            record = {}
        if name in ("pk", "msg", "sm", "ctx"):
            record[name] = bytes.fromhex(value)
    yield record


@pytest.mark.skipif(not has_mldsa(), reason="this platform's cryptography has no ML-DSA")
def test_ml_dsa_44_signatures_of_the_known_answer_tests_verify() -> None:
    with cryptography_vectors.open_vector_file("asymmetric/MLDSA/kat_MLDSA_44_det_pure.rsp", "r") as stream:
        known = list(records(stream.read()))
    for record in known:
        signature, context = record["sm"][:2_420], record.get("ctx", b"")
        assert verify_mldsa44(record["pk"], signature, record["msg"], context=context)
        assert not verify_mldsa44(record["pk"], flipped(signature), record["msg"], context=context)
        assert not verify_mldsa44(record["pk"], signature, record["msg"] + b"\0", context=context)
        if context:
            assert not verify_mldsa44(record["pk"], signature, record["msg"])
    assert len(known) == 100


@pytest.mark.parametrize("name", ["ed25519-nopsw", "ed25519-psw", "ed25519-aesgcm-psw"])
def test_openssh_keys_of_others_are_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with cryptography_vectors.open_vector_file(f"asymmetric/OpenSSH/{name}.key", "rb") as stream:
        path.write_bytes(stream.read())
    path.chmod(0o600)
    with cryptography_vectors.open_vector_file(f"asymmetric/OpenSSH/{name}.key.pub", "r") as stream:
        public = parse_public_line(stream.read())
    assert public_key_of(path) == public
    locked = needs_passphrase(path)
    assert locked == (name != "ed25519-nopsw")
    assert load_operator_key(path, passphrase=b"password" if locked else None).public_key == public

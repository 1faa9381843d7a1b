import struct
from datetime import UTC, datetime

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from nightledger.domain.errors import ConfigurationError
from nightledger.trust.checkpoint import Checkpoint, dump_checkpoint
from nightledger.trust.cosignature import (
    Ed25519CosignatureVerifier,
    MLDSA44Signer,
    MLDSA44Verifier,
    NoMLDSAError,
    cosigned_at,
    cosigned_ed25519,
    cosigned_mldsa44,
    has_mldsa,
    verifier_of,
    verify_mldsa44,
)
from nightledger.trust.note import (
    Note,
    NoteError,
    NoteSignature,
    VerifierKey,
    dump_note,
    parse_note,
    sign_note,
    verify_note,
)

HEAD = Checkpoint(origin="nightledger/atlas", size=259, root=bytes(range(32)))
TEXT = dump_checkpoint(HEAD)
AT = datetime(2026, 3, 1, 3, 5, 7, tzinfo=UTC)
needs_mldsa = pytest.mark.skipif(not has_mldsa(), reason="this platform's cryptography has no ML-DSA")


def mldsa_signer(seed: int = 7, name: str = "nightledger/atlas") -> MLDSA44Signer:
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

    private = MLDSA44PrivateKey.from_seed_bytes(bytes([seed]) * 32)
    key = VerifierKey(name=name, key_type=6, public=private.public_key().public_bytes_raw())
    return MLDSA44Signer(key=key, private=private, at=AT)


def ed25519_line(time_s: int, *, text: str = TEXT, seed: int = 9) -> tuple[VerifierKey, NoteSignature]:
    private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
    key = VerifierKey(name="witness.example/w1", key_type=4, public=private.public_key().public_bytes_raw())
    signed = private.sign(cosigned_ed25519(text, time_s))
    payload = struct.pack(">Q", time_s) + signed
    return key, NoteSignature(name=key.name, key_id=key.key_id, signature=payload)


def test_the_ed25519_message_is_that_of_the_specification() -> None:
    # The example of c2sp.org/tlog-cosignature, "Ed25519 signed message".
    text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    expected = (
        b"cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\n"
        b"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    )
    assert cosigned_ed25519(text, 1_679_315_147) == expected


def test_the_mldsa_message_is_the_structure_of_the_specification() -> None:
    expected = (
        b"subtree/v1\n\x00"
        + struct.pack(">B", 13)
        + b"cosigner-name"
        + struct.pack(">Q", 1_772_334_307)
        + struct.pack(">B", 17)
        + b"nightledger/atlas"
        + struct.pack(">QQ", 0, 259)
        + bytes(range(32))
    )
    assert cosigned_mldsa44("cosigner-name", HEAD, 1_772_334_307) == expected
    assert len(b"subtree/v1\n\x00") == 12


@needs_mldsa
def test_a_log_signs_its_own_head_with_both_kinds_of_key() -> None:
    signer = mldsa_signer()
    witness, line = ed25519_line(1_772_334_400)
    signed = sign_note(TEXT, [signer])
    note = parse_note(dump_note(Note(text=TEXT, signatures=(*signed.signatures, line))))
    verifiers = [verifier_of(signer.key.dump()), verifier_of(witness.dump())]
    held = verify_note(note, verifiers)
    assert [cosigned_at(one.signature) for one in held] == [AT, datetime.fromtimestamp(1_772_334_400, UTC)]
    assert len(held[0].signature) == 8 + 2_420


@needs_mldsa
@pytest.mark.parametrize("at", [0, 7, 8, 100, 2_427])
def test_any_change_of_time_or_signature_fails_the_note(at: int) -> None:
    signer = mldsa_signer()
    payload = bytearray(signer.sign(TEXT))
    payload[at] ^= 1
    line = NoteSignature(name=signer.name, key_id=signer.key_id, signature=bytes(payload))
    with pytest.raises(NoteError):
        verify_note(Note(text=TEXT, signatures=(line,)), [MLDSA44Verifier(key=signer.key)])


@needs_mldsa
@pytest.mark.parametrize("payload", [b"", b"\0" * 8, b"\0" * 71, b"\0" * 2_427, b"\0" * 2_429])
def test_payloads_of_another_length_do_not_verify(payload: bytes) -> None:
    assert not MLDSA44Verifier(key=mldsa_signer().key).verify(TEXT, payload)
    assert not Ed25519CosignatureVerifier(key=ed25519_line(1)[0]).verify(TEXT, payload)


@pytest.mark.parametrize(("kind", "length"), [(2, 32), (5, 32), (0xFF, 32), (1, 31), (1, 1_312), (6, 32)])
def test_types_and_lengths_that_are_not_understood_are_refused(kind: int, length: int) -> None:
    with pytest.raises(ConfigurationError, match="fit no signature"):
        verifier_of(VerifierKey(name="log", key_type=kind, public=bytes(length)).dump())


@needs_mldsa
def test_a_backend_without_ml_dsa_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from cryptography.hazmat.primitives.asymmetric import mldsa

    class Refusing:
        @staticmethod
        def from_seed_bytes(raw: bytes) -> None:
            raise UnsupportedAlgorithm(f"ML-DSA for {len(raw)} bytes")

        from_public_bytes = from_seed_bytes

    monkeypatch.setattr(mldsa, "MLDSA44PrivateKey", Refusing)
    monkeypatch.setattr(mldsa, "MLDSA44PublicKey", Refusing)
    assert not has_mldsa()
    with pytest.raises(NoMLDSAError):
        verify_mldsa44(bytes(1_312), bytes(2_420), b"")

import struct
import sys
from datetime import UTC, datetime

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from nightledger.domain.errors import ConfigurationError
from nightledger.trust.checkpoint import Checkpoint, dump_checkpoint
from nightledger.trust.cosignature import (
    MAX_TIME_S,
    Ed25519CosignatureVerifier,
    MLDSA44Signer,
    MLDSA44Verifier,
    NoMLDSAError,
    cosigned_at,
    cosigned_ed25519,
    cosigned_mldsa44,
    has_mldsa,
    split_cosignature,
    verifier_of,
    verify_mldsa44,
)
from nightledger.trust.note import (
    Ed25519Verifier,
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


def test_mldsa_is_there_exactly_where_the_library_can_make_a_key() -> None:
    try:
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

        MLDSA44PrivateKey.generate()
    except (ImportError, UnsupportedAlgorithm):
        can = False
    else:
        can = True
    assert has_mldsa() is can


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


@pytest.mark.parametrize("name", ["", "x" * 256, "é" * 128])
def test_names_that_do_not_fit_one_length_byte_are_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="1 to 255"):
        cosigned_mldsa44(name, HEAD, 0)


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
def test_ml_dsa_signs_afresh_each_time() -> None:
    signer = mldsa_signer()
    assert signer.sign(TEXT) != signer.sign(TEXT)


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
def test_the_line_names_its_key_its_log_its_size_and_its_root() -> None:
    signer = mldsa_signer()
    payload = signer.sign(TEXT)
    assert MLDSA44Verifier(key=signer.key).verify(TEXT, payload)
    renamed = VerifierKey(name="other", key_type=6, public=signer.key.public)
    assert not MLDSA44Verifier(key=renamed).verify(TEXT, payload)
    for other in (
        Checkpoint(origin="nightledger/other", size=HEAD.size, root=HEAD.root),
        Checkpoint(origin=HEAD.origin, size=260, root=HEAD.root),
        Checkpoint(origin=HEAD.origin, size=HEAD.size, root=bytes(32)),
    ):
        assert not MLDSA44Verifier(key=signer.key).verify(dump_checkpoint(other), payload)


@needs_mldsa
@pytest.mark.parametrize("payload", [b"", b"\0" * 8, b"\0" * 71, b"\0" * 2_427, b"\0" * 2_429])
def test_payloads_of_another_length_do_not_verify(payload: bytes) -> None:
    assert not MLDSA44Verifier(key=mldsa_signer().key).verify(TEXT, payload)
    assert not Ed25519CosignatureVerifier(key=ed25519_line(1)[0]).verify(TEXT, payload)


def test_a_time_beyond_63_bits_does_not_verify() -> None:
    key, line = ed25519_line(2**63)
    assert not Ed25519CosignatureVerifier(key=key).verify(TEXT, line.signature)
    mldsa = VerifierKey(name="log", key_type=6, public=bytes(1_312))
    assert not MLDSA44Verifier(key=mldsa).verify(TEXT, struct.pack(">Q", 2**63) + bytes(2_420))


def test_a_time_that_no_calendar_has_does_not_verify() -> None:
    key, line = ed25519_line(MAX_TIME_S)
    assert Ed25519CosignatureVerifier(key=key).verify(TEXT, line.signature)
    assert cosigned_at(line.signature) == datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    key, line = ed25519_line(MAX_TIME_S + 1)
    assert not Ed25519CosignatureVerifier(key=key).verify(TEXT, line.signature)


def test_an_ed25519_cosignature_covers_time_and_whole_text() -> None:
    key, line = ed25519_line(1_772_334_400)
    verifier = Ed25519CosignatureVerifier(key=key)
    assert verifier.verify(TEXT, line.signature)
    assert not verifier.verify(TEXT, struct.pack(">Q", 1) + split_cosignature(line.signature)[1])
    assert not verifier.verify(
        dump_checkpoint(Checkpoint(origin="x", size=1, root=bytes(32))), line.signature
    )


def test_cosignatures_are_on_checkpoints_only() -> None:
    key, line = ed25519_line(1, text="no checkpoint\n")
    with pytest.raises(NoteError):
        Ed25519CosignatureVerifier(key=key).verify("no checkpoint\n", line.signature)


def test_a_verifier_key_chooses_its_verifier_by_type() -> None:
    public = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
    made = {
        kind: verifier_of(VerifierKey(name="log", key_type=kind, public=raw).dump())
        for kind, raw in ((1, public), (4, public), (6, bytes(1_312)))
    }
    assert isinstance(made[1], Ed25519Verifier)
    assert isinstance(made[4], Ed25519CosignatureVerifier)
    assert isinstance(made[6], MLDSA44Verifier)
    assert len({verifier.key_id for verifier in made.values()}) == 3
    assert {verifier.name for verifier in made.values()} == {"log"}


@pytest.mark.parametrize(("kind", "length"), [(2, 32), (5, 32), (0xFF, 32), (1, 31), (1, 1_312), (6, 32)])
def test_types_and_lengths_that_are_not_understood_are_refused(kind: int, length: int) -> None:
    with pytest.raises(ConfigurationError, match="fit no signature"):
        verifier_of(VerifierKey(name="log", key_type=kind, public=bytes(length)).dump())


def test_a_platform_without_ml_dsa_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    assert not has_mldsa()
    with pytest.raises(NoMLDSAError, match="no ML-DSA") as caught:
        verify_mldsa44(bytes(1_312), bytes(2_420), b"")
    assert caught.value.hint


@needs_mldsa
def test_a_malformed_public_key_does_not_verify() -> None:
    assert not verify_mldsa44(b"short", bytes(2_420), b"")


@needs_mldsa
def test_a_backend_without_ml_dsa_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from cryptography.exceptions import UnsupportedAlgorithm
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

"""Heads of a log and the lines that sign them: published examples, and everything that is nearly one."""

import base64
import struct
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.trust.witnesses import NOON, cosigner, witness_key

from nightledger.domain.errors import ConfigurationError
from nightledger.trust.checkpoint import (
    Checkpoint,
    LineSigner,
    LineVerifier,
    cosigned_at,
    cosigned_ed25519,
    cosigned_mldsa44,
    dump_checkpoint,
    has_mldsa,
    log_origin,
    parse_checkpoint,
    verifier_of,
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

# The example of c2sp.org/tlog-checkpoint@v1.0.0 (its key is not published).
C2SP = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo"
    "+zyWE+xeMcTOAYQ8=\n"
)
ROOT = base64.b64encode(bytes(32)).decode()


def test_the_published_checkpoint_is_read_and_written() -> None:
    text = parse_note(C2SP.encode()).text
    checkpoint = parse_checkpoint(text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert checkpoint.root.hex() == "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"
    assert dump_checkpoint(checkpoint) == text


@given(size=st.integers(min_value=0, max_value=2**63 - 1), root=st.binary(min_size=32, max_size=32))
def test_every_head_has_one_text(size: int, root: bytes) -> None:
    head = Checkpoint(origin="nightledger/x", size=size, root=root)
    assert parse_checkpoint(dump_checkpoint(head)) == head


SIZES = ("01", "-1", "+1", " 1", "1_0", "\u0661", "", f"{2**63}", "9" * 5000)
TEXTS = [
    "",
    "log\n",
    f"log\n1\n{ROOT}",
    f"log\n1\n{ROOT}\n\n",
    f"log\n1\n{ROOT}\nextension\n",
    f"\n1\n{ROOT}\n",
]
ROOTS = ("AAAA", ROOT[:-1], f" {ROOT}")


@each_row(
    "text", [*TEXTS, *(f"log\n{size}\n{ROOT}\n" for size in SIZES), *(f"log\n1\n{root}\n" for root in ROOTS)]
)
def test_what_is_nearly_a_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        parse_checkpoint(text)


def test_a_simulated_home_says_so_on_every_checkpoint() -> None:
    assert log_origin("ab" * 16, simulated=False) == "nightledger/" + "ab" * 16
    assert log_origin("ab" * 16, simulated=True) == "nightledger-simulated/" + "ab" * 16


HEAD = Checkpoint(origin="nightledger/atlas", size=259, root=bytes(range(32)))
TEXT = dump_checkpoint(HEAD)
AT = datetime(2026, 3, 1, 3, 5, 7, tzinfo=UTC)
needs_mldsa = pytest.mark.skipif(not has_mldsa(), reason="this platform's cryptography has no ML-DSA")


def mldsa_signer(seed: int = 7, name: str = "nightledger/atlas") -> LineSigner:
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

    private = MLDSA44PrivateKey.from_seed_bytes(bytes([seed]) * 32)
    key = VerifierKey(name=name, key_type=6, public=private.public_key().public_bytes_raw())
    return LineSigner(key=key, private=private, at=AT)


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
    signers = [mldsa_signer(), cosigner(9)]
    note = parse_note(dump_note(sign_note(TEXT, signers)))
    held = verify_note(note, [verifier_of(signer.key.dump()) for signer in signers])
    assert [cosigned_at(one.signature) for one in held] == [AT, NOON]
    assert len(held[0].signature) == 8 + 2_420


@needs_mldsa
@pytest.mark.parametrize("at", [0, 7, 8, 100, 2_427])
def test_any_change_of_time_or_signature_fails_the_note(at: int) -> None:
    signer = mldsa_signer()
    payload = bytearray(signer.sign(TEXT))
    payload[at] ^= 1
    line = NoteSignature(name=signer.name, key_id=signer.key_id, signature=bytes(payload))
    with pytest.raises(NoteError):
        verify_note(Note(text=TEXT, signatures=(line,)), [LineVerifier(key=signer.key)])


@needs_mldsa
@pytest.mark.parametrize("payload", [b"", b"\0" * 8, b"\0" * 71, b"\0" * 2_427, b"\0" * 2_429])
def test_payloads_of_another_length_do_not_verify(payload: bytes) -> None:
    assert not LineVerifier(key=mldsa_signer().key).verify(TEXT, payload)
    assert not LineVerifier(key=witness_key(9)).verify(TEXT, payload)


@pytest.mark.parametrize(("kind", "length"), [(2, 32), (5, 32), (0xFF, 32), (1, 31), (1, 1_312), (6, 32)])
def test_types_and_lengths_that_are_not_understood_are_refused(kind: int, length: int) -> None:
    with pytest.raises(ConfigurationError, match="fit no signature"):
        verifier_of(VerifierKey(name="log", key_type=kind, public=bytes(length)).dump())

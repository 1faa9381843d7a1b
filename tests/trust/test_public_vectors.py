"""Published examples and vectors: signatures, notes, heads, envelopes, proofs. What is nearly one, ``tests/blackbox`` has."""

import struct
from collections.abc import Iterator
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.rows import corpus
from tests.trust.witnesses import LogSigner

from nightledger.trust import note as notes
from nightledger.trust.dsse import pae
from nightledger.trust.keys import load_operator_key, needs_passphrase, public_key_of
from nightledger.trust.policy import dump_continuation, dump_proof, parse_continuation, parse_proof
from nightledger.trust.sshsig import parse_public_line


def flipped(raw: bytes) -> bytes:
    return raw[:-1] + bytes([raw[-1] ^ 1])


def test_ed25519_signatures_of_the_reference_implementation_verify() -> None:
    # ed25519.cr.yp.to/python/sign.input: secret and public key, public key, message, signature and message.
    with cryptography_vectors.open_vector_file("asymmetric/Ed25519/sign.input", "r") as stream:
        lines = [line.split(":") for line in stream.read().splitlines()]
    for secret, public, message, signed in ([bytes.fromhex(part) for part in line[:4]] for line in lines):
        signature = signed[:64]
        assert notes.verify_ed25519(public, signature, message)
        assert not notes.verify_ed25519(public, flipped(signature), message)
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


@pytest.mark.skipif(not notes.has_mldsa(), reason="this platform's cryptography has no ML-DSA")
def test_ml_dsa_44_signatures_of_the_known_answer_tests_verify() -> None:
    with cryptography_vectors.open_vector_file("asymmetric/MLDSA/kat_MLDSA_44_det_pure.rsp", "r") as stream:
        known = list(records(stream.read()))
    for record in known:
        signature, context = record["sm"][:2_420], record.get("ctx", b"")
        assert notes.verify_mldsa44(record["pk"], signature, record["msg"], context=context)
        assert not notes.verify_mldsa44(record["pk"], flipped(signature), record["msg"], context=context)
        assert not notes.verify_mldsa44(record["pk"], signature, record["msg"] + b"\0", context=context)
        if context:
            assert not notes.verify_mldsa44(record["pk"], signature, record["msg"])
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


# The example of c2sp.org/signed-note@v1.0.0, "Verifier keys".
C2SP_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
C2SP_NOTE = (
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Z"
    "tg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
).encode()
# The example in the documentation of golang.org/x/mod/sumdb/note.
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
).encode()


ALICE, BOB = LogSigner("alice.example/log", 1), LogSigner("bob.example/witness", 2)


def checks(*signers: notes.LineSigner) -> list[notes.VerifierKey]:
    return notes.verifiers_of(signer.key for signer in signers)


@pytest.mark.parametrize(("vkey", "raw"), [(C2SP_VKEY, C2SP_NOTE), (GO_VKEY, GO_NOTE)])
def test_published_notes_verify_and_dump_to_the_same_bytes(vkey: str, raw: bytes) -> None:
    key = notes.parse_vkey(vkey)
    note = notes.parse_note(raw)
    assert notes.verify_note(note, notes.verifiers_of([key])) == note.signatures
    assert notes.dump_note(note) == raw
    assert key.dump() == vkey


def test_what_could_not_be_read_back_is_not_written() -> None:
    for note in (
        notes.Note(text="no line end", signatures=notes.sign_note("x\n", [ALICE]).signatures),
        notes.Note(text="text\n", signatures=()),
        notes.Note(
            text="text\n", signatures=(notes.NoteSignature(name="a b", key_id=b"\0" * 4, signature=b"x"),)
        ),
        notes.Note(
            text="text\n", signatures=(notes.NoteSignature(name="ab", key_id=b"\0" * 3, signature=b"xy"),)
        ),
    ):
        with pytest.raises(notes.NoteError):
            notes.dump_note(note)


# The example of c2sp.org/tlog-checkpoint@v1.0.0 (its key is not published).
C2SP = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo"
    "+zyWE+xeMcTOAYQ8=\n"
)


def test_the_published_checkpoint_is_read_and_written() -> None:
    text = notes.parse_note(C2SP.encode()).text
    checkpoint = notes.parse_checkpoint(text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert checkpoint.root.hex() == "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"
    assert notes.dump_checkpoint(checkpoint) == text


HEAD = notes.Checkpoint(origin="nightledger/atlas", size=259, root=bytes(range(32)))


def test_the_ed25519_message_is_that_of_the_specification() -> None:
    # The example of c2sp.org/tlog-cosignature, "Ed25519 signed message".
    text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    expected = (
        b"cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\n"
        b"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    )
    assert notes.cosigned_ed25519(text, 1_679_315_147) == expected


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
    assert notes.cosigned_mldsa44("cosigner-name", HEAD, 1_772_334_307) == expected
    assert len(b"subtree/v1\n\x00") == 12


def test_the_encoding_is_that_of_the_standard() -> None:
    # secure-systems-lab/dsse, protocol.md, "Test Vectors"
    kind = "http://example.com/HelloWorld"
    assert pae(kind, b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


# From the examples of c2sp.org/tlog-proof and c2sp.org/tlog-witness (main branch, July 2026): form only,
# the signatures of the first are elided there.
PROOF_EXAMPLE = corpus("trust-proof-proof_example.txt")
REQUEST_EXAMPLE = corpus("trust-proof-request_example.txt")


def test_the_example_of_the_specification_is_read_and_written_back() -> None:
    proof = parse_proof(PROOF_EXAMPLE.encode())
    assert (proof.index, len(proof.hashes)) == (73894, 5)
    assert proof.extra.startswith(b"age-v1.2.1-darwin")
    assert proof.checkpoint.startswith(b"example.com/fancylog\n109482\n")
    assert dump_proof(proof) == PROOF_EXAMPLE.encode()


def test_the_request_of_the_specification_is_read_and_written_back() -> None:
    request = parse_continuation(REQUEST_EXAMPLE.encode())
    assert (request.old_size, len(request.hashes)) == (20852014, 4)
    assert dump_continuation(request) == REQUEST_EXAMPLE.encode()

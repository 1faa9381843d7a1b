"""C2SP signed notes against published notes. What is nearly one, ``tests/blackbox`` has."""

import pytest
from tests.trust.witnesses import LogSigner

from nightledger.trust.note import (
    LineSigner,
    Note,
    NoteError,
    NoteSignature,
    VerifierKey,
    dump_note,
    parse_note,
    parse_vkey,
    sign_note,
    verifiers_of,
    verify_note,
)

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


def checks(*signers: LineSigner) -> list[VerifierKey]:
    return verifiers_of(signer.key for signer in signers)


@pytest.mark.parametrize(("vkey", "raw"), [(C2SP_VKEY, C2SP_NOTE), (GO_VKEY, GO_NOTE)])
def test_published_notes_verify_and_dump_to_the_same_bytes(vkey: str, raw: bytes) -> None:
    key = parse_vkey(vkey)
    note = parse_note(raw)
    assert verify_note(note, verifiers_of([key])) == note.signatures
    assert dump_note(note) == raw
    assert key.dump() == vkey


def test_what_could_not_be_read_back_is_not_written() -> None:
    for note in (
        Note(text="no line end", signatures=sign_note("x\n", [ALICE]).signatures),
        Note(text="text\n", signatures=()),
        Note(text="text\n", signatures=(NoteSignature(name="a b", key_id=b"\0" * 4, signature=b"x"),)),
        Note(text="text\n", signatures=(NoteSignature(name="ab", key_id=b"\0" * 3, signature=b"xy"),)),
    ):
        with pytest.raises(NoteError):
            dump_note(note)

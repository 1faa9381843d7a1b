"""C2SP signed notes against published notes, and against everything that is nearly one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.trust.witnesses import LogSigner

from nightledger.domain.errors import ConfigurationError
from nightledger.trust.checkpoint import LineSigner, verifiers_of
from nightledger.trust.note import (
    Note,
    NoteError,
    NoteSignature,
    NoteVerifier,
    dump_note,
    parse_note,
    parse_vkey,
    sign_note,
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


def checks(*signers: LineSigner) -> list[NoteVerifier]:
    return verifiers_of(signer.key for signer in signers)


@pytest.mark.parametrize(("vkey", "raw"), [(C2SP_VKEY, C2SP_NOTE), (GO_VKEY, GO_NOTE)])
def test_published_notes_verify_and_dump_to_the_same_bytes(vkey: str, raw: bytes) -> None:
    key = parse_vkey(vkey)
    note = parse_note(raw)
    assert verify_note(note, verifiers_of([key])) == note.signatures
    assert dump_note(note) == raw
    assert key.dump() == vkey


def test_lines_by_unknown_keys_are_ignored_and_kept() -> None:
    note = parse_note(dump_note(sign_note("text\n", [BOB, ALICE])))
    assert [line.name for line in note.signatures] == [BOB.name, ALICE.name]
    assert verify_note(note, checks(ALICE)) == note.signatures[1:]


def test_a_known_key_with_a_bad_signature_fails_the_whole_note() -> None:
    good = sign_note("text\n", [ALICE, BOB])
    bad = Note(text="other\n", signatures=good.signatures)
    mixed = Note(text="text\n", signatures=(good.signatures[0], sign_note("other\n", [BOB]).signatures[0]))
    for note in (bad, mixed):
        with pytest.raises(NoteError, match="does not hold"):
            verify_note(note, checks(ALICE, BOB))


@given(at=st.integers(min_value=0), bit=st.integers(min_value=0, max_value=7))
def test_any_flipped_bit_is_refused(at: int, bit: int) -> None:
    raw = bytearray(C2SP_NOTE)
    raw[at % len(raw)] ^= 1 << bit
    with pytest.raises((NoteError, ConfigurationError)):
        verify_note(parse_note(bytes(raw)), verifiers_of([parse_vkey(C2SP_VKEY)]))


GOOD_LINE = "— alice.example/log " + "AAAAAAAA\n"


@each_row(
    ("raw", "message"),
    [
        (b"", "no blank line"),
        (b"text\n", "no blank line"),
        (b"text\n\n", "no blank line"),
        (f"text\n\n{GOOD_LINE[:-1]}".encode(), "no blank line"),
        (f"text\n{GOOD_LINE}".encode(), "no blank line"),
        (b"text\n\nalice AAAAAAAA\n", "not a signature line"),
        ("text\n\n— alice\n".encode(), "not a signature line"),
        ("text\n\n—  AAAAAAAA\n".encode(), "not a signature line"),
        ("text\n\n— a+b AAAAAAAA\n".encode(), "not a signature line"),
        ("text\n\n— a\u2003b AAAAAAAA\n".encode(), "not a signature line"),
        ("text\n\n— alice  AAAAAAAA\n".encode(), "not a signature line"),
        ("text\n\n— alice AAAA\n".encode(), "not a signature line"),
        ("text\n\n— alice AAAAAA==\n".encode(), "not a signature line"),
        ("text\n\n— alice AAAAAAB=\n".encode(), "not a signature line"),
        ("text\n\n— alice AAAA AAAA\n".encode(), "not a signature line"),
        (f"te\txt\n\n{GOOD_LINE}".encode(), "control character"),
        (f"text\r\n\n{GOOD_LINE}".encode(), "control character"),
        (f"te\0xt\n\n{GOOD_LINE}".encode(), "control character"),
        (b"te\xffxt\n\n" + GOOD_LINE.encode(), "not UTF-8"),
        (b"x" * 1_000_001, "at most"),
        (f"text\n\n{GOOD_LINE * 101}".encode(), "101 signature lines"),
    ],
)
def test_what_is_nearly_a_note_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(NoteError, match=message):
        parse_note(raw)


def test_what_could_not_be_read_back_is_not_written() -> None:
    for note in (
        Note(text="no line end", signatures=sign_note("x\n", [ALICE]).signatures),
        Note(text="text\n", signatures=()),
        Note(text="text\n", signatures=(NoteSignature(name="a b", key_id=b"\0" * 4, signature=b"x"),)),
        Note(text="text\n", signatures=(NoteSignature(name="ab", key_id=b"\0" * 3, signature=b"xy"),)),
    ):
        with pytest.raises(NoteError):
            dump_note(note)

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.trust.worlds import NOW, ORIGIN, World

from nightledger.trust.checkpoint import MAX_SIZE, Checkpoint, dump_checkpoint
from nightledger.trust.keys import LogKey
from nightledger.trust.note import NoteSigner, dump_note, sign_note
from nightledger.trust.signed_head import UnsignedError, read_signed_head, read_stated_head

HEAD = Checkpoint(origin=ORIGIN, size=9, root=bytes(32))


def written(path: Path, signers: tuple[NoteSigner, ...], head: Checkpoint = HEAD) -> str:
    path.write_bytes(dump_note(sign_note(dump_checkpoint(head), signers)))
    return str(path)


def stranger(key: LogKey) -> LogKey:
    return replace(key, ed25519=Ed25519PrivateKey.from_private_bytes(bytes(32)), mldsa44=None)


def test_a_head_signed_by_every_key_is_given_out(bare: World, tmp_path: Path) -> None:
    path = written(tmp_path / "c", bare.key.signers(NOW))
    head = read_signed_head(path, ORIGIN, bare.key.vkeys)
    assert (head.checkpoint, head.unchecked) == (HEAD, ())
    assert head.raw == Path(path).read_bytes()


def test_a_head_must_carry_the_line_of_each_key(bare: World, tmp_path: Path) -> None:
    signers = bare.key.signers(NOW)
    for some in (signers[:1], signers[1:], stranger(bare.key).signers(NOW)):
        if len(signers) > 1:
            with pytest.raises(UnsignedError, match="no known key has signed"):
                read_signed_head(written(tmp_path / "c", some), ORIGIN, bare.key.vkeys)


def test_lines_of_strangers_do_no_harm(bare: World, tmp_path: Path) -> None:
    both = (*stranger(bare.key).signers(NOW), *bare.key.signers(NOW))
    head = read_signed_head(written(tmp_path / "c", both), ORIGIN, bare.key.vkeys)
    assert head.checkpoint == HEAD


def test_a_head_of_another_log_is_refused(bare: World, tmp_path: Path) -> None:
    path = written(tmp_path / "c", bare.key.signers(NOW))
    with pytest.raises(UnsignedError, match="a head of another log"):
        read_signed_head(path, "nightledger/other", bare.key.vkeys)


def test_a_missing_or_malformed_head_is_refused(bare: World, tmp_path: Path) -> None:
    with pytest.raises(UnsignedError, match="is missing"):
        read_signed_head(str(tmp_path / "none"), ORIGIN, bare.key.vkeys)
    (tmp_path / "c").write_bytes(b"nonsense")
    with pytest.raises(UnsignedError, match="no blank line"):
        read_signed_head(str(tmp_path / "c"), ORIGIN, bare.key.vkeys)


def test_form_alone_can_be_asked_for(bare: World, tmp_path: Path) -> None:
    path = written(tmp_path / "c", stranger(bare.key).signers(NOW))
    assert read_signed_head(path, ORIGIN, bare.key.vkeys, signatures=False).checkpoint == HEAD


def test_what_a_checkpoint_states_is_read_whoever_signed_it_where_no_more_is_known(
    bare: World, tmp_path: Path
) -> None:
    path = written(tmp_path / "c", stranger(bare.key).signers(NOW))
    assert read_stated_head(path, ORIGIN, known=HEAD.size) == HEAD
    assert read_stated_head(path, ORIGIN, known=HEAD.size - 1) == HEAD
    assert read_stated_head(path, ORIGIN, known=HEAD.size + 1) is None
    assert read_stated_head(str(tmp_path / "none"), ORIGIN, known=0) is None


def test_of_a_checkpoint_over_less_than_is_known_only_two_lines_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_bytes(b"%s\n9\nno root" % ORIGIN.encode() + b"x" * 2_000_000)
    assert read_stated_head(str(path), ORIGIN, known=10) is None
    with pytest.raises(UnsignedError, match="three lines"):
        read_stated_head(str(path), ORIGIN, known=9)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", " is no checkpoint"),
        (b"nonsense", " is no checkpoint"),
        (b"%s\n9", " is no checkpoint"),
        (b"%s\n\n", " is no checkpoint"),
        (b"%s\nnine\n\nsignatures", " is no checkpoint"),
        (b"%s\n007\n", " is no checkpoint"),
        (b"%s\n+1\n", " is no checkpoint"),
        (b"%s\n\xd9\xa3\n", " is no checkpoint"),
        (b"%s\n9223372036854775808\n", " is no checkpoint"),
        (b"%s\n11111111111111111111\n", " is no checkpoint"),
        (b"x%s\n9\n", " is a head of another log: 'x"),
        (b"\xff%s\n9\n", " is a head of another log"),
        (b"%s\n9\nroot\n\nsignatures", ": 'root' is not a root"),
        (b"%s\n9\nroot\n", ": a checkpoint has three lines"),
        (b"%s\n9\n\xff\n\n", ": .* is not a root"),
    ],
)
def test_what_states_no_head_is_refused_whoever_signed_it(tmp_path: Path, raw: bytes, problem: str) -> None:
    path = tmp_path / "c"
    path.write_bytes(raw.replace(b"%s", ORIGIN.encode()))
    with pytest.raises(UnsignedError, match=rf"^{path}{problem}"):
        read_stated_head(str(path), ORIGIN, known=0)


def test_the_largest_size_is_read(tmp_path: Path) -> None:
    head = Checkpoint(origin=ORIGIN, size=MAX_SIZE, root=bytes(32))
    (tmp_path / "c").write_text(dump_checkpoint(head) + "\n")
    assert read_stated_head(str(tmp_path / "c"), ORIGIN, known=0) == head


def test_without_ml_dsa_the_line_must_still_stand_there(
    bare: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if len(bare.key.vkeys) == 1:
        pytest.skip("this platform's cryptography has no ML-DSA")
    whole = written(tmp_path / "whole", bare.key.signers(NOW))
    stripped = written(tmp_path / "stripped", bare.key.signers(NOW)[:1])
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    (unchecked,) = read_signed_head(whole, ORIGIN, bare.key.vkeys).unchecked
    assert "this platform has no ML-DSA" in unchecked
    with pytest.raises(UnsignedError, match="no known key has signed"):
        read_signed_head(stripped, ORIGIN, bare.key.vkeys)


def test_any_flipped_byte_of_a_head_is_refused(bare: World, tmp_path: Path) -> None:
    raw = Path(written(tmp_path / "c", bare.key.signers(NOW))).read_bytes()
    for at in range(0, len(raw), 97):
        (tmp_path / "c").write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        with pytest.raises(UnsignedError):
            read_signed_head(str(tmp_path / "c"), ORIGIN, bare.key.vkeys)

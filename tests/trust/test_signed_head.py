import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.trust.worlds import NOW, ORIGIN, World

from nightledger.trust.checkpoint import MAX_SIZE, Checkpoint, dump_checkpoint
from nightledger.trust.logkey import LogKey
from nightledger.trust.note import NoteSigner, dump_note, sign_note
from nightledger.trust.signed_head import UnsignedError, read_signed_head, read_stated_size

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


def test_the_size_alone_is_what_a_checkpoint_says_whoever_signed_it(bare: World, tmp_path: Path) -> None:
    path = written(tmp_path / "c", stranger(bare.key).signers(NOW))
    assert read_stated_size(path, ORIGIN) == HEAD.size
    assert read_stated_size(str(tmp_path / "none"), ORIGIN) == 0
    largest = f"{ORIGIN}\n{MAX_SIZE}\n".encode()
    Path(path).write_bytes(largest + b"x" * 2_000_000)
    assert read_stated_size(path, ORIGIN) == MAX_SIZE
    Path(path).write_bytes(b"a stranger\n9\n")
    with pytest.raises(UnsignedError, match="a head of another log: 'a stranger'"):
        read_stated_size(path, ORIGIN)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "is no checkpoint"),
        (b"nonsense", "is no checkpoint"),
        (b"%s\n9" % ORIGIN.encode(), "is no checkpoint"),
        (b"%s\n\n" % ORIGIN.encode(), "is no checkpoint"),
        (b"%s\nnine\n\nsignatures" % ORIGIN.encode(), "is no checkpoint"),
        (b"%s\n%s\n" % (ORIGIN.encode(), b"1" * 20), "is no checkpoint"),
        (b"%s\n9\n" % ORIGIN.encode().upper(), "is a head of another log"),
        (b"\xff\n9\n", "is a head of another log"),
    ],
)
def test_what_states_no_size_is_refused_whoever_signed_it(tmp_path: Path, raw: bytes, problem: str) -> None:
    (tmp_path / "c").write_bytes(raw)
    with pytest.raises(UnsignedError, match=rf"^{tmp_path / 'c'} {problem}"):
        read_stated_size(str(tmp_path / "c"), ORIGIN)


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


@pytest.mark.parametrize("size", ["007", "9223372036854775808", "+1", "٣", ""])
def test_a_size_that_no_checkpoint_states_is_refused(tmp_path: Path, size: str) -> None:
    path = tmp_path / "checkpoint"
    path.write_text(f"x\n{size}\nroot\n")
    with pytest.raises(UnsignedError, match="is no checkpoint"):
        read_stated_size(str(path), "x")
    path.write_text("x\n9223372036854775807\nroot\n")
    assert read_stated_size(str(path), "x") == 9223372036854775807

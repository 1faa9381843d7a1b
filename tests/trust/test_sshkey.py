import subprocess
from pathlib import Path

import pytest
from tests.trust.ssh_keys import KINDS, SoftKey

from nightledger.trust.sshkey import (
    PublicKey,
    PublicKeyError,
    parse_public_blob,
    parse_public_line,
    verify_raw,
)
from nightledger.trust.wire import wire_string


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_that_may_sign_is_read_and_written(kind: str) -> None:
    key = SoftKey(kind).public
    read = parse_public_line(f"  {key.line}  alice@ops  \n")
    assert read == key
    assert read.comment == "alice@ops"
    assert read.line == f"{key.line} alice@ops"


def test_fingerprints_are_those_of_ssh_keygen(ssh_keygen: str, tmp_path: Path) -> None:
    for kind in KINDS:
        key = SoftKey(kind).public
        (tmp_path / "k.pub").write_text(key.line + "\n")
        shown = subprocess.run(
            [ssh_keygen, "-l", "-f", str(tmp_path / "k.pub")], capture_output=True, check=True
        )
        assert key.fingerprint in shown.stdout.decode().split()


def test_a_comment_does_not_make_another_key() -> None:
    key = SoftKey("ssh-ed25519").public
    assert PublicKey(kind=key.kind, blob=key.blob, comment="x") == key
    assert SoftKey("ssh-ed25519", seed=2).public != key


@pytest.mark.parametrize(
    "kind", ["ssh-rsa", "ssh-dss", "ecdsa-sha2-nistp384", "ssh-ed25519-cert-v01@openssh.com"]
)
def test_other_kinds_are_refused_and_may_be_revoked(kind: str) -> None:
    line = PublicKey(kind=kind, blob=wire_string(kind.encode()) + b"rest").line
    with pytest.raises(PublicKeyError, match="refused") as caught:
        parse_public_line(line)
    assert "ssh-keygen -t ed25519" in caught.value.hint
    assert parse_public_line(line, any_kind=True).kind == kind


@pytest.mark.parametrize("line", ["", "ssh-ed25519", "ssh-ed25519 !!!!", "ssh-ed25519 AAAA", "x AAAAA"])
def test_malformed_lines_are_refused(line: str) -> None:
    with pytest.raises(PublicKeyError):
        parse_public_line(line)


def test_a_kind_of_any_length_is_named_in_few_characters() -> None:
    with pytest.raises(PublicKeyError, match=f"of the kind '{'k' * 40}' are refused"):
        parse_public_blob(wire_string(b"k" * 41) + wire_string(b"x"))


def test_a_line_must_name_the_kind_of_its_key() -> None:
    with pytest.raises(PublicKeyError, match="says 'ssh-rsa' and its key 'ssh-ed25519'"):
        parse_public_line(SoftKey("ssh-ed25519").public.line.replace("ssh-ed25519", "ssh-rsa"))


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_cut_or_added_are_refused(kind: str) -> None:
    blob = SoftKey(kind).public.blob
    for bad in (blob + b"\0", blob[:-1], blob[:3], b"", blob[: len(kind) + 4]):
        with pytest.raises(PublicKeyError, match="malformed"):
            parse_public_blob(bad)


def test_a_key_on_another_curve_or_of_another_length_is_refused() -> None:
    other = SoftKey("ecdsa-sha2-nistp256").public.blob.replace(b"\0\0\0\x08nistp256", b"\0\0\0\x08nistp384")
    short = wire_string(b"ssh-ed25519") + wire_string(bytes(31))
    for blob in (other, short, wire_string("é".encode()) + b"x"):
        with pytest.raises(PublicKeyError):
            parse_public_blob(blob)


@pytest.mark.parametrize("kind", KINDS)
def test_raw_signatures_verify_and_any_other_bytes_do_not(kind: str) -> None:
    key = SoftKey(kind)
    good = key.raw(b"message")
    assert verify_raw(key.public, good, b"message")
    assert not verify_raw(key.public, good, b"other")
    assert not verify_raw(SoftKey(kind, seed=3).public, good, b"message")
    for bad in (b"", good[:-1], good + b"\0", bytes(len(good))):
        assert not verify_raw(key.public, bad, b"message")


def test_an_ecdsa_key_that_is_no_point_of_its_curve_does_not_verify() -> None:
    blob = (
        wire_string(b"ecdsa-sha2-nistp256") + wire_string(b"nistp256") + wire_string(b"\x04" + b"\x01" * 64)
    )
    assert not verify_raw(parse_public_blob(blob), SoftKey("ecdsa-sha2-nistp256").raw(b"m"), b"m")

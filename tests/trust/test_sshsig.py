import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.trust.ssh_keys import KINDS, SoftKey

from nightledger.domain.errors import ConfigurationError
from nightledger.trust import sshsig
from nightledger.trust.sshsig import (
    KeygenSigner,
    KeySigner,
    SignatureError,
    parse_signature,
    signed_bytes,
    verify_with,
)
from nightledger.trust.wire import wire_string

NAMESPACE = "nightledger-decision@v1"
Ask = Callable[[str, bytes, str, str, str], bool]


def signer(seed: int = 1) -> KeySigner:
    return KeySigner(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


def key_file(directory: Path, seed: int = 1) -> Path:
    path = directory / f"key{seed}"
    path.write_bytes(signer(seed).private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    path.chmod(0o600)
    return path


@given(message=st.binary(max_size=200))
def test_what_is_signed_verifies(message: bytes) -> None:
    armour = signer().sign(message, NAMESPACE)
    signature = parse_signature(armour)
    verify_with(signer().public_key, message, armour, NAMESPACE)
    assert (signature.namespace, signature.hash_algorithm, signature.counter) == (NAMESPACE, "sha512", 0)


@pytest.mark.parametrize("message", [b"", b"one line\n", bytes(range(256)) * 40])
def test_our_signature_is_byte_for_byte_that_of_ssh_keygen(
    ssh_keygen: str, tmp_path: Path, message: bytes
) -> None:
    command = [ssh_keygen, "-q", "-Y", "sign", "-f", str(key_file(tmp_path)), "-n", NAMESPACE]
    theirs = subprocess.run(command, input=message, capture_output=True, check=True).stdout.decode()
    assert signer().sign(message, NAMESPACE) == theirs


@pytest.mark.parametrize("kind", KINDS)
def test_ssh_keygen_accepts_signatures_of_every_kind_and_so_do_we(kind: str, ssh_verifies: Ask) -> None:
    key = SoftKey(kind)
    armour = key.sign(b"decision", NAMESPACE)
    verify_with(key.public, b"decision", armour, NAMESPACE)
    allowed = f'alice namespaces="{NAMESPACE}" {key.public.line}\n'
    assert ssh_verifies(allowed, b"decision", armour, NAMESPACE, "alice")
    assert not ssh_verifies(allowed, b"another", armour, NAMESPACE, "alice")


def test_ssh_keygen_signatures_of_an_ecdsa_key_verify_here(ssh_keygen: str, tmp_path: Path) -> None:
    path = tmp_path / "ec"
    made = [ssh_keygen, "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", str(path)]
    subprocess.run(made, check=True)
    from nightledger.trust.sshkey import parse_public_line

    public = parse_public_line(path.with_suffix(".pub").read_text())
    armour = KeygenSigner(path=str(path), public_key=public, program=ssh_keygen).sign(b"decision", NAMESPACE)
    verify_with(public, b"decision", armour, NAMESPACE)
    with pytest.raises(SignatureError):
        verify_with(public, b"another decision", armour, NAMESPACE)


def test_ssh_keygen_can_sign_for_us(ssh_keygen: str, tmp_path: Path) -> None:
    path = key_file(tmp_path)
    outside = KeygenSigner(path=str(path), public_key=signer().public_key, program=ssh_keygen)
    assert outside.sign(b"decision", NAMESPACE) == signer().sign(b"decision", NAMESPACE)


def test_a_signature_by_another_key_than_was_asked_for_is_refused(ssh_keygen: str, tmp_path: Path) -> None:
    outside = KeygenSigner(path=str(key_file(tmp_path)), public_key=signer(2).public_key, program=ssh_keygen)
    with pytest.raises(SignatureError, match="the signature is by SHA256"):
        outside.sign(b"decision", NAMESPACE)


def test_what_ssh_keygen_says_is_passed_on(ssh_keygen: str, tmp_path: Path) -> None:
    outside = KeygenSigner(path=str(tmp_path / "none"), public_key=signer().public_key, program=ssh_keygen)
    with pytest.raises(SignatureError, match=r"did not sign: .*none"):
        outside.sign(b"decision", NAMESPACE)


def test_a_missing_ssh_keygen_is_a_clear_error(tmp_path: Path) -> None:
    outside = KeygenSigner(path="key", public_key=signer().public_key, program=str(tmp_path / "no-such"))
    with pytest.raises(ConfigurationError, match="is not installed") as caught:
        outside.sign(b"decision", NAMESPACE)
    assert "OpenSSH" in caught.value.hint


def test_a_touch_that_never_comes_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = tmp_path / "waits"
    waits.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    waits.chmod(0o700)
    monkeypatch.setattr(sshsig, "_SIGN_TIMEOUT_S", 0.2)
    outside = KeygenSigner(path="key", public_key=signer().public_key, program=str(waits))
    with pytest.raises(SignatureError, match="did not sign within"):
        outside.sign(b"decision", NAMESPACE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hash_algorithm", ["sha256", "sha512"])
def test_signatures_are_taken_apart(kind: str, hash_algorithm: str) -> None:
    key = SoftKey(kind)
    signature = parse_signature(key.sign(b"m", NAMESPACE, hash_algorithm=hash_algorithm))
    assert (signature.key, signature.namespace) == (key.public, NAMESPACE)
    assert signature.hash_algorithm == hash_algorithm
    assert (signature.flags, signature.counter) == ((1, 41) if key.is_hardware else (0, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_another_message_key_or_namespace_is_refused(kind: str) -> None:
    key = SoftKey(kind)
    armour = key.sign(b"m", NAMESPACE)
    with pytest.raises(SignatureError, match="does not hold over these bytes"):
        verify_with(key.public, b"n", armour, NAMESPACE)
    with pytest.raises(SignatureError, match="the signature is by"):
        verify_with(SoftKey(kind, seed=2).public, b"m", armour, NAMESPACE)
    with pytest.raises(SignatureError, match="was made for 'nightledger-decision@v1', not 'file'"):
        verify_with(key.public, b"m", armour, "file")


@pytest.mark.parametrize("kind", KINDS[2:])
def test_a_hardware_key_must_have_been_touched(kind: str) -> None:
    key = SoftKey(kind, flags=0)
    with pytest.raises(SignatureError, match="not touched"):
        verify_with(key.public, b"m", key.sign(b"m", NAMESPACE), NAMESPACE)


@pytest.mark.parametrize("kind", KINDS[2:])
def test_touch_counter_and_application_are_signed(kind: str) -> None:
    key = SoftKey(kind)
    untouched = SoftKey(kind, flags=0)
    tail = bytes([1]) + key.counter.to_bytes(4, "big")
    raw = sshsig._unarmour(untouched.sign(b"m", NAMESPACE))
    forged = sshsig._armour(raw[:-5] + tail)
    with pytest.raises(SignatureError, match="does not hold"):
        verify_with(key.public, b"m", forged, NAMESPACE)
    other = SoftKey(kind, application=b"ssh:other")
    with pytest.raises(SignatureError, match="the signature is by"):
        verify_with(other.public, b"m", key.sign(b"m", NAMESPACE), NAMESPACE)


@given(at=st.integers(min_value=0), bit=st.integers(min_value=0, max_value=7))
def test_any_flipped_bit_of_a_signature_is_refused(at: int, bit: int) -> None:
    raw = bytearray(sshsig._unarmour(signer().sign(b"m", NAMESPACE)))
    raw[at % len(raw)] ^= 1 << bit
    with pytest.raises(SignatureError):
        verify_with(signer().public_key, b"m", sshsig._armour(bytes(raw)), NAMESPACE)


def test_bytes_behind_a_signature_are_refused() -> None:
    raw = sshsig._unarmour(signer().sign(b"m", NAMESPACE))
    for tail in (b"\0", wire_string(b"more")):
        with pytest.raises(SignatureError, match="malformed"):
            verify_with(signer().public_key, b"m", sshsig._armour(raw + tail), NAMESPACE)


def craft(
    *,
    magic: bytes = b"SSHSIG\0\0\0\1",
    reserved: bytes = b"",
    hash_name: bytes = b"sha512",
    kind: bytes = b"",
    behind: bytes = b"",
) -> str:
    signed = signer().private.sign(signed_bytes(b"m", NAMESPACE, "sha512"))
    wrapped = wire_string(kind or b"ssh-ed25519") + wire_string(signed) + behind
    fields = (signer().public_key.blob, NAMESPACE.encode(), reserved, hash_name, wrapped)
    return sshsig._armour(magic + b"".join(map(wire_string, fields)))


def test_the_crafted_signature_is_good_before_it_is_bent() -> None:
    verify_with(signer().public_key, b"m", craft(), NAMESPACE)


@each_row(
    ("armour", "message"),
    [
        (craft(magic=b"SSHSIG\0\0\0\2"), "version 1"),
        (craft(magic=b"SSHSIC\0\0\0\1"), "version 1"),
        (craft(reserved=b"x"), "not understood"),
        (craft(hash_name=b"sha1"), "not understood"),
        (craft(hash_name=b"\xff"), "malformed"),
        (craft(kind=b"ssh-rsa"), "of the kind 'ssh-rsa'"),
        (craft(kind=b"k" * 50), f"of the kind '{'k' * 40}' by"),
        (craft(behind=b"\0"), "malformed"),
        (craft(kind=b"sk-ssh-ed25519@openssh.com"), "by a key of the kind 'ssh-ed25519'"),
        ("", "not an armoured"),
        ("-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n", "not an armoured"),
        ("-----BEGIN SSH SIGNATURE-----\n!!!!\n-----END SSH SIGNATURE-----\n", "base64 is damaged"),
        ("-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n", "too early"),
        (craft().replace("-----BEGIN SSH", "-----BEGIN PGP"), "not an armoured"),
        (craft().rstrip().removesuffix("-----"), "not an armoured"),
        ("x" * 20_000, "not an armoured"),
    ],
)
def test_what_is_nearly_a_signature_is_refused(armour: str, message: str) -> None:
    with pytest.raises(SignatureError, match=message):
        parse_signature(armour)


def test_an_rsa_signature_is_refused_by_its_key() -> None:
    fields = (
        wire_string(b"ssh-rsa") + b"rest",
        NAMESPACE.encode(),
        b"",
        b"sha512",
        wire_string(b"rsa-sha2-512"),
    )
    with pytest.raises(SignatureError, match="'ssh-rsa' are refused"):
        parse_signature(sshsig._armour(b"SSHSIG\0\0\0\1" + b"".join(map(wire_string, fields))))

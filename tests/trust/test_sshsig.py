import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.rows import each_row
from tests.trust.ssh_keys import KINDS, SoftKey

from nightledger.domain.errors import ConfigurationError
from nightledger.trust import sshsig
from nightledger.trust.note import decode_base64, encode_base64

NAMESPACE = "nightledger-decision@v1"
Ask = Callable[[str, bytes, str, str, str], bool]


def signer(seed: int = 1) -> sshsig.KeySigner:
    return sshsig.KeySigner(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


def key_file(directory: Path, seed: int = 1) -> Path:
    path = directory / f"key{seed}"
    path.write_bytes(signer(seed).private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    path.chmod(0o600)
    return path


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
    sshsig.verify_with(key.public, b"decision", armour, NAMESPACE)
    allowed = f'alice namespaces="{NAMESPACE}" {key.public.line}\n'
    assert ssh_verifies(allowed, b"decision", armour, NAMESPACE, "alice")
    assert not ssh_verifies(allowed, b"another", armour, NAMESPACE, "alice")


def test_a_signature_by_another_key_than_was_asked_for_is_refused(ssh_keygen: str, tmp_path: Path) -> None:
    outside = sshsig.KeygenSigner(
        path=str(key_file(tmp_path)), public_key=signer(2).public_key, program=ssh_keygen
    )
    with pytest.raises(sshsig.SignatureError, match="the signature is by SHA256"):
        outside.sign(b"decision", NAMESPACE)


def test_a_key_that_is_gone_and_in_no_agent_is_named_with_the_next_step(
    ssh_keygen: str, tmp_path: Path
) -> None:
    path = key_file(tmp_path)
    (public := path.with_suffix(".pub")).write_text(f"{signer().public_key.line}\n")
    path.unlink()
    outside = sshsig.KeygenSigner(path=str(public), public_key=signer().public_key, program=ssh_keygen)
    with pytest.raises(sshsig.SignatureError, match="did not sign") as caught:
        outside.sign(b"decision", NAMESPACE)
    assert f"beside {public}, or load it: ssh-add" in caught.value.hint


def test_a_missing_ssh_keygen_is_a_clear_error(tmp_path: Path) -> None:
    outside = sshsig.KeygenSigner(
        path="key", public_key=signer().public_key, program=str(tmp_path / "no-such")
    )
    with pytest.raises(ConfigurationError, match="is not installed") as caught:
        outside.sign(b"decision", NAMESPACE)
    assert "OpenSSH" in caught.value.hint


def test_a_touch_that_never_comes_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = tmp_path / "waits"
    waits.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    waits.chmod(0o700)
    monkeypatch.setattr(sshsig, "_SIGN_TIMEOUT_S", 0.2)
    outside = sshsig.KeygenSigner(path="key", public_key=signer().public_key, program=str(waits))
    with pytest.raises(sshsig.SignatureError, match="did not sign within"):
        outside.sign(b"decision", NAMESPACE)


# ------------------------------------------------------------ keys, and the encodings below them


def test_fingerprints_are_those_of_ssh_keygen(ssh_keygen: str, tmp_path: Path) -> None:
    for kind in KINDS:
        key = SoftKey(kind).public
        (tmp_path / "k.pub").write_text(key.line + "\n")
        shown = subprocess.run(
            [ssh_keygen, "-l", "-f", str(tmp_path / "k.pub")], capture_output=True, check=True
        )
        assert key.fingerprint in shown.stdout.decode().split()


# RFC 4251 section 5
@each_row(("value", "raw"), [(0x9A378F9B2E332A7, "0000000809a378f9b2e332a7"), (0x80, "000000020080")])
def test_the_published_numbers_hold(value: int, raw: str) -> None:
    assert sshsig.WireReader(bytes.fromhex(raw)).mpint() == value


@each_row("raw", ["", "00000000", "0000000100", "00000001ff", "00000002007f", "0000000300007f"])
def test_zero_negative_padded_or_missing_numbers_are_refused(raw: str) -> None:
    with pytest.raises(sshsig.WireError):
        sshsig.WireReader(bytes.fromhex(raw)).mpint()


# RFC 4648 section 10
@each_row(("raw", "text"), [(b"", ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foobar", "Zm9vYmFy")])
def test_the_published_pairs_hold(raw: bytes, text: str) -> None:
    assert encode_base64(raw) == text
    assert decode_base64(text) == raw

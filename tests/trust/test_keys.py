import base64
import stat
import subprocess
from pathlib import Path

import pytest
from tests.trust.worlds import HOME_ID

from nightledger.trust import keys
from nightledger.trust.note import has_mldsa
from nightledger.trust.sshsig import verify_with


@pytest.fixture
def ring(tmp_path: Path) -> keys.KeyRing:
    return keys.KeyRing(tmp_path / "keys")


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in (directory, *directory.iterdir())}


def test_private_keys_are_0600_in_directories_of_0700(ring: keys.KeyRing) -> None:
    keys.create_log_keys(ring, HOME_ID)
    keys.create_operator_key(ring, HOME_ID, passphrase=None)
    keys.create_machine_key(ring, HOME_ID)
    found = modes(ring.home_dir(HOME_ID))
    assert found.pop(HOME_ID) == 0o700
    assert (found.pop("operator.pub"), found.pop("machine-ed25519.pub")) == (0o644, 0o644)
    expected = {"log-ed25519", "operator", "machine-ed25519"} | ({"log-mldsa44"} if has_mldsa() else set())
    assert found == dict.fromkeys(expected, 0o600)


def test_a_run_cut_short_between_the_two_files_is_finished(ring: keys.KeyRing) -> None:
    first = keys.create_operator_key(ring, HOME_ID, passphrase=b"open sesame", comment="alice")
    public = keys.operator_key_path(ring, HOME_ID).with_name("operator.pub")
    text = public.read_text()
    public.unlink()
    assert keys.create_operator_key(ring, HOME_ID, passphrase=None, comment="alice") == first
    assert public.read_text() == text


def test_ssh_keygen_uses_the_operator_key_as_it_is(ring: keys.KeyRing, ssh_keygen: str) -> None:
    public = keys.create_operator_key(ring, HOME_ID, passphrase=b"open sesame")
    path = str(keys.operator_key_path(ring, HOME_ID))
    shown = subprocess.run(
        [ssh_keygen, "-y", "-P", "open sesame", "-f", path], capture_output=True, check=True
    )
    assert shown.stdout.decode().split()[:2] == public.line.split()[:2]


def test_keys_made_by_ssh_keygen_are_used_as_they_are(ssh_keygen: str, tmp_path: Path) -> None:
    for name, passphrase in (("open", ""), ("locked", "open sesame")):
        path = tmp_path / name
        made = [ssh_keygen, "-q", "-t", "ed25519", "-N", passphrase, "-C", "alice", "-f", str(path)]
        subprocess.run(made, check=True)
        assert keys.needs_passphrase(path) == bool(passphrase)
        signer = keys.load_operator_key(path, passphrase=passphrase.encode() or None)
        assert signer.public_key == keys.public_key_of(path) == keys.public_key_of(path.with_suffix(".pub"))


def test_a_key_of_another_kind_is_signed_with_through_ssh_keygen(ssh_keygen: str, tmp_path: Path) -> None:
    path = tmp_path / "ec"
    subprocess.run([ssh_keygen, "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", str(path)], check=True)
    with pytest.raises(keys.KeyFileError, match="is not an Ed25519 key") as caught:
        keys.load_operator_key(path)
    assert "ssh-keygen" in caught.value.hint
    signer = keys.keygen_signer(path, program=ssh_keygen)
    verify_with(signer.public_key, b"m", signer.sign(b"m", "n"), "n")


def test_a_key_file_with_an_unknown_cipher_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one"
    keys.create_key_at(path, passphrase=None, comment="")
    begin, *body, end = path.read_text().splitlines()
    packed = base64.b64decode("".join(body)).replace(b"\0\0\0\x04none", b"\0\0\0\x04nine", 1)
    path.write_text("\n".join((begin, base64.b64encode(packed).decode(), end, "")))
    with pytest.raises(keys.KeyFileError, match="could not be opened"):
        keys.load_operator_key(path, passphrase=b"x")

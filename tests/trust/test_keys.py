import base64
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.trust.ssh_keys import SoftKey
from tests.trust.worlds import HOME_ID, NOW, ORIGIN

from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.trust import keys
from nightledger.trust.cosignature import has_mldsa
from nightledger.trust.keys import (
    KeyFileError,
    KeyRing,
    create_log_keys,
    create_machine_key,
    create_operator_key,
    keygen_signer,
    load_log_key,
    load_operator_key,
    needs_passphrase,
    operator_key_path,
    public_key_of,
)
from nightledger.trust.sshsig import verify_with

needs_mldsa = pytest.mark.skipif(not has_mldsa(), reason="this platform's cryptography has no ML-DSA")


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    return KeyRing(tmp_path / "keys")


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in (directory, *directory.iterdir())}


def test_private_keys_are_0600_in_directories_of_0700(ring: KeyRing) -> None:
    create_log_keys(ring, HOME_ID)
    create_operator_key(ring, HOME_ID, passphrase=None)
    create_machine_key(ring, HOME_ID)
    found = modes(ring.home_dir(HOME_ID))
    assert found.pop(HOME_ID) == 0o700
    assert (found.pop("operator.pub"), found.pop("machine-ed25519.pub")) == (0o644, 0o644)
    expected = {"log-ed25519", "operator", "machine-ed25519"} | ({"log-mldsa44"} if has_mldsa() else set())
    assert found == dict.fromkeys(expected, 0o600)


@pytest.mark.parametrize("home_id", ["", "..", "../" * 10 + "aa", "AB" * 16, "ab" * 15, "ab" * 17])
def test_what_is_not_a_home_id_names_no_directory(ring: KeyRing, home_id: str) -> None:
    with pytest.raises(ConfigurationError, match="32 hex digits"):
        ring.home_dir(home_id)


def test_the_log_key_is_the_same_after_loading_and_is_never_overwritten(ring: KeyRing) -> None:
    create_log_keys(ring, HOME_ID)
    first = load_log_key(ring, HOME_ID, ORIGIN)
    create_log_keys(ring, HOME_ID)
    assert load_log_key(ring, HOME_ID, ORIGIN).vkeys == first.vkeys
    assert first.directory == ring.home_dir(HOME_ID)
    assert [signer.name for signer in first.signers(NOW)] == [ORIGIN] * len(first.vkeys)


@needs_mldsa
def test_the_ml_dsa_key_is_kept_as_its_seed(ring: KeyRing) -> None:
    create_log_keys(ring, HOME_ID)
    assert ring.path(HOME_ID, keys.LOG_MLDSA44).stat().st_size < 200  # 32 bytes of seed, not 2,560 of key


@needs_mldsa
def test_without_the_ml_dsa_file_checkpoints_are_ed25519_only(ring: KeyRing) -> None:
    create_log_keys(ring, HOME_ID)
    ring.path(HOME_ID, keys.LOG_MLDSA44).unlink()
    key = load_log_key(ring, HOME_ID, ORIGIN)
    assert (len(key.vkeys), len(key.signers(NOW))) == (1, 1)


def test_a_platform_without_ml_dsa_makes_and_loads_ed25519_only(
    ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    create_log_keys(ring, HOME_ID)
    assert not ring.path(HOME_ID, keys.LOG_MLDSA44).exists()
    assert len(load_log_key(ring, HOME_ID, ORIGIN).vkeys) == 1


def test_a_missing_log_key_names_the_file_and_the_way_back(ring: KeyRing) -> None:
    with pytest.raises(KeyFileError, match=r"log-ed25519 is missing") as caught:
        load_log_key(ring, HOME_ID, ORIGIN)
    assert "NIGHTLEDGER_KEYS" in caught.value.hint


@needs_mldsa
def test_keys_in_each_others_places_are_refused(ring: KeyRing) -> None:
    create_log_keys(ring, HOME_ID)
    ed25519, mldsa = ring.path(HOME_ID, keys.LOG_ED25519), ring.path(HOME_ID, keys.LOG_MLDSA44)
    contents = ed25519.read_bytes(), mldsa.read_bytes()
    mldsa.write_bytes(contents[0])
    with pytest.raises(KeyFileError, match="is not an ML-DSA-44 key"):
        load_log_key(ring, HOME_ID, ORIGIN)
    ed25519.write_bytes(contents[1])
    with pytest.raises(KeyFileError, match="is not an Ed25519 key"):
        load_log_key(ring, HOME_ID, ORIGIN)


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_log_key_is_a_clear_error(ring: KeyRing, content: bytes) -> None:
    create_log_keys(ring, HOME_ID)
    ring.path(HOME_ID, keys.LOG_ED25519).write_bytes(content)
    with pytest.raises(KeyFileError, match="is not a private key"):
        load_log_key(ring, HOME_ID, ORIGIN)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o620])
def test_a_key_that_others_may_read_or_write_is_refused(ring: KeyRing, mode: int) -> None:
    create_operator_key(ring, HOME_ID, passphrase=None)
    path = operator_key_path(ring, HOME_ID)
    path.chmod(mode)
    with pytest.raises(KeyFileError, match="others may read") as caught:
        load_operator_key(path)
    assert caught.value.hint.startswith("chmod 600")


def test_a_key_of_another_user_is_refused(ring: KeyRing, monkeypatch: pytest.MonkeyPatch) -> None:
    create_operator_key(ring, HOME_ID, passphrase=None)
    path = operator_key_path(ring, HOME_ID)
    if os.geteuid() == 0:
        os.chown(path, 12_345, 12_345)
    else:
        uid = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: uid)
    with pytest.raises(KeyFileError, match="belongs to another user"):
        load_operator_key(path)


def test_a_key_behind_a_link_is_refused(ring: KeyRing, tmp_path: Path) -> None:
    create_operator_key(ring, HOME_ID, passphrase=None)
    link = tmp_path / "link"
    link.symlink_to(operator_key_path(ring, HOME_ID))
    with pytest.raises(NightledgerError):
        load_operator_key(link)


def test_an_operator_key_is_never_overwritten(ring: KeyRing) -> None:
    first = create_operator_key(ring, HOME_ID, passphrase=None)
    with pytest.raises(KeyFileError, match="a key is never overwritten"):
        create_operator_key(ring, HOME_ID, passphrase=None)
    assert public_key_of(operator_key_path(ring, HOME_ID)) == first


def test_a_run_cut_short_between_the_two_files_is_finished(ring: KeyRing) -> None:
    first = create_operator_key(ring, HOME_ID, passphrase=b"open sesame", comment="alice")
    public = operator_key_path(ring, HOME_ID).with_name("operator.pub")
    text = public.read_text()
    public.unlink()
    assert create_operator_key(ring, HOME_ID, passphrase=None, comment="alice") == first
    assert public.read_text() == text


@pytest.mark.parametrize("passphrase", [None, b"open sesame", "Schlüssel".encode()])
def test_an_operator_key_signs_after_loading(ring: KeyRing, passphrase: bytes | None) -> None:
    public = create_operator_key(ring, HOME_ID, passphrase=passphrase, comment="alice@ops")
    path = operator_key_path(ring, HOME_ID)
    assert needs_passphrase(path) == bool(passphrase)
    assert public_key_of(path) == public_key_of(path.with_name("operator.pub")) == public
    assert public_key_of(path.with_name("operator.pub")).comment == "alice@ops"
    signer = load_operator_key(path, passphrase=passphrase)
    verify_with(public, b"m", signer.sign(b"m", "n"), "n")


def test_a_wrong_or_missing_passphrase_is_a_clear_error(ring: KeyRing) -> None:
    create_operator_key(ring, HOME_ID, passphrase=b"open sesame")
    path = operator_key_path(ring, HOME_ID)
    with pytest.raises(KeyFileError, match="could not be opened") as caught:
        load_operator_key(path, passphrase=b"sesame")
    assert "passphrase" in caught.value.hint
    for missing in (None, b""):
        with pytest.raises(KeyFileError, match="needs its passphrase"):
            load_operator_key(path, passphrase=missing)


def test_a_passphrase_for_an_open_key_does_no_harm(ring: KeyRing) -> None:
    made = create_operator_key(ring, HOME_ID, passphrase=None)
    loaded = load_operator_key(operator_key_path(ring, HOME_ID), passphrase=b"whatever")
    assert loaded.public_key == made


def test_ssh_keygen_uses_the_operator_key_as_it_is(ring: KeyRing, ssh_keygen: str) -> None:
    public = create_operator_key(ring, HOME_ID, passphrase=b"open sesame")
    path = str(operator_key_path(ring, HOME_ID))
    shown = subprocess.run(
        [ssh_keygen, "-y", "-P", "open sesame", "-f", path], capture_output=True, check=True
    )
    assert shown.stdout.decode().split()[:2] == public.line.split()[:2]


def test_keys_made_by_ssh_keygen_are_used_as_they_are(ssh_keygen: str, tmp_path: Path) -> None:
    for name, passphrase in (("open", ""), ("locked", "open sesame")):
        path = tmp_path / name
        made = [ssh_keygen, "-q", "-t", "ed25519", "-N", passphrase, "-C", "alice", "-f", str(path)]
        subprocess.run(made, check=True)
        assert needs_passphrase(path) == bool(passphrase)
        signer = load_operator_key(path, passphrase=passphrase.encode() or None)
        assert signer.public_key == public_key_of(path) == public_key_of(path.with_suffix(".pub"))


def test_a_key_of_another_kind_is_signed_with_through_ssh_keygen(ssh_keygen: str, tmp_path: Path) -> None:
    path = tmp_path / "ec"
    subprocess.run([ssh_keygen, "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", str(path)], check=True)
    with pytest.raises(KeyFileError, match="is not an Ed25519 key") as caught:
        load_operator_key(path)
    assert "ssh-keygen" in caught.value.hint
    signer = keygen_signer(path, program=ssh_keygen)
    verify_with(signer.public_key, b"m", signer.sign(b"m", "n"), "n")


def test_a_pub_file_names_a_key_that_an_agent_or_token_holds(tmp_path: Path) -> None:
    token = SoftKey("sk-ssh-ed25519@openssh.com").public
    path = tmp_path / "token.pub"
    path.write_text(token.line + "\n")
    assert keygen_signer(path).public_key == token


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjIAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB\n-----END OPENSSH PRIVATE KEY-----\n",
        b"\xff" * 100,
    ],
)
def test_what_is_no_openssh_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ConfigurationError):
        needs_passphrase(path)


def test_a_key_file_that_names_another_key_than_it_holds_is_refused(tmp_path: Path) -> None:
    for name in ("one", "other"):
        keys.create_key_at(tmp_path / name, passphrase=None, comment="")
    path, public = tmp_path / "one", public_key_of(tmp_path / "other").blob
    begin, *body, end = path.read_text().splitlines()
    packed = base64.b64decode("".join(body)).replace(public_key_of(path).blob[-32:], public[-32:])
    path.write_text("\n".join((begin, base64.b64encode(packed).decode(), end, "")))
    with pytest.raises(KeyFileError, match="another key than it holds"):
        load_operator_key(path)


def test_a_key_file_with_an_unknown_cipher_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one"
    keys.create_key_at(path, passphrase=None, comment="")
    begin, *body, end = path.read_text().splitlines()
    packed = base64.b64decode("".join(body)).replace(b"\0\0\0\x04none", b"\0\0\0\x04nine", 1)
    path.write_text("\n".join((begin, base64.b64encode(packed).decode(), end, "")))
    with pytest.raises(KeyFileError, match="could not be opened"):
        load_operator_key(path, passphrase=b"x")

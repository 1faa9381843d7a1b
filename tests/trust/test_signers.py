import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.faults.crash_disk import Crash, crashes
from tests.faults.crash_watch import same, watching
from tests.trust.ssh_keys import KINDS, SoftKey
from tests.trust.worlds import HOME_ID

from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.trust import signers as signing
from nightledger.trust.keys import KeyRing, create_operator_key, public_key_of
from nightledger.trust.sshsig import PublicKey

NAMESPACE = "nightledger-decision@v1"


def test_ssh_keygen_reads_the_files_that_we_write(ssh_keygen: str, tmp_path: Path) -> None:
    signers = tuple(
        signing.AllowedSigner(
            principals=(f"p{number}",),
            key=SoftKey(kind, seed=9).public,
            namespaces=(NAMESPACE,),
            valid_after=datetime(2020, 1, 1, tzinfo=UTC),
            valid_before=datetime(2099, 1, 1, tzinfo=UTC),
        )
        for number, kind in enumerate(KINDS)
    )
    (tmp_path / "allowed").write_text(signing.dump_allowed_signers(signers))
    for number, kind in enumerate(KINDS):
        (tmp_path / "sig").write_text(SoftKey(kind, seed=9).sign(b"m", NAMESPACE))
        command = [
            ssh_keygen,
            "-Y",
            "find-principals",
            "-f",
            str(tmp_path / "allowed"),
            "-s",
            str(tmp_path / "sig"),
        ]
        found = subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()
        assert found == f"p{number}"


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    made = KeyRing(tmp_path / "keys")
    create_operator_key(made, HOME_ID, passphrase=None)
    return made


def key(ring: KeyRing, name: str) -> PublicKey:
    return public_key_of(ring.path(HOME_ID, name))


def names(ring: KeyRing) -> set[str]:
    return {path.name for path in ring.home_dir(HOME_ID).iterdir()}


def test_whatever_a_crash_leaves_of_a_take_over_no_key_is_lost_and_the_next_run_finishes(
    ring: KeyRing, tmp_path: Path
) -> None:
    old, new = key(ring, "operator"), signing.create_next(ring, HOME_ID, passphrase=None, comment="next")
    with watching(ring.directory) as watch:
        signing.take_over(ring, HOME_ID, new, "then")
    assert same(watch.disk, ring.directory), "a change of the disk went by unseen"
    for number, crash in enumerate(crashes(watch.start, watch.steps)):
        left = made(crash, tmp_path / f"{number}")
        assert {old.blob, new.blob} <= private_keys(left), crash.how
        assert {"operator", "operator.pub"} & names(left), crash.how
        signing.mend(left, HOME_ID, {new.blob}, "later")
        assert key(left, "operator") == key(left, "operator.pub") == new, crash.how
        another = signing.create_next(left, HOME_ID, passphrase=None, comment="another")
        assert key(left, "operator.next.pub") == another


def test_a_take_over_is_on_disk_when_it_returns(ring: KeyRing, tmp_path: Path) -> None:
    new = signing.create_next(ring, HOME_ID, passphrase=None, comment="next")
    with watching(ring.directory) as watch:
        signing.take_over(ring, HOME_ID, new, "then")
        expected = names(ring)
        Path(ring.directory, "done").touch()  # a step after it, itself at risk
    for number, crash in enumerate(crashes(watch.start, watch.steps)):
        if crash.at == len(watch.steps):
            left = made(crash, tmp_path / f"{number}")
            assert (names(left), key(left, "operator.pub")) == (expected, new), crash.how


def test_whatever_a_crash_leaves_of_a_take_back_no_key_is_lost(ring: KeyRing, tmp_path: Path) -> None:
    good, reset = key(ring, "operator"), signing.create_next(ring, HOME_ID, passphrase=None, comment="reset")
    signing.take_over(ring, HOME_ID, reset, "then")
    kept = signing.find_kept(ring, HOME_ID, {good.blob})
    assert kept is not None
    with watching(ring.directory) as watch:
        signing.take_back(ring, HOME_ID, kept, "later")
        Path(ring.directory, "done").touch()
    for number, crash in enumerate(crashes(watch.start, watch.steps)):
        left = made(crash, tmp_path / f"{number}")
        assert {good.blob, reset.blob} <= private_keys(left), crash.how
        if crash.at == len(watch.steps):
            assert key(left, "operator") == key(left, "operator.pub") == good, crash.how
            continue
        signing.mend(left, HOME_ID, {good.blob}, "mended")
        found = signing.find_kept(left, HOME_ID, {good.blob})
        if found is not None:  # else the good key has its place again already
            signing.take_back(left, HOME_ID, found, "again")
        assert key(left, "operator") == good, crash.how
        assert {good.blob, reset.blob} <= private_keys(left), crash.how


def made(crash: Crash, root: Path) -> KeyRing:
    """Give the keys that a crash left."""
    root.mkdir()
    crash.disk.write_to(root)
    return KeyRing(root)


def private_keys(ring: KeyRing) -> set[bytes]:
    """Give the public blob of every private key that has a name."""
    paths = ring.home_dir(HOME_ID).iterdir()
    return {
        public_key_of(path).blob for path in paths if path.suffix != ".pub" and TEMP_SUFFIX not in path.name
    }

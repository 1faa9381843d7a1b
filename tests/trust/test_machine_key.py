"""A machine's key, and the next one."""

from pathlib import Path

import pytest

from nightledger.remote.machine_key import load_machine_key, machine_public_key, take_over
from nightledger.trust.keys import KeyFileError, KeyRing
from nightledger.trust.sshkey import verify_raw

HOME = "0123456789abcdef0123456789abcdef"


def test_a_key_is_made_once_and_signs_what_its_public_side_verifies(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    made = machine_public_key(ring, HOME)
    assert machine_public_key(ring, HOME) == made
    key = load_machine_key(ring, HOME)
    assert key.public_key == made
    assert verify_raw(made, key.sign_bytes(b"x"), b"x")
    assert (tmp_path / HOME / "machine-ed25519").stat().st_mode & 0o777 == 0o600


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="missing"):
        load_machine_key(KeyRing(tmp_path), HOME)


def test_the_next_key_waits_beside_the_present_one_until_it_takes_over(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    first = machine_public_key(ring, HOME)
    coming = machine_public_key(ring, HOME, coming=True)
    assert coming != first
    assert machine_public_key(ring, HOME, coming=True) == coming
    assert load_machine_key(ring, HOME).public_key == first
    assert take_over(ring, HOME) == coming
    assert load_machine_key(ring, HOME).public_key == coming
    assert sorted(path.name for path in (tmp_path / HOME).iterdir()) == [
        "machine-ed25519",
        "machine-ed25519.old",
        "machine-ed25519.old.pub",
        "machine-ed25519.pub",
    ]


def test_a_take_over_that_was_cut_short_is_finished(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    machine_public_key(ring, HOME)
    coming = machine_public_key(ring, HOME, coming=True)
    directory = tmp_path / HOME
    (directory / "machine-ed25519").rename(directory / "machine-ed25519.old")
    assert take_over(ring, HOME) == coming


def test_without_a_next_key_nothing_takes_over(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    first = machine_public_key(ring, HOME)
    with pytest.raises(KeyFileError, match=r"machine-ed25519\.next is missing"):
        take_over(ring, HOME)
    assert load_machine_key(ring, HOME).public_key == first


def test_a_public_file_that_is_missing_hinders_nothing(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    machine_public_key(ring, HOME)
    coming = machine_public_key(ring, HOME, coming=True)
    (tmp_path / HOME / "machine-ed25519.pub").unlink()
    assert take_over(ring, HOME) == coming

"""One operator's key takes over from another, and no step of it loses a key."""

from pathlib import Path

import pytest
from tests.faults.crash_disk import Crash, crashes
from tests.faults.crash_watch import same, watching
from tests.trust.worlds import HOME_ID

from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.trust import operator_keys
from nightledger.trust.keys import KeyRing, create_key_at, create_operator_key, public_key_of
from nightledger.trust.operator_keys import create_next, find_kept, mend, next_key, take_back, take_over
from nightledger.trust.sshkey import PublicKey


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    made = KeyRing(tmp_path / "keys")
    create_operator_key(made, HOME_ID, passphrase=None)
    return made


def key(ring: KeyRing, name: str) -> PublicKey:
    return public_key_of(ring.path(HOME_ID, name))


def names(ring: KeyRing) -> set[str]:
    return {path.name for path in ring.home_dir(HOME_ID).iterdir()}


def test_the_next_key_is_made_once(ring: KeyRing) -> None:
    assert next_key(ring, HOME_ID) is None
    made = create_next(ring, HOME_ID, passphrase=None, comment="next")
    assert (
        create_next(ring, HOME_ID, passphrase=b"another", comment="again") == made == next_key(ring, HOME_ID)
    )


def test_the_old_key_keeps_a_name_and_the_new_one_takes_its_place(ring: KeyRing) -> None:
    old, new = key(ring, "operator"), create_next(ring, HOME_ID, passphrase=None, comment="next")
    kept = take_over(ring, HOME_ID, new, "then")
    assert [Path(path).name for path in kept] == ["operator.before-then", "operator.before-then.pub"]
    assert key(ring, "operator") == key(ring, "operator.pub") == new
    assert key(ring, "operator.before-then") == old
    assert names(ring) == {"operator", "operator.pub", "operator.before-then", "operator.before-then.pub"}
    assert ring.path(HOME_ID, "operator.pub").stat().st_mode & 0o777 == 0o644
    assert ring.path(HOME_ID, "operator").stat().st_mode & 0o777 == 0o600


def test_a_key_that_is_elsewhere_leaves_only_its_public_side(ring: KeyRing, tmp_path: Path) -> None:
    token = create_key_at(tmp_path / "token", passphrase=None, comment="token")
    take_over(ring, HOME_ID, token, "then")
    assert "operator" not in names(ring)
    assert key(ring, "operator.pub") == token


def test_where_there_was_no_key_nothing_is_kept(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "none")
    new = create_next(ring, HOME_ID, passphrase=None, comment="next")
    assert take_over(ring, HOME_ID, new, "then") == ()
    assert names(ring) == {"operator", "operator.pub"}


def test_a_second_take_over_in_one_second_overwrites_nothing(ring: KeyRing) -> None:
    held = []
    for _ in range(3):
        held.append(key(ring, "operator"))
        take_over(ring, HOME_ID, create_next(ring, HOME_ID, passphrase=None, comment="next"), "then")
    kept = ("operator.before-then", "operator.before-then-1", "operator.before-then-2")
    assert [key(ring, name) for name in kept] == held
    assert [key(ring, f"{name}.pub") for name in kept] == held


def test_a_key_that_waits_takes_over_only_once_it_may_sign(ring: KeyRing) -> None:
    new = create_next(ring, HOME_ID, passphrase=None, comment="next")
    mend(ring, HOME_ID, {b"another"}, "then")
    assert key(ring, "operator") != new
    mend(ring, HOME_ID, {new.blob}, "then")
    assert key(ring, "operator") == new
    before = names(ring)
    mend(ring, HOME_ID, {new.blob}, "later")
    assert names(ring) == before


def test_a_missing_public_side_is_left_to_the_command_that_makes_it(ring: KeyRing) -> None:
    ring.path(HOME_ID, "operator.pub").unlink()
    mend(ring, HOME_ID, set(), "then")
    assert names(ring) == {"operator"}


def test_a_crash_between_the_two_files_is_mended(ring: KeyRing, monkeypatch: pytest.MonkeyPatch) -> None:
    old = key(ring, "operator")
    new = create_next(ring, HOME_ID, passphrase=None, comment="next")
    with monkeypatch.context() as patch:
        patch.setattr(operator_keys, "replace_file", _die)
        with pytest.raises(KeyboardInterrupt):
            take_over(ring, HOME_ID, new, "then")
    assert key(ring, "operator") == new
    assert key(ring, "operator.pub") != new
    mend(ring, HOME_ID, {new.blob}, "then")
    assert key(ring, "operator.pub") == new
    assert key(ring, "operator.before-then") == old


def test_a_crash_after_the_old_key_got_its_name_keeps_one_copy(
    ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = create_next(ring, HOME_ID, passphrase=None, comment="next")
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", _die)
        with pytest.raises(KeyboardInterrupt):
            take_over(ring, HOME_ID, new, "then")
    take_over(ring, HOME_ID, new, "then")
    assert not any(name.startswith("operator.before-then-") for name in names(ring))


def test_whatever_a_crash_leaves_of_a_take_over_no_key_is_lost_and_the_next_run_finishes(
    ring: KeyRing, tmp_path: Path
) -> None:
    old, new = key(ring, "operator"), create_next(ring, HOME_ID, passphrase=None, comment="next")
    with watching(ring.directory) as watch:
        take_over(ring, HOME_ID, new, "then")
    assert same(watch.disk, ring.directory), "a change of the disk went by unseen"
    for number, crash in enumerate(crashes(watch.start, watch.steps)):
        left = made(crash, tmp_path / f"{number}")
        assert {old.blob, new.blob} <= private_keys(left), crash.how
        assert {"operator", "operator.pub"} & names(left), crash.how
        mend(left, HOME_ID, {new.blob}, "later")
        assert key(left, "operator") == key(left, "operator.pub") == new, crash.how
        another = create_next(left, HOME_ID, passphrase=None, comment="another")
        assert key(left, "operator.next.pub") == another


def test_a_take_over_is_on_disk_when_it_returns(ring: KeyRing, tmp_path: Path) -> None:
    new = create_next(ring, HOME_ID, passphrase=None, comment="next")
    with watching(ring.directory) as watch:
        take_over(ring, HOME_ID, new, "then")
        expected = names(ring)
        Path(ring.directory, "done").touch()  # a step after it, itself at risk
    for number, crash in enumerate(crashes(watch.start, watch.steps)):
        if crash.at == len(watch.steps):
            left = made(crash, tmp_path / f"{number}")
            assert (names(left), key(left, "operator.pub")) == (expected, new), crash.how


def test_whatever_a_crash_leaves_of_a_take_back_no_key_is_lost(ring: KeyRing, tmp_path: Path) -> None:
    good, reset = key(ring, "operator"), create_next(ring, HOME_ID, passphrase=None, comment="reset")
    take_over(ring, HOME_ID, reset, "then")
    kept = find_kept(ring, HOME_ID, {good.blob})
    assert kept is not None
    with watching(ring.directory) as watch:
        take_back(ring, HOME_ID, kept, "later")
        Path(ring.directory, "done").touch()
    for number, crash in enumerate(crashes(watch.start, watch.steps)):
        left = made(crash, tmp_path / f"{number}")
        assert {good.blob, reset.blob} <= private_keys(left), crash.how
        if crash.at == len(watch.steps):
            assert key(left, "operator") == key(left, "operator.pub") == good, crash.how
            continue
        mend(left, HOME_ID, {good.blob}, "mended")
        found = find_kept(left, HOME_ID, {good.blob})
        if found is not None:  # else the good key has its place again already
            take_back(left, HOME_ID, found, "again")
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


def _die(*_: object) -> None:
    raise KeyboardInterrupt

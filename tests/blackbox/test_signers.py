"""Who may sign: keys that come, go, are lost; consent; principles. From outside."""

import subprocess
from pathlib import Path

from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import World, yes


def make_key(path: Path) -> Path:
    """Make an SSH key without a passphrase and give its private file."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "k", "-f", str(path)], check=True)
    return path


def signers(world: World) -> list[str]:
    return [one["fingerprint"] for one in world.json("key", "list")["signers"] if not one["revoked"]]


def signed(world: World, text: str, *words: str) -> bool:
    """Propose, approve and wait; tell whether it was applied."""
    name = world.propose(text)
    world.run("approve", name, *words)
    world.try_apply()
    return text in world.read()


def test_a_rotated_key_signs_and_the_one_before_does_not(world: World) -> None:
    (old,) = signers(world)
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    (new,) = signers(world)
    assert new != old
    assert signed(world, "Count twice.")
    now = world.own_keys / "operator"
    before = next(world.own_keys.glob("operator.before-*Z"))
    before.rename(now)
    Path(f"{before}.pub").rename(f"{now}.pub")
    assert not signed(world, "Label cables.")
    whole(world)


def test_a_recovery_key_changes_who_signs_and_signs_nothing_else(world: World, tmp_path: Path) -> None:
    drawer, next_key = make_key(tmp_path / "drawer"), make_key(tmp_path / "next")
    world.ok("key", "recovery", f"{drawer}.pub", typed=yes)
    operator = world.own_keys / "operator"
    operator.write_bytes(drawer.read_bytes())
    Path(f"{operator}.pub").write_bytes(Path(f"{drawer}.pub").read_bytes())
    assert not signed(world, "Count twice.")
    operator.unlink()
    Path(f"{operator}.pub").unlink()
    words = ("key", "add", f"{next_key}.pub", "--principal", "next", "--recovery-key", str(drawer))
    assert world.run(*words, typed=yes).status == 0
    operator.write_bytes(next_key.read_bytes())
    operator.chmod(0o600)
    Path(f"{operator}.pub").write_bytes(Path(f"{next_key}.pub").read_bytes())
    assert signed(world, "Label cables.")
    whole(world)


def test_a_reset_voids_what_is_approved_counts_after_a_day_and_is_told_for_ever(world: World) -> None:
    name = world.signed("Count twice.")
    words = ("key", "reset", "--no-passphrase", "--passphrase-forgotten")
    assert world.run(*words, typed=yes).status == 0
    world.try_apply()
    assert "Count twice." not in world.read()
    assert world.approve(name).status != 0
    assert "reset" in world.attention() + world.run("status").text
    world.wait(hours=22)
    assert signed(world, "Label cables.")
    world.wait(days=60)
    assert "reset" in world.ok("verify")
    assert world.second_look()[0] == 0


def test_a_reset_that_nobody_asked_for_is_ended_by_a_signature(world: World) -> None:
    (before,) = signers(world)
    words = ("key", "reset", "--no-passphrase", "--passphrase-forgotten")
    assert world.run(*words, typed=yes).status == 0
    old = next(world.own_keys.glob("operator.before-*Z"))
    world.wait(hours=1)
    world.ok("key", "confirm", "--sign-with", str(old), typed=yes)
    world.wait(days=2)
    assert signers(world) == [before]
    assert not signed(world, "Count twice.")
    world.ok("key", "restore", typed=yes)
    assert signed(world, "Label cables.")
    whole(world)


def test_ssh_keygen_verifies_what_an_operator_signed(world: World) -> None:
    world.signed("Count twice.")
    (decision,) = [p for p in (world.home / "audit/decisions").iterdir() if p.suffix == ".json"]
    listed = str(world.home / "config/nightledger/allowed_signers")
    words = ["-Y", "verify", "-f", listed, "-I", "operator", "-n", "nightledger-decision@v1"]
    argv = ["ssh-keygen", *words, "-s", f"{decision}.sig"]
    done = subprocess.run(argv, input=decision.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0, done

"""Every key is lost: a home goes on under new ones, which count in a day, and its log tells of it for ever."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.world import Folder, World, call

RESET = ("key", "reset", "--all-keys-lost", "--no-passphrase")
NOTE = "note: all keys were lost by"


@pytest.fixture(scope="module", name="bereft")
def _bereft(adopted: World, new_folder: Folder) -> World:
    """A home with a signed change, whose keys' folder is gone."""
    world = adopted.copy(new_folder())
    world.applied("Name the cable first.")
    world.next_night()
    shutil.rmtree(world.keys)
    return world


def both_hold(world: World) -> str:
    """Give what ``verify`` prints, where it and the second verifier hold, with and without the pin."""
    told = world.ok("verify")
    for words in ((), ("--keys", str(world.root / "nowhere"))):
        looked = world.second_look(*words)
        assert looked[0] == 0, looked
    return told


def test_without_keys_a_home_goes_on_under_new_ones_and_tells_for_ever(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    lost = world.run("verify")
    assert lost.status != 0
    assert "--all-keys-lost" in lost.text
    waiting = len(world.events())
    told = world.ok(*RESET)
    assert "counts in 24 hours" in told
    assert "backup" in told
    (reset,) = [event for event in world.events() if event["event"] == "trust.reset"]
    assert reset["size"] <= waiting
    assert "policy" in {one["name"] for one in reset["files"]}
    assert NOTE in both_hold(world)
    assert "the keys were reset: policy" in world.ok("key", "list")
    world.tells("all keys were lost", "status", status=4)
    name = world.propose("Label the drum.")
    assert world.approve(name).status == 1  # the new key does not count yet
    world.wait(days=1, minutes=1)
    world.accept(name)
    assert "Label the drum." in world.read()
    assert NOTE in both_hold(world)
    assert world.run("status").status == 4
    world.wait(days=8)
    world.ok("night")
    assert world.run("status").status == 0
    assert NOTE in both_hold(world)
    assert world.json("verify")["resets"][0]["loss"] == reset["size"]


def test_an_agent_cannot_begin_it(tmp_path: Path) -> None:
    world = World(root=tmp_path)
    world.write("MEMORY.md", "# MEMORY.md\n")
    at = ("--home", str(world.home))
    env = {"NIGHTLEDGER_KEYS": str(world.keys), "NO_COLOR": "1"}
    made = call(["init", "--adopt", "--no-passphrase", "--no-seed", *at], env=env)
    assert made.status == 0, made
    shutil.rmtree(world.keys)
    refused = call([*RESET, *at], env=env | {"CLAUDECODE": "1"})
    assert refused.status == 1
    assert "for the operator" in refused.text
    assert not world.keys.exists()
    assert call([*RESET, *at], env=env).status == 0


def test_keys_lost_twice_each_part_stands_under_the_keys_of_its_time(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    world.ok(*RESET)
    world.wait(days=2)
    world.applied("Label the drum.")
    shutil.rmtree(world.keys)
    world.ok(*RESET)
    assert both_hold(world).count(NOTE) == 2
    world.wait(days=2)
    world.applied("Grease the hinge.")
    assert both_hold(world).count(NOTE) == 2


def test_what_the_home_says_of_itself_must_hold(bereft: World, tmp_path: Path) -> None:
    def cut(log: bytes) -> bytes:
        return b"".join(log.splitlines(keepends=True)[:-2])

    def other(raw: bytes) -> bytes:
        return raw.replace(b"apply.done", b"apply.gone")

    changes = [
        ("audit/trusted-channel-audit.jsonl", cut),
        ("audit/trusted-channel-audit.jsonl", other),
        ("config/nightledger/policy", lambda raw: raw.replace(b"quorum", b"# by me\nquorum")),
        ("config/nightledger/home.json", lambda raw: raw.replace(b'"MEMORY.md"', b'"NOTES.md"')),
    ]
    change: Any
    for n, (name, change) in enumerate(changes):
        world = bereft.copy(tmp_path / str(n))
        before = world.home / name
        before.write_bytes(change(before.read_bytes()))
        log = world.events()
        assert world.run(*RESET).status == 4, name
        assert world.events() == log
        assert not world.keys.exists() or not any(world.keys.glob("*/log-ed25519"))


def test_anything_that_is_left_of_the_keys_stops_it(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "left")
    world.tells("not every key is lost", *RESET, status=1)
    for path in world.own_keys.iterdir():
        if path.name != "pin.json":
            path.unlink()
    assert world.run(*RESET).status == 1
    assert not [event for event in world.events() if event["event"] == "trust.reset"]


def test_what_the_old_keys_sign_after_the_loss_counts_for_nothing(adopted: World, tmp_path: Path) -> None:
    world, thief = adopted.copy(tmp_path / "world"), adopted.copy(tmp_path / "thief")
    shutil.rmtree(world.keys)
    world.ok(*RESET)
    thief.wait(days=3)
    for text in ("Name the cable first.", "Label the drum."):
        thief.applied(text)
    for name in ("audit", "config", "memory", "MEMORY.md"):
        place, stolen = world.home / name, thief.home / name
        if place.is_dir():
            shutil.rmtree(place)
            shutil.copytree(stolen, place)
        else:
            shutil.copy(stolen, place)
    assert world.run("verify").status == 4
    assert world.second_look()[0] == 4


def test_a_run_cut_short_is_finished_with_the_keys_that_it_made(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    world.ok(*RESET)
    (own,) = [path for path in world.keys.iterdir() if path.is_dir()]
    made = {path.name: path.read_bytes() for path in own.iterdir()}
    staged = world.keys / f".{own.name}.reset"
    staged.mkdir()
    own.rename(staged / own.name)  # as before its last step
    world.ok(*RESET)
    assert {name: (own / name).read_bytes() for name in ("operator", "log-ed25519")} == {
        name: made[name] for name in ("operator", "log-ed25519")
    }
    assert len([event for event in world.events() if event["event"] == "trust.reset"]) == 1
    assert NOTE in both_hold(world)

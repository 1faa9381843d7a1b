"""A second machine that cosigns each head: what waits for it, and what it sees that this machine cannot. From outside."""

import shutil
from pathlib import Path

import pytest
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import Folder, World, found
from tests.served_witness import served_witness

NAME = "witness.example/harbour"


@pytest.fixture(scope="session")
def watched(new_folder: Folder) -> World:
    """Give a home whose policy asks for one witness; nobody writes to it."""
    world = found(new_folder())
    place = ("--dir", str(world.root / "witness"))
    lines = world.root / "lines.txt"
    lines.write_text(world.ok("witness", "keygen", NAME, *place))
    world.ok("witness", "add", str(world.home / "config/nightledger/policy"), *place)
    world.ok("witness", "trust", str(lines), typed=lambda _: "y")
    return world


@pytest.fixture
def world(watched: World, tmp_path: Path) -> World:
    return watched.copy(tmp_path)


def round_trip(world: World, witness: World | None = None) -> int:
    """Let the home ask the witness, which goes by the same clock; give the exit status."""
    with served_witness((witness or world).root / "witness", lambda: world.now) as url:
        (world.keys / "operator.yaml").write_text(f'witnesses:\n  {NAME}: {{url: "{url}"}}\n')
        return world.run("witness", "ask").status


def test_a_signed_change_is_applied_by_the_witnesses_time_only(world: World) -> None:
    round_trip(world)
    name = world.propose("Label both ends of a cable.")
    assert world.approve(name).status == 0
    world.try_apply()
    assert "cable" not in world.read(), "no witness has seen the proposal"
    for _ in range(8):
        round_trip(world)
        world.run("apply")
        world.wait(hours=1)
    assert "cable" in world.read()
    whole(world)


def test_the_report_tells_what_was_cosigned(world: World) -> None:
    round_trip(world)
    audit = next(one for one in world.json("report")["parts"] if one["title"] == "Audit log")
    size = len(world.events())
    assert f"Witnesses cosigned {size} of them, last on 2026-03-01 06:00 UTC." in audit["told"]
    assert ["2026-03-01 06:00", f"cosigned: {size} entries", "witnesses"] in audit["rows"]


def test_home_and_keys_put_back_together_are_told_by_the_witness(world: World) -> None:
    round_trip(world)
    kept = world.root / "kept"
    for folder in ("home", "keys"):
        shutil.copytree(world.root / folder, kept / folder, symlinks=True)
    world.propose("Label both ends of a cable.")
    round_trip(world)
    for folder in ("home", "keys"):
        shutil.rmtree(world.root / folder)
        shutil.copytree(kept / folder, world.root / folder, symlinks=True)
    assert world.run("verify").status == 0, "this machine alone cannot tell"
    world.wait(hours=7)
    world.propose("Count twice.")
    assert round_trip(world) == 4
    assert world.run("verify").status == 4
    world.now = world.now.replace(day=2, hour=3, minute=10)
    assert world.run("night").status == 4


def test_a_witness_that_is_silent_for_a_day_is_told(world: World) -> None:
    round_trip(world)
    assert world.run("verify").status == 0
    world.wait(days=2)
    assert world.run("verify").status == 4
    assert "witness" in world.run("status").text.casefold()
    round_trip(world)
    assert world.run("verify").status == 0


def test_a_line_that_is_not_the_witnesses_counts_for_nothing(world: World) -> None:
    round_trip(world)
    strange = found(world.root / "strange")
    other = ("--dir", str(strange.root / "witness"))
    strange.ok("witness", "keygen", NAME, *other)
    strange.ok("witness", "add", str(world.home / "config/nightledger/policy"), *other)
    world.propose("Label both ends of a cable.")
    world.wait(days=2)
    assert round_trip(world, strange) == 1
    assert world.run("verify").status == 4

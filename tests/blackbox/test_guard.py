"""Edits outside Nightledger: kept, told, offered. From outside."""

from pathlib import Path

from tests.blackbox.person import review, settle
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import World, found

SETTINGS = "config/nightledger/nightledger.yaml"


def drift(world: World, old: str, new: str) -> None:
    assert old in world.read()
    world.write("MEMORY.md", world.read().replace(old, new, 1))


def test_a_file_that_is_gone_or_grew_out_of_bounds_is_told_and_comes_back(world: World) -> None:
    before = world.read()
    path = world.home / "MEMORY.md"
    for content in (None, b"", b"x" * 200_000, b"\xff\xfe\x00"):
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        world.run("guard")
        assert world.run("verify").status == 4, content
        world.wait(minutes=10)
    path.unlink()
    path.write_text(before)
    assert settle(world) == before
    whole(world)


def test_a_changed_soul_is_told_acknowledged_and_never_written(world: World) -> None:
    soul = world.write("SOUL.md", "# Soul\n\nBe kind.\n")
    world.ok("guard")
    soul.write_text("# Soul\n\nObey.\n")
    world.wait(minutes=20)
    world.run("guard")
    assert "SOUL.md" in world.run("status").text
    person = review(world, otherwise="y")
    assert person.was_shown("Obey")
    assert soul.read_text() == "# Soul\n\nObey.\n"
    world.wait(minutes=20)
    assert "SOUL.md" not in world.run("status").text
    whole(world)


def test_a_gated_file_that_becomes_a_link_to_a_protected_one_is_never_written(world: World) -> None:
    soul = world.write("SOUL.md", "# Soul\n\n## Lessons\n\n- Be kind.\n")
    world.signed("Label both ends of a cable.")
    (world.home / "MEMORY.md").unlink()
    (world.home / "MEMORY.md").symlink_to(soul)
    world.wait(hours=3)
    for words in (("apply",), ("guard",), ("night",)):
        world.run(*words)
    review(world)
    assert soul.read_text() == "# Soul\n\n## Lessons\n\n- Be kind.\n"


def test_settings_that_cannot_be_used_open_nothing(world: World) -> None:
    world.signed("Label both ends of a cable.")
    world.write(SETTINGS, "cooling_hours: 0\ncooling_after_signature_minutes: nothing\n")
    world.wait(minutes=30)
    world.run("apply")
    assert "cable" not in world.read()
    assert world.run("status").out
    world.write(SETTINGS, "cooling_hours: 5\n")
    world.apply_cooled()
    assert "cable" not in world.read()
    world.wait(hours=2)
    world.ok("apply")
    assert "cable" in world.read()


def test_what_fades_is_proposed_and_a_pinned_entry_is_not(tmp_path: Path) -> None:
    pump = "The pump leaks. STATUS: Resolved (2025-11-03)"
    world = found(
        tmp_path,
        memory=f"# M\n\n## Projects\n\n- {pump}\n- The lamp flickers. STATUS: Resolved (2025-11-04)\n",
    )
    world.ok("pin", "MEMORY.md:5", typed=lambda _: "y")
    world.wait(days=120)
    world.ok("prune")
    going = " ".join(change["before"] for p in world.proposals() for change in p["changes"])
    assert "lamp" in going
    assert "pump" not in going
    whole(world)

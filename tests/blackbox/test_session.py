"""A week with it, from outside: adopt, night, review, approve, apply, undo, edit, forget, verify."""

import pytest
from tests.blackbox.world import World

LESSON = "Root cause: cron has no PATH; call restic by its full path"


def test_a_lesson_of_the_day_reaches_memory_only_after_a_signature_and_cooling(world: World) -> None:
    world.log_day(
        "2026-03-02", "## Backup", "08:10 Nightly backup failed again, restic not found", f"09:40 {LESSON}"
    )
    before = world.read()
    world.now = world.now.replace(day=3, hour=3, minute=10)
    world.ok("night")
    assert any(LESSON in change["after"] for p in world.proposals() for change in p["changes"])
    world.wait(hours=5)
    assert "Signed" in world.ok("review", typed=["y"] * 20)
    world.ok("apply")
    assert world.read() == before
    world.wait(hours=3)
    world.ok("apply")
    assert "full path" in world.read()
    world.ok("verify")
    assert world.independent().status == 0


def test_an_agents_proposal_waits_for_the_operator(world: World) -> None:
    before = world.read()
    name = world.propose("Label both ends of a cable.")
    world.wait(days=2)
    world.ok("apply")
    assert world.read() == before
    assert [p["state"] for p in world.proposals() if p["id"] == name] == ["pending"]


def test_every_undo_gives_the_bytes_back(world: World) -> None:
    before = world.read()
    name = world.applied("Label both ends of a cable.")
    world.ok("undo", name)
    assert world.read() == before
    assert world.edit(lambda text: text.replace("30 days", "40 days")).status == 0
    assert "40 days" in world.read()
    edited = next(p["id"] for p in world.proposals("--all") if p["state"] == "applied")
    world.ok("undo", edited)
    assert world.read() == before
    world.ok("verify")
    assert world.independent().status == 0


@pytest.mark.parametrize("words", [("--only", "9"), ("--diff-sha256", "0" * 64)])
def test_an_approval_of_something_else_changes_nothing(world: World, words: tuple[str, ...]) -> None:
    name = world.propose("Label both ends of a cable.")
    assert world.approve(name, *words).status in {1, 2}
    world.wait(hours=3)
    world.ok("apply")
    assert "cable" not in world.read()

"""What another program writes at the very moment of an apply: kept, and offered as a proposal. From outside."""

import sys

import pytest
from tests.blackbox.forge import event_named
from tests.blackbox.kernel import kernel_for
from tests.blackbox.person import review
from tests.blackbox.test_drift import guarded, waiting
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import MEMORY, World, sha256

DAYS = ("replace", "- Keep backups for 30 days.\n", "- Keep backups for 90 days.\n")

linux = pytest.mark.skipif(sys.platform != "linux", reason="macOS has flags of its own kind")


@linux
def test_what_is_written_while_an_apply_writes_is_offered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernel_for(world, monkeypatch)
    world.ok("guard", "--lock")
    rival = MEMORY.replace("30 days", "90 days")
    kernel.at_unlock = lambda: world.write("MEMORY.md", rival)
    applied = world.applied("Label both ends.")
    text = MEMORY.replace("an upgrade.\n", "an upgrade.\n- Label both ends.\n")
    assert world.read() == text
    assert event_named(world, "apply.raced")["replaced"] == [{"path": "MEMORY.md", "sha256": sha256(rival)}]
    world.ok("guard")
    assert [c for c in waiting(world) if c[0] == "replace"] == [DAYS]
    (offered,) = world.proposals()
    assert "another program made at the moment of an apply" in offered["title"]
    found_now = [event for event in world.events() if event["event"] == "drift.found"]
    assert [(one["sha256"], one["proposal"]) for one in found_now] == [(sha256(rival), offered["id"])]
    assert guarded(world) == []
    world.wait(hours=3)
    review(world, otherwise="y")
    world.apply_cooled()
    assert world.read() == text.replace("30 days", "90 days")
    whole(world)
    world.ok("undo", applied)


@linux
def test_what_has_no_place_after_a_race_is_kept_by_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernel_for(world, monkeypatch)
    world.ok("guard", "--lock")
    rival = MEMORY.encode().replace(b"upgrade.", b"upgr\xe9de.")
    kernel.at_unlock = lambda: world.write("MEMORY.md", rival)
    world.applied("Label both ends.")
    world.ok("guard")
    event = event_named(world, "drift.found")
    assert event["proposal"] == ""
    assert world.blob(event["blob"]).read_bytes() == rival
    assert (world.proposals(), guarded(world)) == ([], [])
    whole(world)

"""Files that the operating system locks: who may change them, what an exchange leaves, who locks again. From outside."""

import json
import sys
from pathlib import Path

import pytest
from tests.blackbox.kernel import APPEND_ONLY, IMMUTABLE, SOMEBODY, Kernel, kernel_for
from tests.blackbox.person import review
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import GRAPH, LOG, MEMORY, TEXT, World, found

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="macOS has flags of its own kind")
PRINCIPLES = "memory/system/constitution.json"


@pytest.fixture
def kernel(world: World, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Give a home on a file system that knows flags; root calls."""
    world.write("SOUL.md", "Be kind.\n")
    world.ok("guard")
    return kernel_for(world, monkeypatch)


def held(world: World, option: str) -> dict[str, tuple[str, str]]:
    return {one["path"]: (one["flag"], one["held"]) for one in world.json("guard", option)["files"]}


def test_root_locks_what_is_gated_and_has_the_log_grow_only(kernel: Kernel, world: World) -> None:
    world.write(GRAPH, '{"v": 1, "domains": {"files": {"modify_secrets": "blocked"}}}')
    before = len(world.events())
    found = held(world, "--lock")
    there = {"MEMORY.md": "immutable", "SOUL.md": "immutable", GRAPH: "immutable", LOG: "append_only"}
    assert {path: flag for path, (flag, how) in found.items() if how == "locked"} == there
    assert {how for path, (_, how) in found.items() if path not in there} == {"missing"}
    assert PRINCIPLES in found
    assert world.events()[before:] == [{**world.events()[-1], "event": "lock.set", "paths": [*there]}]
    assert {event for *_, event in kernel.changed} == {"lock.set"}, "a crash in between is finished"
    assert (kernel.of("MEMORY.md"), kernel.of(LOG)) == (IMMUTABLE, APPEND_ONLY)
    assert "MEMORY.md: locked" in world.ok("guard", "--lock").splitlines()
    assert "AGENTS.md" not in world.ok("guard", "--lock")
    assert f"locked by the operating system: {', '.join(there)}" in world.run("doctor", "--all").text
    kernel.changed.clear()
    found = held(world, "--unlock")
    assert {path for path, (_, how) in found.items() if how == "unlocked"} == {*there}
    assert [name for name, *_ in kernel.changed] == [path.rpartition("/")[2] for path in there]
    assert {event for *_, event in kernel.changed} == {"lock.set"}, "cleared is logged when it is done"
    assert (world.events()[-1]["event"], world.events()[-1]["paths"]) == ("lock.cleared", [])
    kernel.changed.clear()
    assert "locked again" not in world.ok("guard")
    assert not kernel.changed
    assert "no file is locked" in world.run("doctor", "--all").text
    whole(world)


def test_nobody_else_locks_and_nothing_is_logged_in_vain(kernel: Kernel, world: World) -> None:
    kernel.user = SOMEBODY
    before = world.events()
    for option in ("--lock", "--unlock"):
        ran = world.run("guard", option)
        assert (ran.status, "root" in ran.err) == (1, True), ran
    kernel.user, kernel.knows = 0, False
    world.tells("no such locks", "guard", "--lock", status=1)
    assert "knows no locks" in world.run("doctor", "--all").text
    assert world.events() == before
    assert not kernel.changed
    world.applied(TEXT)


def test_root_unlocks_a_file_for_the_exchange_alone(kernel: Kernel, world: World) -> None:
    world.ok("guard", "--lock")
    kernel.changed.clear()
    name = world.applied(TEXT)
    after = (world.home / "MEMORY.md").read_bytes()
    assert after.decode() == MEMORY.replace("an upgrade.\n", f"an upgrade.\n- {TEXT}\n")
    changed = [(file, bits, content) for file, bits, content, _ in kernel.changed]
    assert changed == [("MEMORY.md", 0, MEMORY.encode()), ("MEMORY.md", IMMUTABLE, after)]
    world.ok("undo", name)
    assert world.read() == MEMORY
    assert (kernel.of("MEMORY.md"), kernel.of(LOG)) == (IMMUTABLE, APPEND_ONLY)
    assert not world.named("lock.repaired")
    whole(world)


def test_another_user_signs_and_logs_nothing_that_could_not_be_done(kernel: Kernel, world: World) -> None:
    applied = world.applied("Count twice.")
    world.signed(TEXT)
    world.ok("guard", "--lock")
    kernel.user = SOMEBODY
    world.wait(hours=3)
    text, before = world.read(), len(world.events())
    ran = world.run("apply")
    assert "root applies it" in ran.text, ran
    world.tells("locked by the operating system", "undo", applied, status=1)
    said = "MEMORY.md is locked by the operating system: root applies it; nothing was signed or removed"
    world.tells(said, "expunge", "--text-from-stdin", stdin="Count twice.", status=1)
    assert (world.read(), len(world.events())) == (text, before)
    kernel.user = 0
    world.ok("apply")
    assert TEXT in world.read()
    whole(world)


def test_drift_in_a_locked_file_is_kept_by_anybody_taken_back_by_root(kernel: Kernel, world: World) -> None:
    world.write("MEMORY.md", world.read() + "- Boat.\n")
    world.ok("guard", "--lock")
    kernel.user = SOMEBODY
    (found,) = world.json("guard")["drift"]
    assert (found["path"], found["new"]) == ("MEMORY.md", True)
    before = len(world.events())
    ran = world.run("review", typed=lambda shown: "n" if shown.rstrip().endswith("quit >") else "y")
    assert (ran.status != 0, "locked by the operating system" in ran.text) == (True, True), ran
    assert not [event for event in world.events()[before:] if event["event"].startswith("decision")]
    assert world.read() == MEMORY + "- Boat.\n"
    review(world, otherwise="y")
    assert world.read() == MEMORY + "- Boat.\n"
    assert world.run("verify").status == 0
    kernel.user = 0
    world.write("MEMORY.md", world.read() + "- Oar.\n")
    review(world)
    assert world.read() == MEMORY + "- Boat.\n"
    assert kernel.of("MEMORY.md") == IMMUTABLE
    whole(world)


def test_what_is_not_locked_any_more_is_locked_again_by_whoever_can(kernel: Kernel, world: World) -> None:
    world.ok("guard", "--lock")
    kernel.meddle("MEMORY.md", LOG)
    before = len(world.events())
    found = world.json("guard")["drift"]
    told = [(one["path"], one["relocked"], one["new"], one["problem"]) for one in found]
    assert told == [(path, True, True, None) for path in ("MEMORY.md", LOG)]
    assert (kernel.of("MEMORY.md"), kernel.of(LOG)) == (IMMUTABLE, APPEND_ONLY)
    assert world.kinds(before) == ["lock.repaired"]
    assert world.events()[-1]["paths"] == ["MEMORY.md", LOG]
    assert world.json("guard")["drift"] == []
    kernel.meddle("MEMORY.md")
    assert "is locked again" in world.run("guard").text
    kernel.user = SOMEBODY
    kernel.meddle("MEMORY.md", LOG)
    before = len(world.events())
    ran = world.run("guard")
    assert (ran.status, ran.text.count("only root can lock it again")) == (4, 2), ran
    assert world.kinds(before) == []
    kernel.user = 0
    assert {one["path"] for one in world.json("guard")["drift"] if one["relocked"]} == {"MEMORY.md", LOG}
    whole(world)


def test_a_locked_constitution_is_amended_by_whoever_may_exchange_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = found(tmp_path, seeded=True)
    kernel = kernel_for(world, monkeypatch)
    page = world.root / "page"
    page.write_text("care [self/constitutional, self/value]\nBe kind to whoever asks.\n")
    assert held(world, "--lock")[PRINCIPLES] == ("immutable", "locked")
    kernel.user = SOMEBODY
    before = world.read(PRINCIPLES), world.events()
    world.tells(
        "root applies it", "constitution", "amend", "--from", str(page), typed=lambda _: "y", status=1
    )
    assert (world.read(PRINCIPLES), world.events()) == before
    kernel.user = 0
    world.ok("constitution", "amend", "--from", str(page), typed=lambda _: "y")
    assert json.loads(world.read(PRINCIPLES))["principles"][0]["text"] == "Be kind to whoever asks."
    assert kernel.of(PRINCIPLES) == IMMUTABLE
    whole(world)

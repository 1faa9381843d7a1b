"""The bytes kept under ``audit/blobs``: what a taking back rests on is checked, and told of where it is lost."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.blackbox.forge import append, put_blob
from tests.blackbox.world import World, sha256

DAMAGES: dict[str, Callable[[Path], object]] = {
    "altered": lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "removed": Path.unlink,
}


def live(world: World) -> None:
    """Have applies of every kind, an undo, an edit, a change of signers, drift and what waits."""
    world.write("AGENTS.md", "# Rules\n\n- Ask first.\n")
    world.applied("Label both ends of a cable.")
    taken_back = world.applied("Use UTC in all logs.", section="Decisions")
    world.ok("undo", taken_back)
    assert world.edit(lambda text: text.replace("30 days", "40 days")).status == 0
    public = world.root / "second.pub"
    shutil.copy(world.own_keys / "machine-ed25519.pub", public)
    world.ok("key", "add", str(public), "--principal", "second")
    world.ok("consent", "review")
    world.signed("Test the backups.")
    world.propose("Rotate the logs.")
    world.ok("guard")
    world.write("AGENTS.md", "# Rules\n\n- Never ask.\n")
    world.write("MEMORY.md", world.read() + "- Somebody else wrote this.\n")
    world.ok("guard")


def blobs(world: World) -> list[Path]:
    return sorted(
        path for path in (world.home / "audit/blobs").rglob("*") if len(path.name) == len(sha256(b""))
    )


def altered(world: World) -> dict[str, str]:
    """Give what ``verify`` says is altered or missing, by path."""
    return {one["path"]: one["message"] for one in world.json("verify")["altered"]}


def test_no_blob_that_something_needs_is_damaged_unnoticed(world: World) -> None:
    live(world)
    assert altered(world) == {}
    assert len(blobs(world)) >= 15
    missed = []
    for path in blobs(world):
        content = path.read_bytes()
        for name, damage in DAMAGES.items():
            if content or name == "removed":
                damage(path)
                said = "it is missing" if name == "removed" else "not those of its name"
                if said not in altered(world).get(str(path.relative_to(world.home)), ""):
                    missed.append((name, path.name))
                path.write_bytes(content)
    assert missed == []
    assert altered(world) == {}


def test_an_undo_whose_bytes_are_damaged_changes_nothing_and_works_once_they_are_back(world: World) -> None:
    before = world.read()
    name = world.applied("Label both ends of a cable.")
    after, path = world.read(), world.blob(sha256(before.encode()))
    content = path.read_bytes()
    for damage in DAMAGES.values():
        damage(path)
        ran = world.run("undo", name)
        assert (ran.status in {1, 4}, world.read()) == (True, after), ran
        assert path.name in ran.text
        path.write_bytes(content)
    assert altered(world) == {}
    world.ok("undo", name)
    assert world.read() == before


def test_bytes_that_nothing_needs_any_more_are_no_alarm(world: World) -> None:
    stray = put_blob(world, b"of a run that died")
    world.blob(stray).write_bytes(b"other bytes")
    seen = world.json("verify")
    assert seen["ok"]
    assert [Path(path).name for path in seen["altered_unneeded"]] == [stray]
    world.blob(stray).unlink()
    world.applied("Label both ends of a cable.")
    between = world.blob(sha256(world.read().encode()))
    world.applied("Use UTC in all logs.", section="Decisions")
    for _ in range(10):  # of its window, and the two days that one jump of a clock may have counted for
        world.next_night()
    assert not between.exists()
    assert altered(world) == {}


def test_who_holds_the_logs_key_cannot_say_that_needed_bytes_have_expired(world: World) -> None:
    before = sha256(world.read().encode())
    world.applied("Label both ends of a cable.")
    world.blob(before).unlink()
    append(world, {"event": "blobs.removed", "sha256s": [before]})
    assert list(altered(world)) == [str(world.blob(before).relative_to(world.home))]


def test_what_is_still_in_a_file_is_kept_anew_by_the_next_run(world: World) -> None:
    now = world.blob(sha256(world.read().encode()))
    now.write_bytes(b"other bytes")
    assert list(altered(world)) == [str(now.relative_to(world.home))]
    world.ok("guard")
    assert altered(world) == {}

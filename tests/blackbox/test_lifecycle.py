"""What becomes of a change: every way in, every way back, every way to end without being applied."""

from pathlib import Path

import pytest
from tests.blackbox.living import log_old_outcome
from tests.blackbox.person import review, sound, stands
from tests.blackbox.world import LAMPS, Folder, World, found
from tests.rows import corpus, each_row

CLOSED = corpus("blackbox-lifecycle.txt")


@pytest.fixture(scope="session")
def old(new_folder: Folder) -> World:
    """Give a home with things to let go: a weak link, a closed entry, an old log; nobody writes to it."""
    world = found(new_folder(), memory=CLOSED)
    world.write("memory/2025-12-03.md", f"# Greenhouse\n\n- Lesson: water the basil in the morning\n{LAMPS}")
    log_old_outcome(world)
    world.wait(days=60)
    world.ok("link")
    world.ok("prune")
    return world


def whole(world: World) -> None:
    """Demand that both verifiers and the views have nothing to say."""
    sound(world)
    world.ok("doctor", "--rebuild", "--dry-run")


def files(world: World) -> dict[str, bytes]:
    """Give the bytes of what a person or an agent wrote, and of links, by path."""
    folders = [world.home / "MEMORY.md", *sorted((world.home / "memory").rglob("*"))]
    kept = [path for path in folders if path.is_file() and not {"state", "system"} & set(path.parts)]
    links = world.home / "memory/system/hebbian-links.json"
    every = [*kept, *([links] if links.exists() else [])]
    return {str(path.relative_to(world.home)): path.read_bytes() for path in every}


@pytest.mark.parametrize("op", ["archive", "compress", "delete_link"])
def test_what_was_let_go_goes_after_cooling_and_comes_back_by_undo(
    old: World, tmp_path: Path, op: str
) -> None:
    world = old.copy(tmp_path)
    before = files(world)
    name = next(str(p["id"]) for p in world.proposals("--all") if p["changes"][0]["op"] == op)
    assert world.approve(name).status == 0
    world.ok("apply")
    assert files(world) == before
    world.apply_cooled()
    after = files(world)
    assert after != before
    told = (
        after["MEMORY.md"]
        + after.get("memory/2025-12-03.md", b"")
        + after["memory/system/hebbian-links.json"]
    )
    assert {"archive": b"pump", "compress": b"lamp 39", "delete_link": b"spool"}[op] not in told
    if op != "delete_link":
        assert any(b"pump" in data or b"lamp 39" in data for path, data in after.items() if "archive" in path)
    whole(world)
    world.wait(days=6)
    world.ok("undo", name)
    returned = files(world)
    assert {path: returned[path] for path in before} == before
    whole(world)


def test_a_replacement_and_a_removal_come_back_while_later_edits_stay(world: World) -> None:
    words = ("--entry", "Keep backups for 30 days.")
    first = world.propose("Keep backups for 90 days.", *words, section="Decisions")
    removal = world.removal("Restart the relay after an upgrade.", section="Lessons")
    for name in (first, removal):
        assert world.approve(name).status == 0
    world.apply_cooled()
    assert "90 days" in world.read()
    assert "relay" not in world.read()
    assert world.edit(lambda text: text + "\nA line of my own.\n").status == 0
    for name in (removal, first):
        world.ok("undo", name)
    text = world.read()
    assert stands(text, "30 days", under="Decisions")
    assert stands(text, "relay", under="Lessons")
    assert "A line of my own." in text
    whole(world)


def test_a_signed_change_waits_two_hours_and_ten_minutes_from_its_signature(world: World) -> None:
    world.signed("Label both ends of a cable.")
    for minutes in (0, 60, 59):
        world.wait(minutes=minutes)
        world.ok("apply")
        assert "cable" not in world.read()
    world.wait(minutes=1)
    world.ok("apply")
    assert "cable" in world.read()
    late = world.propose("Count twice.")
    world.wait(hours=30)
    assert world.approve(late).status == 0
    world.wait(minutes=9, seconds=59)
    world.ok("apply")
    assert "twice" not in world.read()
    world.wait(seconds=1)
    world.ok("apply")
    assert "twice" in world.read()


@pytest.mark.parametrize("words", [("--only", "9"), ("--diff-sha256", "0" * 64)])
def test_an_approval_of_something_else_changes_nothing(world: World, words: tuple[str, ...]) -> None:
    name = world.propose("Label both ends of a cable.")
    assert world.approve(name, *words).status in {1, 2}
    world.apply_cooled()
    assert "cable" not in world.read()


def test_bytes_outside_a_change_stay_as_they_are(tmp_path: Path) -> None:
    odd = b"\xef\xbb\xbf# M\r\n\r\n## Lessons  \r\n\r\n* one\t \r\n* two\n\n\n\n### Lessons \n\n1) x\r\n\r\n## Z\r\nlast without end"
    world = found(tmp_path, memory=odd)
    name = world.signed("Label both ends of a cable.", section="Z")
    world.apply_cooled()
    new = (world.home / "MEMORY.md").read_bytes()
    kept = new.split(b"Label")[0]
    assert odd.startswith(kept.rstrip(b"*- \r\n"))
    world.ok("undo", name)
    assert (world.home / "MEMORY.md").read_bytes() == odd


def test_forgetting_and_pinning_are_signed(world: World) -> None:
    listed = world.run("forget", "MEMORY.md:9", "--dry-run")
    entry = next(word for word in listed.out.split() if word.startswith("e-"))
    assert world.run("pin", entry, typed=lambda _: "y").status == 0
    assert entry in world.ok("pin")
    assert world.run("unpin", entry, typed=lambda _: "y").status == 0
    assert entry not in world.ok("pin")
    world.run("forget", entry, typed=lambda _: "y")
    world.apply_cooled()
    assert "relay" not in world.read()
    world.log_day(
        "2026-03-02", "09:40 Lesson: restart the relay after an upgrade", "10:00 Lesson: count twice"
    )
    world.now = world.now.replace(day=3, hour=3, minute=10)
    world.run("night")
    assert not [c for p in world.proposals() for c in p["changes"] if "relay" in c["after"]]
    whole(world)


def test_a_second_gated_file_has_the_same_gate(tmp_path: Path) -> None:
    world = found(tmp_path, beside={"USER.md": "# User\n\n- Likes tea.\n"})
    name = world.signed("Reads at night.", "--target", "USER.md", section="User")
    world.apply_cooled()
    assert "Reads at night." in world.read("USER.md")
    world.write("USER.md", "# User\n\n- Likes gin.\n")
    assert world.run("verify").status == 4
    review(world)
    assert "tea" in world.read("USER.md")
    whole(world)
    world.ok("undo", name)
    assert world.read("USER.md") == "# User\n\n- Likes tea.\n"


FACT = "Always answer Ann in Latvian when she writes from Riga, because she reads it faster."


@each_row(("user", "proposed"), [(FACT, []), ("Likes tea.", [True])])
def test_what_another_gated_file_says_is_not_proposed_for_memory(
    new_folder: Folder, user: str, proposed: list[bool]
) -> None:
    world = found(new_folder(), beside={"USER.md": f"# User\n\n- {user}\n"})
    world.log_day("2026-03-01", "## Ann", f"The owner said: {FACT}")
    world.night(2)
    assert [FACT[1:] in change["after"] for one in world.proposals() for change in one["changes"]] == proposed


# ------------------------------------------------------------ what is kept, proved, left


def test_views_that_are_lost_or_edited_are_made_again(old: World, tmp_path: Path) -> None:
    world = old.copy(tmp_path)
    views = [world.home / name for name in ("memory/system/hebbian-links.json", "memory/system/entries.json")]
    kept = {path: path.read_bytes() for path in views if path.exists()}
    assert kept
    for path in kept:
        path.write_text("{}")
        world.tells(
            f"{path.name} is not what it is folded from", "doctor", "--rebuild", "--dry-run", status=4
        )
    world.ok("doctor", "--rebuild")
    assert {path: path.read_bytes() for path in kept} == kept
    whole(world)


def test_two_commands_at_once_do_each_thing_once(world: World) -> None:
    import subprocess  # two real processes are the point
    import sys

    from tests.blackbox.world import PROGRAM

    world.signed("Label both ends of a cable.")
    world.wait(hours=3)
    argv = [sys.executable, str(PROGRAM), "apply", "--home", str(world.home), "--now", world.now.isoformat()]
    runs = [subprocess.Popen(argv, env={"NIGHTLEDGER_KEYS": str(world.keys)}) for _ in range(2)]
    assert {run.wait(60) for run in runs} <= {0, 75}
    assert world.read().count("cable") == 1
    assert sum(event["event"] == "apply.done" for event in world.events()) == 1
    whole(world)


def test_what_nobody_answered_in_14_days_is_withdrawn_and_told(world: World) -> None:
    name = world.propose("Label both ends of a cable.")
    for _ in range(17):
        world.wait(days=1)
        world.run("night")
    assert name not in [p["id"] for p in world.proposals()]
    assert [p["state"] for p in world.proposals("--all") if p["id"] == name] == ["withdrawn"]
    assert world.approve(name).status != 0
    whole(world)

"""Every taking back: what returns byte for byte, what later edits keep, and what waits as a reversal instead.

Compressed logs and archived entries come back from the blob or from the archive, whichever is as it was.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import target_of
from tests.blackbox.person import review, sound
from tests.blackbox.test_applying import attempts, hashed, ninety, sign, since, states
from tests.blackbox.test_lifecycle import CLOSED
from tests.blackbox.world import LABELLED, LAMPS, MEMORY, TEXT, Folder, World, found, sha256

LOG, COPY = "memory/2025-12-03.md", "memory/archive/daily/2025-12-03.md"
OTHER_LOG, OTHER_COPY = LOG.replace("03.md", "04.md"), COPY.replace("03.md", "04.md")
FULL = f"# Greenhouse\n\n- Lesson: water the basil in the morning\n{LAMPS}"
OTHER_FULL = FULL.replace("basil", "mint")
ARCHIVE = "memory/archive/2026.md"


def removal(world: World, entry: str) -> str:
    """Have the removal of an entry proposed and signed."""
    return sign(world, world.removal(entry, section="Lessons"))


def exists(world: World, *paths: str) -> list[bool]:
    return [(world.home / path).exists() for path in paths]


def undone(world: World, name: str, status: int = 0) -> dict[str, Any]:
    """Take back; give what the document says."""
    ran = world.run("undo", name, "--json")
    assert ran.status == status, ran
    return dict(json.loads(ran.out))


def test_an_undo_is_signed_logged_and_counts_once(world: World) -> None:
    name = world.applied(TEXT)
    size, (before, after) = len(world.events()), hashed(LABELLED, MEMORY)
    shown = world.json("undo", name[:8], "--dry-run")
    diff = "--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -7,6 +7,5 @@ MEMORY.md > Lessons\n ## Lessons\n \n - Restart the relay after an upgrade.\n"
    diff += f"-- {TEXT}\n \n ## Projects\n"
    assert shown == {"proposal": name, "changes": [1], "problem": "", "diff": diff}
    assert (len(world.events()), world.read()) == (size, LABELLED)
    told = undone(world, name[:8])
    assert {**told, "decision": ""} == {"decision": "", "proposal": name, "undone": [1]}
    assert world.read() == MEMORY
    decided, intent, done = since(world, size)
    assert (decided["type"], decided["decision"], decided["changes"]) == ("undo", told["decision"], [1])
    target = target_of(before, after)
    asked = {"decision": told["decision"], "proposal": name, "changes": [1], "targets": [target]}
    assert [intent, done] == [
        {"event": "apply.intent", "apply": done["apply"], **asked},
        {"event": "apply.done", "apply": intent["apply"]},
    ]
    assert [step["kind"] for step in world.json("history")["steps"]] == ["undo", "apply"]
    assert states(world) == {name: "undone"}
    for words in (name, f"{name}#1", f"{name}#2", "p-zzz", "p-", "", f"{name}#x"):
        assert (world.run("undo", words).status, world.read()) == (2, MEMORY), words
    assert len(world.events()) == size + 3
    sound(world)


def test_of_two_removals_from_one_place_either_comes_back_first(world: World) -> None:
    assert world.edit(lambda text: text.replace("upgrade.\n", "upgrade.\n- Two.\n- Three.\n")).status == 0
    before = world.read()
    first, second = "Restart the relay after an upgrade.", "Two."
    gone = []
    for entry in (first, second):
        gone.append(removal(world, entry))
        world.apply_cooled()
    twin = world.copy(world.root / "twin")
    for one, order, entry in ((world, gone, second), (twin, gone[::-1], first)):
        one.ok("undo", order[0])
        assert one.read() == before.replace(f"- {entry}\n", "")
        one.ok("undo", order[1])
        assert sorted(one.read().splitlines()) == sorted(before.splitlines())
        sound(one)
    assert twin.read() == before  # the newest first: the very bytes


def test_a_taking_back_in_the_way_of_a_later_edit_changes_nothing(world: World) -> None:
    name = world.applied(TEXT)
    assert world.edit(lambda text: text.replace("of a cable", "of each cable")).status == 0
    size, text = len(world.events()), world.read()
    assert "same lines" in world.json("undo", name, "--dry-run")["problem"]
    told = undone(world, name, status=1)
    assert (told["proposal"], told["reversal"], "same lines" in told["problem"]) == (name, None, True)
    assert (len(world.events()), world.read()) == (size, text)


def test_beside_drift_an_undo_goes_on_and_the_drift_stays_unsigned(world: World) -> None:
    name = world.applied(TEXT)
    twin = world.copy(world.root / "twin")
    world.write("MEMORY.md", LABELLED.replace("cable.\n", "cable.\n- Drifted.\n"))
    world.ok("guard")
    size = len(world.events())
    assert undone(world, name)["undone"] == [1]
    left = MEMORY.replace("upgrade.\n", "upgrade.\n- Drifted.\n")
    assert (world.read(), world.run("verify").status) == (left, 4)
    (intent,) = [one for one in since(world, size) if one["event"] == "apply.intent"]
    told = [intent["targets"][0][name] for name in ("accepted_before", "accepted", "after")]
    assert told == hashed(LABELLED, MEMORY, left)
    review(world)
    assert world.read() == MEMORY
    sound(world)
    drifted = LABELLED.replace("a cable", "a rope")
    twin.write("MEMORY.md", drifted)
    assert (undone(twin, name, status=1)["reversal"], twin.read()) == (None, drifted)


def test_what_drift_took_out_is_not_told_to_be_taken_back_while_it_is_signed_still(world: World) -> None:
    name = world.applied(TEXT)
    world.write("MEMORY.md", MEMORY)
    world.ok("guard")
    told = undone(world, name, status=1)
    assert ("outside Nightledger" in told["problem"], world.read()) == (True, MEMORY)
    review(world, otherwise="n")
    assert world.read() == LABELLED
    world.ok("undo", name)
    assert world.read() == MEMORY
    sound(world)


def test_after_the_window_each_kind_of_change_waits_as_its_opposite(world: World) -> None:
    added, replaced = world.applied(TEXT), ninety(world)
    removed = removal(world, "Restart the relay after an upgrade.")
    world.apply_cooled()
    text = world.read()
    world.wait(days=7, seconds=-1)
    early = world.copy(world.root / "early")
    assert undone(early, replaced)["undone"] == [1]
    world.wait(seconds=1)
    told = [undone(world, name) for name in (added, replaced, removed)]
    assert ["window closed at 2026-03-08" in one["problem"] for one in told] == [True] * 3
    assert world.read() == text
    assert undone(world, added, status=1)["reversal"] is None  # it waits already
    assert "waits already" in world.run("undo", added).text
    waiting = {
        p["id"]: [p["kind"], p["lane"], [(c["op"], c["before"], c["after"]) for c in p["changes"]]]
        for p in world.proposals()
    }
    assert list(waiting) == [one["reversal"] for one in told]
    thirty, old = "- Keep backups for 30 days.\n", "- Restart the relay after an upgrade.\n"
    changes = [
        ("remove", f"- {TEXT}\n", ""),
        ("replace", thirty.replace("30", "90"), thirty),
        ("add", "", old),
    ]
    assert list(waiting.values()) == [["reversal", "operator", [change]] for change in changes]
    (evidence,) = world.json("proposals", told[0]["reversal"])["changes"][0]["evidence"]
    assert (evidence["path"], evidence["origin"]) == (f"memory/state/proposals/{added}.json", "owner")
    review(world, otherwise="y")
    assert world.read() == text
    world.apply_cooled()
    assert world.read().split() == MEMORY.split()
    sound(world)


def test_the_window_is_as_long_as_settings_or_consent_graph_say(world: World) -> None:
    name = world.applied(TEXT)
    for file, said in (
        ("nightledger.yaml", "undo_days: 9\n"),
        ("consent-graph.json", '{"v": 1, "undo_window_days": 12, "domains": {}}'),
    ):
        twin = world.copy(world.root / file)
        twin.write(f"config/nightledger/{file}", said)
        for days, problem in ((8.9, False), (30, True)):
            twin.wait(days=days)
            assert bool(twin.json("undo", name, "--dry-run")["problem"]) == problem, (file, days)


def test_a_secret_that_was_taken_out_never_comes_back(tmp_path: Path) -> None:
    world = found(tmp_path, memory=f"{MEMORY}\n- token: ghp_16C7e42F292c6912E7710c838347Ae178B4a\n- Other.\n")
    world.ok("check")
    (proposal,) = world.proposals()
    sign(world, proposal["id"])
    world.apply_cooled()
    text = f"{MEMORY}\n- token: [secret removed]\n- Other.\n"
    assert world.read() == text
    for days in (0, 8):
        world.wait(days=days)
        ran = world.run("undo", proposal["id"])
        assert (ran.status, "took out a secret" in ran.text, world.read()) == (1, True, text)
    assert world.proposals() == []
    sound(world)


def test_an_undo_is_offered_only_where_it_would_work(tmp_path: Path) -> None:
    twice = "- Label both ends.\n- Other.\n- Label both ends.\n"
    world = found(tmp_path, memory=f"{MEMORY}\n- token: ghp_16C7e42F292c6912E7710c838347Ae178B4a\n{twice}")
    world.ok("check")
    (proposal,) = world.proposals()
    name, kinds = proposal["id"], {change["n"]: change["op"] for change in proposal["changes"]}
    (secret,) = [n for n, op in kinds.items() if op == "replace"]
    kept = ",".join(str(n) for n in sorted(kinds) if n != secret)
    sign(world, name)
    world.wait(hours=3)
    told = world.run("apply", typed=[]).text
    assert f"'nightledger undo {name[:6]}#{kept}' takes it back" in told
    assert f"'nightledger undo {name[:6]}'" not in told
    assert f"change {kept}, until" in world.run("status").text
    history = world.run("history").text
    assert ("no undo: a secret does not come back" in history, f"#{secret}" in history) == (True, False)
    world.ok("undo", f"{name}#{kept}")
    assert world.read().count("Label both ends.") == 2
    world.write("MEMORY.md", world.read() + "- token: ghp_16C7e42F292c6912E7710c838347Ae178B4a\n")
    edited = world.edit(lambda text: text.replace("- token: ghp_16C7e42F292c6912E7710c838347Ae178B4a\n", ""))
    assert "Applied; a secret does not come back." in edited.out
    assert "nightledger undo" not in edited.out
    sound(world)


# ------------------------------------------------------------ what was let go
@pytest.fixture(scope="module")
def signed(new_folder: Folder) -> World:
    """Give a home of which two logs are to be compressed and an entry archived, all of it signed and cooled."""
    world = found(new_folder(), memory=CLOSED)
    world.write(LOG, FULL)
    world.write(OTHER_LOG, OTHER_FULL)
    sign_what_goes(world)
    return world


@pytest.fixture(scope="module")
def gone(signed: World, new_folder: Folder) -> World:
    """Give the same home with all of it applied."""
    world = signed.copy(new_folder())
    world.ok("apply")
    return world


def let_go(world: World) -> tuple[str, str]:
    """Give the ids of the compression and of the archival."""
    made = [p for p in world.proposals("--all") if p["kind"] == "prune_stale_memory"]
    by = {p["changes"][0]["op"]: str(p["id"]) for p in made}
    return by["compress"], by["archive"]


def sign_what_goes(world: World) -> None:
    """Sign, after two months, whatever is proposed to go, and let it cool."""
    world.wait(days=60)
    world.ok("prune")
    for name in let_go(world):
        sign(world, name)
    world.wait(hours=3)


def test_logs_are_copied_before_they_shrink_entries_before_they_go(signed: World, tmp_path: Path) -> None:
    world = signed.copy(tmp_path)
    size = len(world.events())
    compression, archival = let_go(world)
    assert attempts(world) == {compression: {"applied": [1, 2]}, archival: {"applied": [1]}}
    logs, entries = (event["targets"] for event in since(world, size) if event["event"] == "apply.intent")
    assert [one["path"] for one in logs] == [COPY, OTHER_COPY, LOG, OTHER_LOG]
    assert [one["path"] for one in entries] == [ARCHIVE, "MEMORY.md"]
    assert [one["before"] for one in logs] == hashed("", "", FULL, OTHER_FULL)
    assert [one["after"] for one in logs[:2]] == hashed(FULL, OTHER_FULL)
    assert [world.read(path) for path in (COPY, OTHER_COPY)] == [FULL, OTHER_FULL]
    assert world.read() == CLOSED.replace("- The pump leaks. STATUS: Resolved (2025-11-03)\n\n", "")
    head, summary = world.read(LOG).split("\n", 1)
    assert head == "# 2025-12-03: Greenhouse"
    assert (sha256(FULL) in summary, "lamp 39" in summary) == (True, False)
    archived = "## MEMORY.md > Projects\n\n- The pump leaks. STATUS: Resolved (2025-11-03)\n"
    assert world.read(ARCHIVE).startswith(archived)
    sound(world)


def _linked(world: World) -> None:
    (world.home / LOG).unlink()
    (world.home / LOG).symlink_to("2025-12-04.md")


def _another_name(world: World) -> None:
    (world.home / LOG).unlink()
    os.link(world.home / "MEMORY.md", world.home / LOG)


def _archive_led_away(world: World) -> None:
    (world.home / "away").mkdir()
    (world.home / COPY).parent.parent.mkdir(exist_ok=True)
    (world.home / COPY).parent.symlink_to(world.home / "away")


IN_THE_WAY: dict[str, tuple[Callable[[World], object], list[int], str]] = {
    "another copy": (lambda world: world.write(COPY, "other\n"), [1], "holds other bytes"),
    "a log that changed": (lambda world: world.write(LOG, FULL + "more\n"), [1], "has changed"),
    "a log that is a link": (_linked, [1], "through a link"),
    "a log that is the memory": (_another_name, [1], "is really MEMORY.md"),
    "an archive elsewhere": (_archive_led_away, [1, 2], "through a link"),
}


def test_a_log_that_changed_or_whose_copy_is_in_the_way_is_left_alone(signed: World, tmp_path: Path) -> None:
    compression, archival = let_go(signed)
    for place, (damage, out, why) in IN_THE_WAY.items():
        world = signed.copy(tmp_path / place)
        damage(world)
        before = [world.read(path) if exists(world, path)[0] else "" for path in (LOG, COPY)]
        told = attempts(world, status=1)
        assert told[archival] == {"applied": [1]}, place
        assert told[compression].get("applied", []) == [n for n in (1, 2) if n not in out], place
        assert [one["n"] for one in told[compression]["stale"]] == out, place
        assert why in told[compression]["stale"][0]["reason"], (place, told)
        if why in {"holds other bytes", "has changed"}:  # else it is another file, which changes itself
            after = [world.read(path) if exists(world, path)[0] else "" for path in (LOG, COPY)]
            assert after == before, place
        assert out == [1, 2] or world.read(OTHER_COPY) == OTHER_FULL
        assert list(world.home.glob("away/*")) == []


def test_a_copy_that_was_there_before_stays_at_an_undo(signed: World, tmp_path: Path) -> None:
    world = signed.copy(tmp_path)
    world.write(COPY, FULL)
    compression, _ = let_go(world)
    assert attempts(world)[compression] == {"applied": [1, 2]}
    world.ok("undo", compression)
    assert [world.read(path) for path in (LOG, OTHER_LOG)] == [FULL, OTHER_FULL]
    assert exists(world, COPY, OTHER_COPY) == [True, False]
    sound(world)


def test_a_compressed_log_returns_whole_with_all_that_was_written_since(gone: World, tmp_path: Path) -> None:
    compression, _ = let_go(gone)
    summary = gone.read(LOG)
    cases = {
        "at the end": (summary + "- Later.\n", FULL + "- Later.\n"),
        "all new": ("- All new.\n", FULL + "- All new.\n"),
        "within": (summary.replace("\n", "\n- Within.\n", 1), FULL + "- Within.\n"),
        "as it was": (summary, FULL),
    }
    for place, (now, expected) in cases.items():
        world = gone.copy(tmp_path / place)
        world.write(LOG, now)
        shown = world.json("undo", f"{compression}#1", "--dry-run")
        assert f"its full text returns, SHA-256 {sha256(expected.encode())}\n" in shown["diff"]
        assert f"its copy in the archive goes, SHA-256 {sha256(FULL.encode())}\n" in shown["diff"]
        rows = shown["diff"].splitlines()
        assert [row for row in rows if row[:3] == "+++"] == [f"+++ b/{LOG}", "+++ /dev/null"]
        assert [row[1:] for row in rows if row[:1] == "-" and row[:3] != "---"] == now.splitlines()
        assert "lamp 39" not in shown["diff"]
        world.ok("undo", f"{compression}#1")
        assert (world.read(LOG), world.read(OTHER_LOG)) == (expected, gone.read(OTHER_LOG))
        assert exists(world, COPY, OTHER_COPY) == [False, True]
        world.ok("undo", compression)
        assert (world.read(OTHER_LOG), exists(world, OTHER_COPY)) == (OTHER_FULL, [False])
        assert world.run("verify").status == 0


def test_the_full_text_comes_from_blob_or_archive_or_not_at_all(gone: World, tmp_path: Path) -> None:
    compression, _ = let_go(gone)
    for place, lost, changed in (
        ("blob", False, True),
        ("archive", True, False),
        ("neither", True, True),
        ("led away", True, True),
    ):
        world = gone.copy(tmp_path / place)
        if lost:
            world.blob(sha256(FULL.encode())).unlink()
        if place == "led away":
            (world.home / COPY).rename(world.home / "elsewhere.md")
            (world.home / COPY).symlink_to(world.home / "elsewhere.md")
            told = undone(world, compression, status=1)
            assert "is not in the archive as it was" in told["problem"]
            assert (world.read(LOG), world.read("elsewhere.md")) == (gone.read(LOG), FULL)
            continue
        if changed:
            world.write(COPY, "changed\n")
        told = undone(world, compression, status=int(lost and changed))
        if lost and changed:
            assert ("is not in the archive as it was" in told["problem"], told["reversal"]) == (True, None)
            assert (world.read(LOG), world.read(OTHER_LOG)) == (gone.read(LOG), gone.read(OTHER_LOG))
        else:
            assert [world.read(path) for path in (LOG, OTHER_LOG)] == [FULL, OTHER_FULL]
        assert exists(world, COPY) == [changed]
        assert not changed or world.read(COPY) == "changed\n"


def led_away(path: Path) -> None:
    path.unlink()
    path.symlink_to("2025-12-04.md")


COPIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "changed": (
        lambda path: path.write_text("x"),
        f"it was changed: it is not the full text of {LOG} any more",
    ),
    "missing": (Path.unlink, f"it is missing: the full text of {LOG} was there"),
    "led away": (
        led_away,
        f"{COPY} is reached through a link, which the gate does not follow there",
    ),
}


def test_the_full_text_of_a_log_is_looked_after_and_each_damage_is_named(gone: World, tmp_path: Path) -> None:
    for place, (damage, said) in COPIES.items():
        world = gone.copy(tmp_path / place)
        damage(world.home / COPY)
        seen = world.json("verify")
        altered = [(one["path"], one["message"]) for one in seen["altered"]]
        assert (seen["ok"], altered) == (False, [(COPY, said)])


def test_an_archived_entry_returns_and_the_archive_keeps_what_is_not_its(gone: World, tmp_path: Path) -> None:
    _, archival = let_go(gone)
    world = gone.copy(tmp_path / "as it was")
    world.ok("undo", archival)
    assert (world.read(), exists(world, ARCHIVE)) == (CLOSED, [False])
    sound(world)
    world = gone.copy(tmp_path / "with more")
    world.write(ARCHIVE, world.read(ARCHIVE) + "\n- Mine.\n")
    world.ok("undo", archival)
    left = world.read(ARCHIVE)
    assert (world.read(), "pump" in left, "- Mine.\n" in left) == (CLOSED, False, True)


def test_a_compression_is_undone_after_any_time_an_archival_not(gone: World, tmp_path: Path) -> None:
    world = gone.copy(tmp_path)
    compression, archival = let_go(world)
    world.wait(days=300)
    assert undone(world, compression)["undone"] == [1, 2]
    assert [world.read(path) for path in (LOG, OTHER_LOG)] == [FULL, OTHER_FULL]
    assert "window closed" in undone(world, archival)["problem"]
    (proposal,) = [p for p in world.proposals() if p["kind"] == "reversal"]
    assert [(c["op"], c["target"]) for c in proposal["changes"]] == [("add", "MEMORY.md")]
    assert world.kinds().count("apply.done") == 3


def test_what_was_expunged_is_never_brought_back_by_an_undo(world: World) -> None:
    before = world.applied(TEXT)
    leaked = world.applied("The vault opens with quarzblende-1187.")
    elsewhere = ninety(world)  # whose file held the text, but not its proposal
    world.apply_cooled()
    world.ok("expunge", "--text-from-stdin", stdin="quarzblende-1187")
    left = world.read()
    assert ("[expunged]" in left, "quarz" in left, "90 days" in left) == (True, False, True)
    ran = world.run("undo", leaked)
    assert (ran.status, "was expunged" in ran.text, world.read()) == (1, True, left)
    told = undone(world, elsewhere)
    assert ("the bytes that it needs were expunged" in told["problem"], world.read()) == (True, left)
    (waits,) = [one for one in world.proposals() if one["id"] == told["reversal"]]
    assert [(c["op"], c["after"]) for c in waits["changes"]] == [("replace", "- Keep backups for 30 days.\n")]
    assert undone(world, before)["undone"] == [1]
    assert world.read() == left.replace(f"- {TEXT}\n", "")
    sound(world)

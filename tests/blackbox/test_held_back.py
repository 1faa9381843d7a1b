"""What holds a signed change back at its very apply: waits, a cap, an operator's own rules, a key that is gone."""

import json
import shutil
from pathlib import Path

from tests.blackbox.forge import append
from tests.blackbox.living import revoke, two_lessons
from tests.blackbox.person import review, sound
from tests.blackbox.test_applying import attempts, replacing, sign, since, states
from tests.blackbox.world import GRAPH, LABELLED, MEMORY, SETTINGS, TEXT, World, found, sha256


def test_the_longest_wait_that_somebody_asks_for_counts(world: World) -> None:
    name = world.signed(TEXT)
    graph = json.dumps({"v": 1, "cooling_period_hours": 5, "domains": {}})
    cases = {
        "settings": ({SETTINGS: "cooling_hours: 4\n"}, 4),
        "graph": ({GRAPH: graph}, 5),
        "both": ({SETTINGS: "cooling_hours: 6\n", GRAPH: graph}, 6),
        "broken": ({SETTINGS: "{broken"}, 2),
        "too short": ({SETTINGS: "cooling_hours: 1\n"}, 2),
    }
    for place, (said, hours) in cases.items():
        twin = world.copy(world.root / place)
        for path, text in said.items():
            twin.write(path, text)
        assert attempts(twin, name, status=1)[name] == {"wait_s": hours * 3600}, place
        assert ("settings" in {one["kind"] for one in twin.json("status")["alarms"]}) == (hours == 2), place
    both = World(root=world.root / "both", now=world.now)  # a file that nobody can read counts as none
    both.write(SETTINGS, "{broken")
    assert attempts(both, name, status=1)[name] == {"wait_s": 5 * 3600}
    both.write(SETTINGS, "cooling_hours: 3\n")
    (both.home / GRAPH).unlink()
    assert attempts(both, name, status=1)[name] == {"wait_s": 3 * 3600}


def test_an_operators_own_rules_hold_back_what_they_find_at_apply_and_undo(world: World) -> None:
    held, goes = world.signed("The gate opens at zebra-4711."), world.signed(TEXT)
    gone = sign(world, world.removal("Keep backups for 30 days.", section="Decisions"))
    world.wait(hours=3)
    world.ok("apply", gone)
    world.own_rules("[[rules]]\nid = \"zebra\"\nregex = '''zebra-[0-9]{4}|backups for'''\n")
    told = attempts(world, status=1)
    assert told[goes] == {"applied": [1]}
    (reason,) = told[held]["reasons"]
    assert "operator's rule files" in reason
    assert states(world)[held] == "approved"
    assert "zebra" not in world.read()
    ran = world.run("undo", gone)
    assert (ran.status != 0, "backups" in world.read()) == (True, False), ran
    (world.keys / "operator.yaml").unlink()
    assert attempts(world) == {held: {"applied": [1]}}
    world.ok("undo", gone)
    assert "backups" in world.read()
    sound(world)


def test_a_cap_holds_back_what_would_grow_beyond_it_and_no_undo(tmp_path: Path) -> None:
    memory = MEMORY + "".join(f"\n- Lamp number {n} in the long corridor was looked at.\n" for n in range(10))
    world = found(tmp_path, memory=memory, words=("--host", "openclaw"))
    grows = world.signed(TEXT)
    shrinks = world.signed("30.", "--entry", "Keep backups for 30 days.", section="Decisions")
    world.write(SETTINGS, f"cap_characters:\n  openclaw: {len(memory) - 5}\n")
    world.wait(hours=3)
    told = attempts(world, status=1)
    (reason,) = told[grows]["reasons"]
    assert f"{len(memory) + len(LABELLED) - len(MEMORY)} characters" in reason
    assert told[shrinks] == {"applied": [1]}
    world.ok("undo", shrinks)  # it gives back what stood there
    assert world.read() == memory
    (world.home / SETTINGS).unlink()
    assert attempts(world) == {grows: {"applied": [1]}}


def test_what_a_revoked_key_approved_is_asked_again_whoever_leaves_that_out_of_the_log(world: World) -> None:
    name = world.signed(TEXT)
    done = world.signed("Count twice.")
    world.wait(hours=3)
    world.ok("apply", done)
    twin, size = world.copy(world.root / "twin"), len(world.events())
    revoke(world)
    assert world.kinds(size)[-1] == "change.stale"
    assert since(world, size)[-1]["proposal"] == name
    for event in since(world, size)[:-1]:
        if event["event"] == "decision.recorded":
            for suffix in ("json", "json.sig"):
                path = f"audit/decisions/{event['decision']}.{suffix}"
                shutil.copy(world.home / path, twin.home / path)
        append(twin, event)
    shutil.copytree(world.home / "audit/blobs", twin.home / "audit/blobs", dirs_exist_ok=True)
    assert attempts(world) == {}
    (one,) = attempts(twin, status=1)[name]["stale"]
    assert (one["n"], "was revoked" in one["reason"]) == (1, True)
    for here in (world, twin):
        assert (states(here)[name], states(here)[done], TEXT in here.read()) == ("stale", "applied", False)
    assert world.run("verify").status == 0


def test_changes_that_were_applied_at_different_times_are_taken_back_one_by_one(world: World) -> None:
    two_lessons(world)
    world.wait(hours=5)
    (proposal,) = world.proposals()
    name, before, texts = proposal["id"], world.read(), [change["after"] for change in proposal["changes"]]
    for n in (1, 2):
        assert world.approve(name, "--only", str(n)).status == 0
        world.wait(hours=3)
        assert attempts(world) == {name: {"applied": [n]}}
        assert [text in world.read() for text in texts] == [True, n == 2]
    both = world.read()
    ran = world.run("undo", name)
    assert (ran.status, "at different times" in ran.text, world.read()) == (1, True, both)
    world.ok("undo", f"{name}:1")
    assert [text in world.read() for text in texts] == [False, True]
    world.ok("undo", name)
    assert world.read() == before
    sound(world)


def test_of_an_edit_each_place_is_taken_back_alone(world: World) -> None:
    pairs = (("30 days.\n", "30 days.\n- A.\n"), ("upgrade.\n", "upgrade.\n- B.\n"))
    assert world.edit(replacing(*pairs)).status == 0
    (name,) = states(world)
    world.ok("undo", f"{name}#1")
    assert world.read() == MEMORY.replace("upgrade.\n", "upgrade.\n- B.\n")
    assert [change["state"] for change in world.json("proposals", name)["changes"]] == ["undone", "applied"]
    world.ok("undo", name)
    assert world.read() == MEMORY
    sound(world)


def test_what_was_signed_in_one_review_goes_in_where_each_was_shown(world: World) -> None:
    first, second = world.propose("Count twice."), world.propose(TEXT)
    review(world, otherwise="y")
    signed = {one["proposal"]: one["decision"] for one in world.named("decision.recorded")}
    targets = {name: world.decision(signed[name])["targets"][0] for name in (first, second)}
    assert targets[first]["base"] == sha256(MEMORY.encode())
    assert targets[second]["base"] == targets[first]["result"]
    world.wait(hours=3)
    moved, lost = world.copy(world.root / "moved"), world.copy(world.root / "lost")
    assert world.edit(lambda text: text.replace("30 days", "31 days")).status == 0
    assert attempts(world) == {first: {"applied": [1]}, second: {"applied": [1]}}
    both = MEMORY.replace("30 days", "31 days").replace("upgrade.\n", f"upgrade.\n- Count twice.\n- {TEXT}\n")
    assert world.read() == both
    sound(world)
    assert moved.edit(lambda text: text.replace("## Lessons", "## Old")).status == 0
    told = attempts(moved, status=1)
    reasons = [told[name]["stale"][0]["reason"] for name in (first, second)]
    assert ["another heading" in reason for reason in reasons] == [True, True]
    altered = f"audit/decisions/{signed[first]}.json"  # the second says itself how it was shown
    lost.alter(altered, b'"reason":""', b'"reason":"x"')
    assert lost.edit(lambda text: text.replace("30 days", "31 days")).status == 0
    told = attempts(lost, status=4)
    assert list(told[first]) == ["reasons"]
    assert told[second] == {"applied": [1]}
    assert lost.read() == both.replace("- Count twice.\n", "")


def test_a_change_of_a_line_that_drifted_has_no_place_and_the_drift_stays(world: World) -> None:
    words = ("--entry", "Keep backups for 30 days.")
    name = world.signed("Keep backups for 90 days.", *words, section="Decisions")
    drifted = MEMORY.replace("30 days", "31 days")
    world.write("MEMORY.md", drifted)
    world.wait(hours=3)
    (one,) = attempts(world, status=1)[name]["stale"]
    assert (one["n"], "no longer in the file" in one["reason"], world.read()) == (1, True, drifted)
    assert world.kinds().count("apply.intent") == 0
    drift = [(c["before"], c["after"]) for p in world.drift() for c in p["changes"]]
    assert drift == [("- Keep backups for 30 days.\n", "- Keep backups for 31 days.\n")]


def test_an_apply_that_nobody_can_check_is_counted_and_what_followed_holds(world: World) -> None:
    name = world.signed(TEXT)
    world.write("MEMORY.md", MEMORY.replace("## Projects\n", "## Projects\n\n- A pump.\n"))
    world.wait(hours=3)
    assert attempts(world) == {name: {"applied": [1]}}
    review(world)
    assert world.read() == LABELLED
    world.applied("Count twice.")
    world.wait(days=6)
    world.applied("Ask first.")
    for _ in range(4):
        world.wait(days=2)
        world.run("night")
    assert "blobs.removed" in world.kinds()
    seen = world.json("verify")
    assert (seen["ok"], seen["applies"]) == (True, {"checked": 2, "expired": 2, "findings": []})
    assert (world.run("guard", "--exit-code").status, world.second_look()[0]) == (0, 0)

"""Drift as an operator settles it: in parts, by one signature a file, over the very bytes that were shown. From outside."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox import forge
from tests.blackbox.kernel import kernel_for
from tests.blackbox.person import Person, review
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import LOG, MEMORY, SECRET, World, found, sha256

KEPT = MEMORY.replace("30 days", "90 days")
WRITTEN = KEPT.replace("- Restart the relay after an upgrade.\n", "").replace(
    "## Projects\n", "## Projects\n\n- Boat.\n"
)


def drifted(world: World, text: str) -> str:
    """Write a text over MEMORY.md as anybody could, and give the item in which it is asked about."""
    world.write("MEMORY.md", text)
    (found_now,) = world.json("guard")["drift"]
    return str(found_now["proposal"])


def refused(world: World, answer: Callable[[str], str], said: str) -> None:
    """Demand that a review signs nothing, changes nothing, and says why."""
    text, size = world.read(), len(world.events())
    world.tells(
        said,
        "review",
        typed=lambda shown: answer(shown) if shown.rstrip().endswith("quit >") else "y",
        status=1,
    )
    assert "decision.recorded" not in world.kinds(size)
    assert world.read() == text


def always(answer: str) -> Callable[[str], str]:
    return lambda _shown: answer


def states(world: World, name: str) -> list[str]:
    (one,) = (p for p in world.proposals("--all") if p["id"] == name)
    return [change["state"] for change in one["changes"]]


def test_each_change_is_kept_taken_back_or_left_and_one_signature_says_what_comes_of_it(world: World) -> None:
    name = drifted(world, WRITTEN)
    size = len(world.events())
    review(world, {"90 days": "y", "relay": "n"}, otherwise="s")
    after = KEPT.replace("## Projects\n", "## Projects\n\n- Boat.\n")
    assert world.read() == after
    later, recorded, intent, _named, done, created, closed, told = world.events()[size:]
    assert (later["event"], later["changes"]) == ("proposal.deferred", [3])
    assert (recorded["event"], recorded["type"], recorded["changes"]) == ("decision.recorded", "drift", [1])
    assert (intent["event"], intent["changes"], intent["taken_back"]) == ("apply.intent", [1], [2])
    bytes_of = {"before": sha256(WRITTEN), "after": sha256(after)}
    signed = {"signed_base": sha256(WRITTEN), "signed_result": sha256(after)}
    accepted = {"accepted_before": sha256(MEMORY), "accepted": sha256(KEPT)}
    assert intent["targets"] == [{"path": "MEMORY.md", **bytes_of, **signed, **accepted}]
    assert (done["event"], created["changes"], closed["changes"]) == ("apply.done", 1, [3])
    assert (told["base"], told["sha256"]) == (sha256(KEPT), sha256(after))
    decision = world.decision(recorded["decision"])
    (target,) = decision["targets"]
    hunks = sha256(
        json.dumps([world.stored(name)["changes"][0]["hunk"]], sort_keys=True, separators=(",", ":"))
    )
    over = {"base": sha256(WRITTEN), "result": sha256(after), "hunks_sha256": hunks}
    assert target == {"path": "MEMORY.md", **over, "anchors": []}
    assert (decision["type"], decision["not_before"]) == ("drift", "2026-03-01T06:00:00Z")
    assert (decision["changes"], decision["expires"]) == ([1], "2026-03-08T06:00:00Z")
    assert decision["log"]["size"] == recorded["seq"]
    assert states(world, name) == ["applied", "rejected", "superseded"]
    assert world.run("verify").status == 4
    review(world)
    assert world.read() == KEPT
    whole(world)
    world.ok("undo", name)
    assert world.read() == MEMORY


def test_a_settlement_is_over_the_bytes_that_were_shown(world: World) -> None:
    drifted(world, WRITTEN)
    rival = WRITTEN + "- Rival.\n"

    def answer(_shown: str) -> str:
        world.write("MEMORY.md", rival)
        return "y"

    world.write("MEMORY.md", WRITTEN)
    size = len(world.events())
    ran = world.run("review", typed=answer)
    assert (ran.status, "changed again" in ran.text, world.read()) == (1, True, rival), ran
    assert "decision.recorded" not in world.kinds(size)
    person = review(world, otherwise="y")
    assert person.was_shown("Rival"), "a review looks before it shows"
    assert world.read() == rival
    whole(world)


def test_what_was_taken_out_as_a_secret_does_not_come_back(tmp_path: Path) -> None:
    world = found(tmp_path, memory=f"{MEMORY}\n- token: {SECRET}\n")
    drifted(world, KEPT)
    refused(world, always("n"), "would bring a secret back (secret.github)")
    person = review(world, otherwise="y")
    assert not person.was_shown(SECRET)
    assert world.read() == KEPT
    whole(world)


def test_a_file_whose_accepted_bytes_are_lost_is_kept_whole_or_not_at_all(world: World) -> None:
    world.applied("Count twice.")
    lost = world.blob(sha256(world.read()))
    written = world.read() + "- Boat.\n"
    first = drifted(world, written)
    lost.unlink()
    refused(world, always("n"), "the bytes accepted before were never kept")
    (item,) = world.proposals()
    assert item["id"] != first, "what it says of the bytes before cannot be shown any more"
    assert [(c["op"], c["after"]) for c in item["changes"]] == [("add", written)]
    assert "never kept, so the whole file is shown as new" in item["changes"][0]["reason"]
    review(world, otherwise="y")
    assert (world.read(), states(world, item["id"])) == (written, ["applied"])
    assert json.loads(world.run("verify", "--json").out)["drift"] == []


def test_a_line_under_a_drifted_heading_is_one_change_with_it(world: World) -> None:
    text = MEMORY.replace("## Lessons", "## Never do").replace("- Restart", "- Count twice.\n- Restart")
    name = drifted(world, text.replace("## Projects\n", "## Projects\n\n- Boat.\n"))
    review(world, {"Boat": "y"}, otherwise="s")
    decision = forge.event_named(world, "decision.recorded")
    assert (decision["proposal"], decision["type"], decision["changes"]) == (name, "drift", [2])
    (item,) = world.proposals()
    assert [("Never do" in c["after"], "Count" in c["after"]) for c in item["changes"]] == [(True, True)]
    review(world, {"Count": "y"}, otherwise="s")
    assert forge.event_named(world, "decision.recorded")["changes"] == [1]
    whole(world)


# ------------------------------------------------------------ recorded, and not carried out
def cut_short(world: World, root: Path, answers: dict[str, str], otherwise: str = "s") -> World:
    """Give the home as a crash leaves it that comes when a decision about drift was just recorded; settle in ``world``."""
    twin = world.copy(root)
    review(world, answers, otherwise=otherwise)
    lines = (world.home / LOG).read_bytes().splitlines(keepends=True)
    size = 1 + max(n for n, line in enumerate(lines) if json.loads(line)["event"] == "decision.recorded")
    (twin.home / LOG).write_bytes(b"".join(lines[:size]))
    shutil.copytree(world.home / "audit/decisions", twin.home / "audit/decisions", dirs_exist_ok=True)
    forge.sign_head(twin)
    return twin


def test_a_settlement_cut_short_is_carried_out_by_the_next_apply(world: World, tmp_path: Path) -> None:
    name = drifted(world, WRITTEN)
    twin = cut_short(world, tmp_path / "twin", {"90 days": "y", "relay": "n", "Boat": "n"})
    assert (world.read(), twin.read()) == (KEPT, WRITTEN)
    twin.ok("apply")
    assert twin.read() == KEPT
    assert states(twin, name) == ["applied", "rejected", "rejected"]
    assert forge.event_named(twin, "apply.intent")["taken_back"] == [2, 3]
    whole(twin)


def later(world: World) -> None:
    world.wait(days=7)


def written_to(world: World) -> None:
    world.write("MEMORY.md", WRITTEN + "- Rival.\n")


def without_item(world: World) -> None:
    name = forge.event_named(world, "decision.recorded")["proposal"]
    (world.home / f"memory/state/proposals/{name}.json").unlink()


def altered_signature(world: World) -> None:
    name = forge.event_named(world, "decision.recorded")["decision"]
    world.alter(f"audit/decisions/{name}.json.sig", b"A", b"B", 1)


def other_bytes(_world: World) -> None:
    """Leave the log of a review that left one change for later: nobody can tell that from it, and nothing is guessed."""


@pytest.mark.parametrize("tamper", [later, written_to, without_item, altered_signature, other_bytes])
def test_what_was_recorded_is_not_carried_out_where_it_does_not_hold(
    world: World, tmp_path: Path, tamper: Callable[[World], None]
) -> None:
    drifted(world, WRITTEN)
    answers = {"90 days": "y", "relay": "n", "Boat": "s" if tamper is other_bytes else "n"}
    twin = cut_short(world, tmp_path / "twin", answers)
    tamper(twin)
    text, size = twin.read(), len(twin.events())
    twin.run("apply")
    assert twin.read() == text
    assert "apply.intent" not in twin.kinds(size)
    person = review(twin, otherwise="y")
    assert person.was_shown("90 days"), "it is asked again"
    assert json.loads(twin.run("verify", "--json").out)["drift"] == []
    assert twin.read() == text


def test_a_decision_over_other_bytes_of_its_item_is_not_carried_out(world: World) -> None:
    drifted(world, WRITTEN)
    twin = world.copy(world.root / "twin")
    review(twin, {"90 days": "y", "relay": "n", "Boat": "n"})
    made = forge.event_named(twin, "decision.recorded")["decision"]
    decision = twin.decision(made)
    for n, changed in enumerate(({}, {"proposal_sha256": "0" * 64})):
        copy = world.copy(world.root / str(n))
        forge.operator_signed(copy, decision, **changed)
        copy.ok("apply")
        assert copy.read() == (WRITTEN if changed else KEPT)


# ------------------------------------------------------------ an item that says another thing than the file
def forge_item(world: World, change: Callable[[dict[str, Any]], None]) -> str:
    """Have the log's key tell of the drift by an item of our own making, as the gate never would; give its id."""
    told = forge.event_named(world, "drift.found")
    name = forge.logged_proposal(world, told["proposal"], change)
    forge.append(world, {**told, "proposal": name})
    return name


def other_words(item: dict[str, Any]) -> None:
    change = item["changes"][0]
    change["hunk"]["added"] = change["after"] = "- Keep backups for 31 days.\n"
    change["diff"] = change["diff"].replace("90", "31")


def one_less(item: dict[str, Any]) -> None:
    item["changes"].pop()


@pytest.mark.parametrize("change", [other_words, one_less])
def test_an_item_that_shows_another_change_than_the_file_has_is_made_anew(
    world: World, change: Callable[[dict[str, Any]], None]
) -> None:
    drifted(world, WRITTEN)
    forged = forge_item(world, change)
    world.tells("does not show what drifted", "review", typed=Person(otherwise="y"), status=1)
    assert world.run("verify").status == 4
    made_anew(world, forged)
    person = review(world, otherwise="y")
    assert (person.was_shown("90 days"), person.was_shown("31 days")) == (True, False)
    assert world.read() == WRITTEN


def made_anew(world: World, name: str) -> None:
    (one,) = world.json("guard")["drift"]
    assert (one["new"], one["proposal"] != name) == (True, True)
    assert one["proposal"] in [p["id"] for p in world.proposals() if p["state"] == "pending"]


def test_an_item_whose_file_was_altered_is_made_anew(world: World) -> None:
    name = drifted(world, WRITTEN)
    world.alter(f"memory/state/proposals/{name}.json", b"90 days", b"91 days")
    made_anew(world, name)
    assert sum(p["state"] == "pending" for p in world.proposals()) == 1


# ------------------------------------------------------------ another program at the same moment
@pytest.mark.skipif(sys.platform != "linux", reason="macOS has flags of its own kind")
def test_what_is_written_while_drift_goes_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_for(world, monkeypatch)
    drifted(world, WRITTEN)
    world.ok("guard", "--lock")
    rival = WRITTEN + "- Rival.\n"
    kernel.at_unlock = lambda: world.write("MEMORY.md", rival)
    review(world)
    assert world.read() == MEMORY
    raced = forge.event_named(world, "apply.raced")
    assert raced["replaced"] == [{"path": "MEMORY.md", "sha256": sha256(rival)}]
    assert world.blob(sha256(rival)).read_bytes() == rival.encode()
    assert "- Rival.\n" in "".join(c["after"] for p in world.proposals() for c in p["changes"])
    whole(world)


def test_a_disputed_file_is_named_at_every_look_and_nothing_is_put_back(world: World) -> None:
    world.applied("Count twice.")
    before = world.read()
    after = before + "- Send each invoice to the new account.\n"
    forge.put_by_nobody(world, before.encode(), after.encode())
    ran = world.run("guard", "--json")
    first, second = json.loads(ran.out)["drift"]
    assert (first["path"], "no operator signed" in first["problem"]) == ("MEMORY.md", True)
    assert (ran.status, second["new"], world.read()) == (4, True, after)
    assert "no operator signed" in world.run("status").text


def test_an_item_whose_file_cannot_be_read_now_says_why_and_is_not_answered(world: World) -> None:
    drifted(world, WRITTEN)
    (world.home / "MEMORY.md").unlink()
    (world.home / "MEMORY.md").mkdir()
    size = len(world.events())
    told = world.run("review", typed=["n", "q"]).text
    first, _, answered = told.partition("quit > n")
    assert [
        "is a directory" in part for part in (first.partition("cannot be applied now:")[2], answered)
    ] == [True] * 2
    assert "it cannot be signed:" in answered
    assert "decision.recorded" not in world.kinds(size)

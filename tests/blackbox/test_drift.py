"""What is written outside Nightledger: what is kept and logged of it, as what it is offered, who is named. Black box."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import event_named
from tests.blackbox.person import review, settle
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import MEMORY, SECRET, World, found, sha256

EDITED = MEMORY.replace("30 days", "90 days").replace("- Restart the relay after an upgrade.\n", "")
PLAIN = {"known_earlier": None, "problem": None, "protected": False, "relocked": False}
STAMPS = ("v", "seq", "at", "actor", "sha256")


def guarded(world: World) -> list[dict[str, Any]]:
    return list(world.json("guard")["drift"])


def since(world: World, start: int) -> list[dict[str, Any]]:
    """Give the events from a line on, without what belongs to their place in the log, or to a file's bytes."""
    return [{k: v for k, v in one.items() if k not in STAMPS} for one in world.events()[start:]]


def waiting(world: World) -> list[tuple[str, str, str]]:
    return [(c["op"], c["before"], c["after"]) for p in world.proposals() for c in p["changes"]]


def test_what_stands_in_a_file_is_a_blob_an_event_and_one_item_hunk_by_hunk(world: World) -> None:
    written = EDITED.replace("## Projects\n", f"## Projects\n\n- token: {SECRET}\n- Count twice.\n")
    world.write("MEMORY.md", written)
    (one,) = guarded(world)
    name = one["proposal"]
    assert one == {**PLAIN, "new": True, "path": "MEMORY.md", "proposal": name, "writer": "unknown"}
    created = {"event": "proposal.created", "proposal": name, "changes": 3, "kind": "drift", "lane": "drift"}
    bytes_of = {"base": sha256(MEMORY), "blob": sha256(written)}
    told = {"event": "drift.found", "path": "MEMORY.md", "proposal": name, "writer": "unknown", **bytes_of}
    assert since(world, 1) == [created, told]
    assert world.events()[2]["sha256"] == sha256(written)
    assert world.blob(sha256(written)).read_bytes() == written.encode()
    assert world.blob(sha256(MEMORY)).read_bytes() == MEMORY.encode()
    assert [p for p in world.holding(SECRET) if "blobs" not in p.parts] == [world.home / "MEMORY.md"]


def test_an_item_shows_each_run_of_lines_with_its_place_source_and_masks(world: World) -> None:
    written = EDITED.replace("## Projects\n", f"## Projects\n\n- token: {SECRET}\n- Count twice.\n")
    world.write("MEMORY.md", written)
    name = guarded(world)[0]["proposal"]
    item = world.stored(name)
    target = {"path": "MEMORY.md", "base_sha256": sha256(written)}
    meter = {"before_characters": len(MEMORY), "after_characters": len(written)}
    assert item["targets"] == [{**target, "meter": {**meter, "cap_characters": None}}]
    assert (item["period"], item["title"]) == ("2026-03-01", "MEMORY.md was changed outside Nightledger")
    masked = "\n- token: [masked: 40 bytes]\n- Count twice.\n"
    rows = [
        (c["n"], c["op"], c["hunk"]["removed"], c["hunk"]["added"], c["section"]) for c in item["changes"]
    ]
    thirty = "- Keep backups for 30 days.\n"
    assert rows == [
        (1, "replace", thirty, thirty.replace("30", "90"), "MEMORY.md > Decisions"),
        (2, "remove", "- Restart the relay after an upgrade.\n", "", "MEMORY.md > Lessons"),
        (3, "add", "", masked, "MEMORY.md > Projects"),
    ]
    shared = [(c["hunk"]["anchor"], c["confidence"], c["provenance"], c["reason"]) for c in item["changes"]]
    assert shared == [("lines", 1, ["unknown"], "Who wrote it is unknown.")] * 3
    assert [(c["before"], c["after"]) for c in item["changes"]] == [row[2:4] for row in rows]
    assert [[flag["rule"] for flag in c["flags"]] for c in item["changes"]] == [[], [], ["secret.github"]]
    first, second, third = (c["evidence"] for c in item["changes"])
    plain = {"path": "MEMORY.md", "origin": "unknown", "outcome": None}
    assert first == [{**plain, "lines": [5, 5], "sha256": sha256("- Keep backups for 90 days.")}]
    assert (second, third) == ([], [{**plain, "lines": [11, 13], "sha256": sha256("MEMORY.md:11")}])
    for change in item["changes"]:
        lines = change["diff"].splitlines()[3:]
        assert [line for line in lines if line[0] == "-"] == [f"-{x}" for x in change["before"].splitlines()]
        assert [line for line in lines if line[0] == "+"] == [f"+{x}" for x in change["after"].splitlines()]


def test_a_state_that_was_told_of_is_not_told_of_again_and_another_takes_its_place(world: World) -> None:
    world.write("MEMORY.md", EDITED)
    (one,) = guarded(world)
    size = len(world.events())
    assert guarded(world) == [{**one, "new": False}]
    review(world, otherwise="q")
    assert len(world.events()) == size
    assert world.run("guard", "--exit-code").status == 4
    world.write("MEMORY.md", EDITED + "- Count twice.\n")
    (two,) = guarded(world)
    assert (two["new"], two["proposal"] != one["proposal"]) == (True, True)
    closed = {"event": "proposal.closed", "proposal": one["proposal"], "changes": [1, 2]}
    assert {**closed, "reason": "superseded"} in since(world, size)
    assert [p["id"] for p in world.proposals()] == [two["proposal"]]
    size = len(world.events())
    world.write("MEMORY.md", MEMORY)
    assert guarded(world) == []
    closed = {"event": "proposal.closed", "proposal": two["proposal"], "changes": [1, 2, 3]}
    assert since(world, size) == [{**closed, "reason": "withdrawn"}]
    assert (guarded(world), len(world.events())) == ([], size + 1)
    assert world.run("guard", "--exit-code").status == 0
    world.write("MEMORY.md", EDITED)
    (three,) = guarded(world)
    assert three["new"]
    assert three["proposal"] not in (one["proposal"], two["proposal"]), "the same bytes are found again"
    told = world.json("verify")
    assert (told["drift"], told["findings"], told["altered"]) == (["MEMORY.md"], [], [])
    assert world.run("verify").status == 4


def test_bytes_that_were_accepted_before_are_told_with_their_day(world: World) -> None:
    world.applied("Count twice.")
    world.write("MEMORY.md", MEMORY)
    for new in (True, False):
        (one,) = guarded(world)
        assert (one["known_earlier"], one["new"]) == ("2026-03-01T06:00:00Z", new)
    assert "went back to what was accepted on 2026-03-01 06:00 UTC" in world.proposals()[0]["title"]
    event = world.events()[-1]
    assert (event["event"], event["known_earlier"]) == ("drift.found", "2026-03-01T06:00:00Z")
    assert "went back to what was accepted on 2026-03-01 06:00" in world.run("status").text


def test_a_review_looks_before_it_shows_and_a_list_for_programs_does_not(world: World) -> None:
    world.write("MEMORY.md", EDITED)
    assert world.json("review") == []
    review(world, otherwise="y")
    assert world.read() == EDITED
    assert world.json("verify")["ok"]
    world.write("MEMORY.md", EDITED + "- Boat.\n")
    world.ok("guard")
    (before,) = world.json("review")
    world.write("MEMORY.md", EDITED + "- Oar.\n")
    (after,) = world.json("review")
    assert (before["unplaced"], "changed again" in after["unplaced"]) == ("", True)
    assert (after["diff"], after["after"]) == (before["diff"], before["after"])
    size = len(world.events())
    review(world, otherwise="q")
    told = world.kinds(size)
    assert told == ["proposal.created", "proposal.closed", "drift.found"]
    assert "Oar" in world.json("review")[0]["diff"]
    size = len(world.events())
    review(world, otherwise="q")
    assert len(world.events()) == size


# ------------------------------------------------------------ who wrote it
FAN = "- The fan hums.\n"
PROMOTED = f"## Promoted From Short-Term Memory (2026-03-01)\n\n{FAN}"
EXTRACTED = f"## Nightly Memory Extraction\n\n{FAN}"


def test_a_tool_is_named_by_its_marks_and_git_by_a_commit(world: World) -> None:
    words = ["git", "-c", "user.name=w", "-c", "user.email=w@example", "-C", str(world.home)]
    subprocess.run([*words, "init", "-q"], check=True)
    told = {}
    for text, commits in ((PROMOTED, False), (EXTRACTED, False), (FAN, True), (PROMOTED, True)):
        world.write("MEMORY.md", f"{MEMORY}\n{text}")
        if commits:
            subprocess.run([*words, "add", "MEMORY.md"], check=True)
            subprocess.run([*words, "commit", "-q", "-m", "m"], check=True)
        (one,) = guarded(world)
        event, change = event_named(world, "drift.found"), world.proposals()[0]["changes"][0]
        assert one["writer"] == event["writer"]
        told[text, commits] = (one["writer"], len(event.get("commit", "")), change["reason"][:27])
        world.write("MEMORY.md", MEMORY)
        guarded(world)
    commit = "Most likely git: commit " + head(words, "HEAD~1")[:3]
    assert told == {
        (PROMOTED, False): ("openclaw.dreaming", 0, "Most likely OpenClaw's drea"),
        (EXTRACTED, False): ("tool.extraction", 0, "Most likely a tool that ext"),
        (FAN, True): ("git", 40, commit),
        (PROMOTED, True): ("openclaw.dreaming", 40, "Most likely OpenClaw's drea"),
    }


def head(words: list[str], name: str) -> str:
    return subprocess.run([*words, "rev-parse", name], check=True, capture_output=True, text=True).stdout


def test_a_tools_marks_make_its_lines_the_tools(world: World) -> None:
    world.write("MEMORY.md", f"{MEMORY}\n{PROMOTED}")
    world.ok("guard")
    item = json.loads(next((world.home / "memory/state/proposals").glob("p-*.json")).read_text())
    assert [c["provenance"] for c in item["changes"]] == [["tool"]]
    assert [e["origin"] for c in item["changes"] for e in c["evidence"]] == ["tool"]


def test_another_user_who_owns_the_file_now_is_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("MEMORY.md", EDITED)
    real = os.stat

    def stat(path: Any, **options: Any) -> os.stat_result:
        status = real(path, **options)
        if not str(path).endswith("/MEMORY.md"):
            return status
        return os.stat_result([*status[:4], status.st_uid + 7, *status[5:]])

    monkeypatch.setattr(os, "stat", stat)
    (one,) = guarded(world)
    assert one["writer"] == "other_user"
    user = real(world.home).st_uid + 7
    assert f"user {user} of this machine" in world.proposals()[0]["changes"][0]["reason"]


def test_a_session_at_work_is_named_in_a_home_whose_clock_is_real(tmp_path: Path) -> None:
    world, claude = found(tmp_path, is_real=True), tmp_path / "claude"
    world.environment |= {"CLAUDE_CONFIG_DIR": str(claude), "HOME": str(tmp_path)}
    session = claude / "projects/p/s.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("{}")
    written = []
    for away_s in (0, 3_600):
        at = world.write("MEMORY.md", f"{EDITED}- {away_s}\n").stat().st_mtime - away_s
        os.utime(session, (at, at))
        written.append(guarded(world)[0]["writer"])
    assert written == ["session", "unknown"]
    items = [world.stored(path.stem) for path in (world.home / "memory/state/proposals").glob("p-*.json")]
    reasons = {c["reason"]: c["provenance"] for item in items for c in item["changes"]}
    assert {tuple(said) for said in reasons.values()} == {("agent",), ("unknown",)}
    assert any("claude_code" in reason for reason in reasons)


def test_what_drifted_in_many_sections_is_one_item_of_fifty_changes(tmp_path: Path) -> None:
    world = found(tmp_path, memory="# M\n\n" + "".join(f"## S{n}\n\n- It stands.\n\n" for n in range(60)))
    world.write("MEMORY.md", world.read().replace("stands", "lies"))
    world.ok("guard")
    (item,) = world.proposals()
    assert len(item["changes"]) == 50  # nobody answers hundreds, and what was settled so is checked by it


def test_a_file_that_is_gone_is_an_item_with_every_line_taken_out(world: World) -> None:
    (world.home / "MEMORY.md").unlink()
    (one,) = guarded(world)
    assert (one["writer"], one["new"], one["problem"]) == ("unknown", True, None)
    (change,) = world.proposals()[0]["changes"]
    assert (change["op"], change["before"], change["after"]) == ("remove", MEMORY, "")
    assert "gone" in change["reason"]
    assert world.events()[-1]["sha256"] == sha256("")
    review(world)
    assert world.read() == MEMORY
    whole(world)


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


# ------------------------------------------------------------ protected files
def test_a_protected_file_is_noted_at_first_sight_and_asked_about_when_it_changes(world: World) -> None:
    world.write("SOUL.md", "Be kind.\n")
    world.write("AGENTS.md", "Be quick.\n")
    assert guarded(world) == []
    written = {"AGENTS.md": "Be quick.\n", "SOUL.md": "Be kind.\n"}
    files = [{"path": name, "sha256": sha256(text)} for name, text in written.items()]
    assert since(world, 1) == [{"event": "protected.seen", "files": files}]
    assert world.blob(sha256("Be kind.\n")).exists()
    assert (guarded(world), len(world.events())) == ([], 2)
    world.write("SOUL.md", "Obey.\n")
    (one,) = guarded(world)
    told = {"path": "SOUL.md", "proposal": one["proposal"], "protected": True, "writer": "unknown"}
    assert one == {**PLAIN, "new": True, **told}
    item = world.stored(one["proposal"])
    assert item["targets"][0]["meter"]["cap_characters"] is None
    size = len(world.events())
    ran = world.run("review", typed=lambda shown: "n" if shown.rstrip().endswith("quit >") else "y")
    assert "never changed by us" in ran.text, ran
    assert (world.read("SOUL.md"), len(world.events())) == ("Obey.\n", size)
    assert guarded(world) == [{**one, "new": False}]
    review(world, otherwise="y")
    kinds = world.kinds(size)
    assert (kinds, guarded(world)) == (["decision.recorded", "apply.intent", "apply.done"], [])
    (world.home / "SOUL.md").unlink()
    (one,) = guarded(world)
    assert world.proposals()[0]["changes"][0]["op"] == "remove"
    world.write("SOUL.md", "Obey.\n")
    assert guarded(world) == []
    assert world.events()[-1]["reason"] == "withdrawn"
    whole(world)


def test_a_protected_file_is_put_back_nowhere_and_what_is_no_file_is_not_watched(world: World) -> None:
    world.write("SOUL.md", "Be kind.\n")
    world.write("elsewhere.md", "Be late.\n")
    (world.home / "AGENTS.md").symlink_to(world.root / "keys")
    guarded(world)
    (seen,) = [event["files"] for event in world.named("protected.seen")]
    assert [one["path"] for one in seen] == ["SOUL.md"]
    world.write("SOUL.md", "Obey.\n")
    (one,) = guarded(world)
    assert (one["protected"], world.read("SOUL.md")) == (True, "Obey.\n")

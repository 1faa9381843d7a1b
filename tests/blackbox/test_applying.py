"""What becomes of a signed change at its file: placed, out of place, around drift, together; and what is told of it.

Files are compared byte for byte, the log entry by entry, and ``apply --json`` as the document that it is.
"""

import base64
import json
import os
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import log_proposal, signed_as, target_of
from tests.blackbox.person import review, sound
from tests.blackbox.post import join
from tests.blackbox.world import LABELLED, MEMORY, TEXT, World, found, sha256
from tests.rows import tables

NINETY = MEMORY.replace("30 days", "90 days")
USER = "# User\n\n- Likes tea.\n\n## Work\n\n- Sails.\n"
NOTHING: dict[str, Any] = {name: [] for name in ("applied", "stale", "reasons", "waits")}
NOTHING |= {"wait_s": 0, "raced": False}


def replacing(*pairs: tuple[str, str]) -> Callable[[str], str]:
    """Give a change of a text that puts one string in the place of another, pair by pair."""
    return lambda text: reduce(lambda now, pair: now.replace(*pair), pairs, text)


def sign(world: World, name: str) -> str:
    """Approve a proposal and give its id."""
    assert (ran := world.approve(name)).status == 0, ran
    return name


def ninety(world: World) -> str:
    """Have a replacement proposed and signed."""
    words = ("--entry", "Keep backups for 30 days.")
    return world.signed("Keep backups for 90 days.", *words, section="Decisions")


def attempts(world: World, *words: str, status: int = 0) -> dict[str, dict[str, Any]]:
    """Apply; give what the document says of each proposal, which is the whole of it."""
    ran = world.run("apply", *words, "--json")
    assert ran.status == status, ran
    told = {}
    for one in json.loads(ran.out):
        decision, proposal = one.pop("decision"), one.pop("proposal")
        assert (world.home / f"audit/decisions/{decision}.json").exists()
        assert NOTHING.keys() == one.keys()
        told[proposal] = {name: value for name, value in one.items() if value != NOTHING[name]}
    return told


def since(world: World, size: int) -> list[dict[str, Any]]:
    """Give the entries from a place of the log on, without what every entry has."""
    return [
        {name: value for name, value in event.items() if name not in {"v", "seq", "at", "actor"}}
        for event in world.events()[size:]
    ]


def hashed(*texts: str) -> list[str]:
    return [sha256(text.encode()) for text in texts]


def states(world: World) -> dict[str, str]:
    return {one["id"]: one["state"] for one in world.proposals("--all")}


def test_an_apply_is_told_entry_by_entry_and_its_bytes_are_kept(world: World) -> None:
    name = world.signed(TEXT)
    size, (before, after) = len(world.events()), hashed(MEMORY, LABELLED)
    assert attempts(world, name, status=1) == {name: {"wait_s": 7200}}
    assert attempts(world) == {name: {"wait_s": 7200}}
    assert "2 h 0 min to go" in world.run("apply", name).text
    world.wait(hours=1, minutes=59, seconds=59)
    assert attempts(world, name, status=1) == {name: {"wait_s": 1}}
    assert (since(world, size), world.read()) == ([], MEMORY)
    world.wait(seconds=1)
    assert attempts(world) == {name: {"applied": [1]}}
    assert world.read() == LABELLED
    intent, done = since(world, size)
    signed = world.events()[size - 1]
    target = target_of(before, after)
    asked = {"decision": signed["decision"], "proposal": name, "changes": [1], "targets": [target]}
    assert intent == {"event": "apply.intent", "apply": done["apply"], **asked}
    assert done == {"event": "apply.done", "apply": intent["apply"]}
    assert [world.blob(one).read_bytes().decode() for one in (before, after)] == [MEMORY, LABELLED]
    assert (attempts(world), attempts(world, name, status=1)) == ({}, {})
    (step,) = world.json("history")["steps"]
    assert (step["decision"], step["paths"]) == (signed["decision"], ["MEMORY.md"])
    assert [change["undo_until"] for change in step["changes"]] == ["2026-03-08T08:00:00Z"]
    assert len(world.events()) == size + 2
    sound(world)


def test_what_lost_its_place_is_told_once_and_asked_again_while_the_rest_goes_in(world: World) -> None:
    stale, moved = ninety(world), world.signed(TEXT)
    goes = world.signed("Add.", section="Projects")
    edit = replacing(("- Keep backups for 30 days.", "- A month."), ("## Lessons", "## Old"))
    assert world.edit(edit).status == 0
    edited, size = edit(MEMORY), len(world.events())
    assert world.read() == edited
    world.wait(hours=3)
    told = attempts(world, status=1)
    assert list(told) == [stale, moved, goes]
    assert [[one["n"] for one in told[name]["stale"]] for name in (stale, moved)] == [[1], [1]]
    assert "no longer in the file" in told[stale]["stale"][0]["reason"]
    assert "another heading" in told[moved]["stale"][0]["reason"]
    assert told[goes] == {"applied": [1]}
    assert world.read() == edited.rstrip("\n") + "\n\n- Add.\n"
    assert world.kinds(size) == ["change.stale", "change.stale", "apply.intent", "apply.done"]
    signed = {one["proposal"]: one["decision"] for one in world.named("decision.recorded")}
    for event, name in zip(since(world, size), (stale, moved), strict=False):
        what = {"event": "change.stale", "proposal": name, "changes": [1]}
        assert event == {**what, "decision": signed[name]}
    expected = {stale: "stale", moved: "stale", goes: "applied"}
    assert {name: state for name, state in states(world).items() if name in told} == expected
    assert {one["id"] for one in world.proposals()} == {stale, moved}
    assert attempts(world) == {}
    assert len(world.events()) == size + 4
    sound(world)


def test_lines_that_stand_in_another_section_too_are_changed_where_they_were_signed(world: World) -> None:
    name = ninety(world)
    twice = MEMORY.replace("## Projects\n", "## Projects\n\n- Keep backups for 30 days.\n")
    assert world.edit(lambda _: twice).status == 0
    world.wait(hours=3)
    assert attempts(world) == {name: {"applied": [1]}}
    assert world.read() == twice.replace("30 days", "90 days", 1)


def test_below_a_heading_that_stands_twice_since_a_change_is_asked_again(world: World) -> None:
    name = ninety(world)
    twice = MEMORY + "\n## Decisions\n\n- Keep backups for 30 days.\n"
    assert world.edit(lambda _: twice).status == 0
    world.wait(hours=3)
    (one,) = attempts(world, status=1)[name]["stale"]
    assert (one["n"], "has changed since" in one["reason"], world.read()) == (1, True, twice)


def test_what_is_signed_goes_in_around_drift_and_the_drift_stays_unsigned(world: World) -> None:
    first, second = ninety(world), world.signed(TEXT)
    drift = replacing(("upgrade.\n", "upgrade.\n- Drifted.\n"), ("Projects\n", "Projects\n\n- A pump.\n"))
    world.write("MEMORY.md", drift(MEMORY))
    world.ok("guard")
    world.wait(hours=3)
    size = len(world.events())
    told = attempts(world)
    assert (told[first], [one["n"] for one in told[second].pop("waits")]) == ({"applied": [1]}, [1])
    steps = [MEMORY, NINETY]
    files = [drift(MEMORY), drift(NINETY)]
    assert world.read() == files[1]
    signed = [hashed(MEMORY, NINETY), hashed(MEMORY, LABELLED)]
    for n, intent in enumerate(event for event in since(world, size) if event["event"] == "apply.intent"):
        (target,) = intent["targets"]
        assert [target["before"], target["after"]] == hashed(*files[n : n + 2])
        assert [target["accepted_before"], target["accepted"]] == hashed(*steps[n : n + 2])
        assert [target["signed_base"], target["signed_result"]] == signed[n]
    assert world.run("verify").status == 4
    drifted = [(c["before"], c["after"]) for p in world.drift() for c in p["changes"]]
    assert drifted == [("", "- Drifted.\n"), ("", "\n- A pump.\n")]
    world.ok("undo", first)
    assert world.read() == files[1].replace("90 days", "30 days")
    review(world, {"Drifted": "n", "pump": "y"})
    assert attempts(world) == {second: {"applied": [1]}}
    assert world.read() == LABELLED.replace("Projects\n", "Projects\n\n- A pump.\n")
    sound(world)


def test_a_change_that_rests_on_drift_waits_for_its_answer(world: World) -> None:
    drifted = MEMORY + "\n## Pumps\n\n- A pump.\n"
    world.write("MEMORY.md", drifted)
    world.ok("guard")
    name = world.signed("Oil the pump.", section="Pumps")
    rest = world.signed(TEXT)
    world.wait(hours=3)
    size = len(world.events())
    assert [one["n"] for one in attempts(world)[name].pop("waits")] == [1]
    both = drifted.replace("upgrade.\n", f"upgrade.\n- {TEXT}\n")
    assert (world.read(), states(world)[name], states(world)[rest]) == (both, "approved", "applied")
    assert [one["n"] for one in attempts(world, name, status=1)[name].pop("waits")] == [1]
    assert f"Change 1 of {name[:6]} waits" in world.run("apply", name).text
    assert world.kinds(size).count("apply.intent") == 1
    review(world, {"pump": "y"})
    assert attempts(world) == {name: {"applied": [1]}}
    assert world.read() == both + "- Oil the pump.\n"
    sound(world)


def test_under_a_heading_that_drifted_nothing_goes_in_nor_is_edited(world: World) -> None:
    name = ninety(world)
    drifted = MEMORY.replace("## Decisions", "## Evil")
    world.write("MEMORY.md", drifted)
    world.wait(hours=3)
    ran = world.edit(lambda text: text.replace("30 days", "31 days"))
    kept = Path(ran.err.split("your text is in ")[1].strip())
    assert (ran.status, "heading" in ran.err) == (1, True)
    assert kept.read_text() == drifted.replace("30 days", "31 days")
    kept.unlink()
    (one,) = attempts(world, status=1)[name]["stale"]
    assert (one["n"], "another heading" in one["reason"], world.read()) == (1, True, drifted)
    assert world.edit(lambda text: text.replace("an upgrade", "each upgrade")).status == 0, "beside it"
    (target,) = world.named("apply.intent")[-1]["targets"]
    steps = (MEMORY, MEMORY.replace("an upgrade", "each upgrade"))
    assert [target["accepted_before"], target["accepted"]] == hashed(*steps)
    review(world)
    assert world.read() == steps[1]
    sound(world)


def test_an_edit_settles_the_drift_that_it_takes_out_and_no_more(world: World) -> None:
    drifted = MEMORY.replace("- Restart", "- Start").replace("Projects\n", "Projects\n\n- P.\n\n- Q.\n")
    world.write("MEMORY.md", drifted)
    world.ok("guard")
    edit = replacing(("30 days", "31 days"), ("- Start", "- Begin"), ("- P.\n\n", ""))
    assert world.edit(edit).status == 0
    assert world.read() == edit(drifted)
    (target,) = world.named("apply.intent")[-1]["targets"]
    assert [target[name] for name in ("before", "after", "accepted_before", "accepted")] == hashed(
        drifted, edit(drifted), MEMORY, MEMORY.replace("30 days", "31 days")
    )
    world.ok("guard")
    drift = [(c["before"], c["after"]) for p in world.proposals() for c in p["changes"]]
    was, now = (f"- {verb} the relay after an upgrade.\n" for verb in ("Restart", "Begin"))
    assert drift == [(was, now), ("", "\n- Q.\n")]
    review(world)
    assert world.read() == MEMORY.replace("30 days", "31 days")
    sound(world)


def test_beside_drift_nothing_goes_in_whose_accepted_bytes_are_kept_nowhere(world: World) -> None:
    name = world.signed(TEXT)
    drifted = MEMORY.replace("30 days", "40 days")
    world.write("MEMORY.md", drifted)
    blob = world.blob(sha256(MEMORY.encode()))
    kept = blob.read_bytes()
    blob.unlink()
    world.wait(hours=3)
    (one,) = attempts(world)[name]["waits"]
    assert (one["n"], "kept nowhere" in one["reason"], world.read()) == (1, True, drifted)
    ran = world.edit(lambda text: text.replace("- Restart", "- Start"))
    assert (ran.status, "kept nowhere" in ran.err, world.read()) == (1, True, drifted)
    Path(ran.err.split("your text is in ")[1].strip()).unlink()
    blob.write_bytes(kept)
    assert attempts(world) == {name: {"applied": [1]}}
    assert world.read() == LABELLED.replace("30 days", "40 days")


def test_what_was_altered_is_set_aside_and_the_rest_goes_on(world: World) -> None:
    first, second, third = (world.signed(text) for text in ("Count twice.", TEXT, "Ask first."))
    signed = {one["proposal"]: one["decision"] for one in world.named("decision.recorded")}
    altered = {
        world.home / f"memory/state/proposals/{first}.json": (b"twice", b"thrice"),
        world.home / f"audit/decisions/{signed[second]}.json": (b'"reason":""', b'"reason":"x"'),
    }
    kept = {path: path.read_bytes() for path in altered}
    for path, (old, new) in altered.items():
        path.write_bytes(kept[path].replace(old, new))
    world.wait(hours=3)
    told = attempts(world, status=4)
    assert told.pop(third) == {"applied": [1]}
    assert [list(one) for one in told.values()] == [["reasons"], ["reasons"]]
    for name, path in zip((first, second), altered, strict=True):
        (reason,) = told[name]["reasons"]
        assert ("set aside" in reason, str(path) in reason) == (True, True)
    assert world.read() == MEMORY.replace("upgrade.\n", "upgrade.\n- Ask first.\n")
    assert (world.run("proposals", first).status, world.run("verify").status) == (4, 4)
    assert [one["state"] for one in world.proposals() if one["id"] == first] == ["altered"]
    for path, content in kept.items():
        path.write_bytes(content)
    assert attempts(world) == {first: {"applied": [1]}, second: {"applied": [1]}}
    sound(world)


def test_a_signature_that_does_not_hold_any_more_puts_nothing_in(world: World) -> None:
    name = world.signed(TEXT)
    path = world.home / f"audit/decisions/{world.events()[-1]['decision']}.json.sig"
    kept = path.read_bytes()
    path.write_bytes(kept.replace(kept[120:124], b"AAAA"))
    world.wait(hours=3)
    (reason,) = attempts(world, status=1)[name]["reasons"]
    assert ("no key" in reason, world.read(), states(world)[name]) == (True, MEMORY, "approved")
    path.write_bytes(kept)
    assert attempts(world) == {name: {"applied": [1]}}


def test_an_approval_is_asked_again_once_it_expired(world: World) -> None:
    name = world.signed(TEXT)
    size = len(world.events())
    world.wait(days=6, hours=23, minutes=59, seconds=59)
    late = world.copy(world.root / "late")
    late.wait(seconds=1)
    (one,) = attempts(late, status=1)[name]["stale"]
    assert (one["n"], "expired at 2026-03-08 06:00 UTC" in one["reason"]) == (1, True)
    assert (late.read(), late.kinds(size), states(late)[name]) == (MEMORY, ["change.stale"], "stale")
    assert attempts(world) == {name: {"applied": [1]}}


# ------------------------------------------------------------ several files
def two_files(root: Path) -> tuple[World, str]:
    """Give a home with two gated files, and a proposal that adds to both."""
    world = found(root, beside={"USER.md": USER})
    made = world.propose(TEXT)
    proposal = world.stored(made)
    world.ok("reject", made, "--reason", "both or none")
    (change,), (target,) = proposal["changes"], proposal["targets"]
    hunk = {**change["hunk"], "section": ["User", "Work"], "added": "- Counts twice.\n"}
    more = {"n": 2, "target": "USER.md", "section": "User > Work", "after": "- Counts twice."}
    proposal["changes"].append({**change, **more, "key": "counts twice", "hunk": hunk})
    proposal["targets"].append({**target, "path": "USER.md", "base_sha256": sha256(USER.encode())})
    return world, log_proposal(world, proposal)


def test_changes_of_two_files_go_in_together_or_not_at_all(tmp_path: Path) -> None:
    world, name = two_files(tmp_path)
    sign(world, name)
    one_moved, one_drifted, crossed = (
        world.copy(tmp_path / place) for place in ("moved", "drifted", "crossed")
    )
    both = ["MEMORY.md", "USER.md"]
    for twin in (world, one_moved, one_drifted, crossed):
        twin.wait(hours=3)
    size = len(world.events())
    assert attempts(world) == {name: {"applied": [1, 2]}}
    assert [world.read(path) for path in both] == [LABELLED, USER + "- Counts twice.\n"]
    assert [one["path"] for one in since(world, size)[0]["targets"]] == both
    sound(world)
    world.ok("undo", f"{name}#2")
    assert [world.read(path) for path in both] == [LABELLED, USER]
    world.ok("undo", name)
    assert [world.read(path) for path in both] == [MEMORY, USER]
    sound(world)

    assert one_moved.edit(lambda text: text.replace("## Lessons", "## Old")).status == 0
    stale = attempts(one_moved, status=1)[name]["stale"]
    assert [one["n"] for one in stale] == [1, 2]
    assert ["heading" in stale[0]["reason"], "together" in stale[1]["reason"]] == [True, True]
    assert [one_moved.read(path) for path in both] == [MEMORY.replace("## Lessons", "## Old"), USER]

    drifted = USER.replace("# User\n", "# User\n\n- Likes gin.\n")
    one_drifted.write("USER.md", drifted)
    assert attempts(one_drifted) == {name: {"applied": [1, 2]}}
    assert [one_drifted.read(path) for path in both] == [LABELLED, drifted + "- Counts twice.\n"]
    (crossed.home / "USER.md").unlink()
    (crossed.home / "USER.md").symlink_to("MEMORY.md")
    size = len(crossed.events())
    assert crossed.run("apply").status != 0
    assert (crossed.read(), crossed.kinds(size), states(crossed)[name]) == (MEMORY, [], "approved")


def test_where_this_user_may_not_write_nothing_is_begun(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(world, world.propose(TEXT))
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != world.home)
    ran, size = world.try_apply(), len(world.events())
    assert (ran.status, "may not be written by this user" in ran.text) == (1, True), ran
    assert (world.read(), "apply.intent" in world.kinds()) == (MEMORY, False)
    monkeypatch.undo()
    world.ok("apply")
    assert (world.read(), world.kinds(size)) == (LABELLED, ["apply.intent", "apply.done"])


# ------------------------------------------------------------ decisions that come from elsewhere
class Post:
    """An agent's home, and a machine that hands it decisions over a shared directory."""

    def __init__(self, home: World, root: Path) -> None:
        self.home, self.desk, self.spool = home, found(root / "desk"), root / "spool"
        join(self.home, self.desk, self.spool, "--actions", "decide", names=("desk", "host"))

    def hand(self, content: bytes, signature: str) -> tuple[str, list[str]]:
        """Hand a decision over; give the answer's status, and each line of its reason but the first."""
        body = self.desk.root / "body.json"
        body.write_text(json.dumps({"decision": content.decode(), "signature": signature}))
        self.desk.ok("channel", "send", "decide", "--to", "host", "--body", str(body))
        assert self.home.run("channel", "receive").status in {0, 1}
        (answer,) = (self.spool / self.desk.own_keys.name / "new").iterdir()
        told = json.loads(base64.b64decode(json.loads(answer.read_bytes())["payload"]))
        answer.unlink()
        for world in (self.desk, self.home):
            world.wait(seconds=1)
        first, *reasons = told["reason"].split("\n")
        return told["status"], [reason.strip() for reason in reasons] or [first]


TABLES = tables("blackbox-applying")
CHANGED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = TABLES["changed"]


def signed_beside(world: World, name: str) -> dict[str, Any]:
    """Give what an operator signs of a proposal, which the home itself does not know."""
    twin = world.copy(world.root / "twin")
    sign(twin, name)
    path = twin.home / f"audit/decisions/{twin.events()[-1]['decision']}.json"
    return dict(json.loads(path.read_bytes()))


def test_a_decision_is_refused_for_every_reason_at_once_and_counts_once(world: World, tmp_path: Path) -> None:
    post = Post(world, tmp_path)
    name = world.propose(TEXT)
    like, recorded = signed_beside(world, name), len(list((world.home / "audit/decisions").iterdir()))
    wrong = []
    given = {why: signed_as(world, {**like, **changed}, "operator") for why, (changed, _) in CHANGED.items()}
    expected = {why: reasons for why, (_, reasons) in CHANGED.items()}
    content, signature = signed_as(world, like, "operator")
    given |= {
        "another purpose": signed_as(world, like, "operator", namespace="file"),
        "another key": signed_as(post.desk, like, "operator"),
        "other white space": (content.replace(b'"v":2', b'"v": 2'), signature),
        "another id": (content.replace(b'"id":"d-', b'"id":"d-a')[:-1] + b"}", signature),
        "no JSON": (b"{", signature),
        "no signature": (content, "no signature"),
    }
    unsigned = ("no key in allowed_signers",)
    expected |= {"another purpose": unsigned, "another key": unsigned, "no signature": unsigned}
    expected |= {
        "other white space": ("canonical form", *unsigned),
        "another id": ("pattern",),
        "no JSON": ("not JSON",),
    }
    for why, handed in given.items():
        status, reasons = post.hand(*handed)
        fits = len(reasons) == len(expected[why]) and all(
            words in reason for words, reason in zip(expected[why], reasons, strict=True)
        )
        if status != "rejected" or not fits:
            wrong.append((why, status, reasons))
    assert wrong == []
    assert len(list((world.home / "audit/decisions").iterdir())) == recorded
    assert states(world)[name] == "pending"
    assert [post.hand(content, signature)[0] for _ in range(2)] == ["executed", "executed"]
    (event,) = [one for one in world.named("decision.recorded") if one["proposal"] == name]
    stored = world.home / f"audit/decisions/{event['decision']}.json"
    files = (stored.read_bytes(), stored.with_name(f"{stored.name}.sig").read_text())
    assert files == (content, signature)
    assert [event["sha256"], event["signature_sha256"]] == [sha256(content), sha256(signature.encode())]
    assert post.hand(*signed_as(world, {**like, "nonce": "1" * 32}, "operator")) == (
        "rejected",
        ["change 1 is approved"],
    )
    world.wait(hours=3)
    assert attempts(world) == {name: {"applied": [1]}}
    assert world.read() == LABELLED
    sound(world)


def test_a_change_on_which_another_rests_is_not_taken_back_alone(world: World) -> None:
    proposal = world.stored(made := world.propose(TEXT))
    world.ok("reject", made, "--reason", "with its rider")
    (change,) = proposal["changes"]
    rider = "- Label the drum.\n"
    more = {"n": 2, "op": "replace", "before": f"- {TEXT}", "after": rider.strip(), "key": "label the drum"}
    hunk = {**change["hunk"], "removed": f"- {TEXT}\n", "added": rider, "anchor": "lines"}
    proposal["changes"].append({**change, **more, "hunk": hunk})
    name = sign(world, log_proposal(world, proposal))
    world.wait(hours=3)
    assert attempts(world) == {name: {"applied": [1, 2]}}
    before = world.read()
    world.tells("change 2 rests on it", "undo", f"{name}#1", status=1)
    assert (world.read(), rider in before) == (before, True)
    world.ok("undo", name)
    assert world.read() == MEMORY


def test_no_proposal_writes_a_file_that_is_no_memory(world: World) -> None:
    """Whoever holds the log's key logs one that would."""
    world.write("notes/plan.md", "# Plan\n\n## Lessons\n\n- Sail.\n")
    proposal = world.stored(made := world.propose(TEXT))
    world.ok("reject", made, "--reason", "elsewhere")
    for part in (*proposal["changes"], *proposal["targets"]):
        part.update({"target": "notes/plan.md"} if "target" in part else {"path": "notes/plan.md"})
    name, size = log_proposal(world, proposal), len(world.events())
    told = "notes/plan.md is neither a daily log nor in the archive nor a skill of this home"
    assert told in world.run("approve", name).text
    assert "decision.recorded" not in world.kinds(size)
    world.try_apply()
    assert "Label" not in world.read("notes/plan.md")

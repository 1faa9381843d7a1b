"""A review from outside: what is listed and in which words, what each answer signs, what falls away meanwhile."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import event_named, logged_proposal
from tests.blackbox.person import review, stands
from tests.blackbox.test_lifecycle import old, whole  # noqa: F401 - a home with things to let go, as a fixture
from tests.blackbox.world import MEMORY, SECRET, World, found, sha256
from tests.rows import each_row, tables

RELAY = "- Restart the relay after an upgrade.\n"
BACKUPS = "- Keep backups for 30 days.\n"
ONE, TWO = "- Ida's salary is 4000.\n", "- Ida's salary is 5000.\n"
NET = "- Ida's salary is 4000 (both are true when it is paid net)\n"
OLD, RAISED = "- The rent of the shed is 4000 crowns", "- The rent of the shed is 5000 crowns."
NEW = RAISED.replace("- ", "- Lesson: ")
TABLES = tables("blackbox-reviewing", RELAY=RELAY, ONE=ONE, TWO=TWO, NET=NET, OLD=OLD, RAISED=RAISED, NEW=NEW)
Change = Callable[[dict[str, Any]], None]


def like(removed: str, added: str, **said: str) -> Change:
    """Have a proposal's first change do this to the lessons, and say that of itself."""

    def change(item: dict[str, Any]) -> None:
        one = item["changes"][0]
        one.update({"section": "MEMORY.md > Somewhere", **said})
        one["hunk"].update(removed=removed, added=added, section=["MEMORY.md", "Lessons"], anchor="lines")

    return change


def answering(*answers: str) -> Callable[[str], str]:
    """Answer each change in turn, a reason with "because N"; every other question with yes."""
    left, reasons = list(answers), iter(range(1, 99))

    def answer(shown: str) -> str:
        if shown.rstrip().endswith("quit >"):
            return left.pop(0)
        return f"because {next(reasons)}" if shown.rstrip().endswith("reason >") else "y"

    return answer


# ------------------------------------------------------------ what is listed
def test_drift_is_listed_first_then_the_oldest_proposal_each_with_its_sizes(world: World) -> None:
    first = world.propose("Count twice.")
    world.wait(minutes=5)
    second = world.removal("Keep backups for 30 days.", section="Decisions", reason="it is over")
    world.write("MEMORY.md", MEMORY + "\n- Boat.\n")
    text = world.run("review").text
    assert "no item asks about it yet" in text
    assert len(world.json("review")) == 2, "nothing is written where nobody can answer"
    ran = world.run("review", typed=answering("s", "s", "s"))
    drift = event_named(world, "drift.found")["proposal"]
    heads = [line for line in ran.out.splitlines() if line.startswith("[")]
    assert heads[0] == "[1/3] MEMORY.md was changed outside Nightledger: add to MEMORY.md, Projects"
    assert heads[1] == "[2/3] The agent asks: Count twice.: add to MEMORY.md, Lessons"
    assert heads[2] == "[3/3] The agent asks: it is over: remove from MEMORY.md, Decisions"
    assert f"{drift[:6]}, MEMORY.md: 119 to 128 characters" in ran.out
    assert f"{first[:6]}, MEMORY.md: 119 to 134 characters" in ran.out
    listed = world.json("review")
    members = ("id", "n", "op", "state", "before", "after", "unplaced")
    assert [tuple(one[name] for name in members) for one in listed] == [
        (drift, 1, "add", "deferred", "", "\n- Boat.\n", ""),
        (first, 1, "add", "deferred", "", "- Count twice.", ""),
        (second, 1, "remove", "deferred", BACKUPS, "", ""),
    ]
    assert "+- Boat." in listed[0]["diff"]
    (one,) = json.loads(world.ok("review", first, "--json"))
    assert one == listed[1]


ROWS = TABLES["hunks"]
"""What a change says of itself, and beside it what its hunk makes it: operation, lines out, lines in."""


def test_a_change_is_called_what_its_hunk_makes_it_whatever_it_says_of_itself(world: World) -> None:
    name = world.propose("Count twice.")
    wrong = {}
    for mark, (op, removed, added, before, after, *expected) in ROWS.items():
        forged = logged_proposal(world, name, like(removed, added, op=op, before=before, after=after), mark)
        (one,) = world.json("review", forged)
        found_now = [one["op"], one["before"], one["after"]]
        if found_now != expected or one["section"] != "MEMORY.md > Lessons":
            wrong[mark] = one
    assert not wrong, wrong


def test_a_change_whose_number_another_has_cannot_be_signed(world: World) -> None:
    def twice(item: dict[str, Any]) -> None:
        item["changes"].append({**item["changes"][0]})

    name = logged_proposal(world, world.propose("Count twice."), twice)
    size = len(world.events())
    told = [one["unplaced"] for one in world.json("review", name)]
    assert ["two changes of one number" in one for one in told] == [True] * 2
    assert world.approve(name).status == 1
    ran = world.run("review", name, typed=answering("y", "s", "y", "s"))
    assert ran.text.count("it cannot be signed") == 2
    assert "decision.recorded" not in world.kinds(size)


def test_a_change_without_a_place_says_why_and_is_rejected_only(world: World) -> None:
    gone = like("- Gone.\n", "- New.\n", op="replace")
    forged = logged_proposal(world, world.propose("Count twice."), gone)
    (one,) = world.json("review", forged)
    assert (one["diff"], "settle what drifted and review again" in one["unplaced"]) == ("", True)
    size = len(world.events())
    ran = world.run("review", forged, typed=answering("y", "n"))
    assert "it cannot be signed" in ran.text
    (decision,) = world.decisions(size)
    assert (decision["type"], decision["changes"], decision["reason"]) == ("reject", [1], "because 1")


# ------------------------------------------------------------ what is signed
def test_each_proposal_has_one_approval_and_a_rejection_for_each_reason(world: World) -> None:
    def four(item: dict[str, Any]) -> None:
        one = item["changes"][0]
        item["changes"] = []
        for n in range(1, 5):
            hunk = {**one["hunk"], "anchor": "section_end", "added": f"- Lamp {n}.\n"}
            item["changes"].append({**one, "n": n, "after": hunk["added"], "hunk": hunk})

    name = logged_proposal(world, world.propose("Count twice."), four)
    shown = world.json("review", name)
    assert [one["unplaced"] for one in shown] == [""] * 4, shown
    world.wait(hours=1)
    size = len(world.events())
    world.ok("review", name, typed=answering("y", "n", "n", "y"))
    approval, first, second = world.decisions(size)
    expected = [("approve", [1, 4], ""), ("reject", [2], "because 1"), ("reject", [3], "because 2")]
    assert [(one["type"], one["changes"], one["reason"]) for one in (approval, first, second)] == expected
    after = MEMORY.replace(RELAY, f"{RELAY}- Lamp 1.\n- Lamp 4.\n")
    (target,) = approval["targets"]
    assert (target["path"], target["base"], target["result"]) == ("MEMORY.md", sha256(MEMORY), sha256(after))
    assert (first["targets"], second["targets"]) == ([], [])
    assert (approval["not_before"], approval["expires"]) == ("2026-03-01T08:00:00Z", "2026-03-08T07:00:00Z")
    assert {one["not_before"] for one in (first, second)} == {"2026-03-01T07:00:00Z"}
    shown_then = sha256((world.home / f"memory/state/proposals/{name}.json").read_bytes())
    for one in (approval, first, second):
        assert (one["proposal_sha256"], one["log"]["size"]) == (shown_then, size)
        who = (one["origin"], one["principal"], one["v"])
        assert who == (world.events()[0]["origin"], "operator", 2)
    world.wait(hours=1)
    world.ok("apply")
    assert world.read() == after


RULES = "# Rules\n\n## Never\n\n- Share keys.\n- Delete logs.\n\n## Always\n\n- Ask first.\n"


def three(world: World) -> list[str]:
    """Propose to take a line out here, to put it in there, and to reword it where it was."""
    first = world.removal("Share keys.", section="Never")
    second = world.propose("Share keys.", section="Always")
    return [first, second, world.propose("Post KEYS.", "--entry", "Share keys.", section="Never")]


def test_a_change_is_asked_again_that_another_would_put_under_another_heading(tmp_path: Path) -> None:
    world = found(tmp_path, memory=RULES)
    names = three(world)
    world.wait(hours=3)
    size = len(world.events())
    world.tells(
        f"not signed: {names[2][:6]}: another change", "review", typed=answering("y", "y", "y"), status=1
    )
    assert [one["proposal"] for one in world.decisions(size)] == names[:2]
    assert [p["id"] for p in world.proposals() if p["state"] == "pending"] == [names[2]]
    world.apply_cooled()
    assert stands(world.read(), "Share keys", under="Always")
    assert not stands(world.read(), "KEYS", under="Rules")


def test_so_is_a_proposal_whose_own_changes_would(tmp_path: Path) -> None:
    world = found(tmp_path, memory=RULES)
    changes = [world.stored(name)["changes"][0] for name in three(world)]
    for name in [p["id"] for p in world.proposals()]:
        world.ok("reject", name, "--reason", "no")

    def all_three(item: dict[str, Any]) -> None:
        item["changes"] = [{**change, "n": n} for n, change in enumerate(changes, 1)]

    name = logged_proposal(world, world.proposals("--all")[0]["id"], all_three)
    world.wait(hours=3)
    size = len(world.events())
    world.tells(f"not signed: {name[:6]}: another change", "review", typed=answering("y", "y", "y"), status=1)
    assert world.decisions(size) == []
    ran = world.run("review", typed=answering("s", "y", "y"))
    assert [one["changes"] for one in world.decisions(size)] == [[2, 3]] or ran.status == 1


# ------------------------------------------------------------ what fell away while it was read
def meanwhile(world: World, act: Callable[[], object], *answers: str) -> tuple[str, list[dict[str, Any]]]:
    """Hold a review during which something else happens; give what it says and the decisions that it signed."""
    size, answer = len(world.events()), answering(*answers)
    done: list[object] = []

    def typed(shown: str) -> str:
        if shown.rstrip().endswith("quit >") and not done:
            done.append(act())
        return answer(shown)

    ran = world.run("review", typed=typed)
    mine = [d for d in world.decisions(size) if d["reason"] != "elsewhere"]
    assert ran.status == (1 if "not signed" in ran.text else 0), ran
    return ran.text, mine


def test_what_was_answered_elsewhere_meanwhile_is_named_and_the_rest_is_signed(world: World) -> None:
    first, second = world.propose("Count twice."), world.propose("Label both ends.")
    world.wait(hours=3)
    text, signed = meanwhile(world, lambda: world.ok("reject", first, "--reason", "elsewhere"), "y", "y")
    assert f"not signed: {first[:6]}#1: it is rejected meanwhile" in text
    assert [(d["proposal"], d["type"]) for d in signed] == [(second, "approve")]
    third = world.propose("Water the fern.")
    text, signed = meanwhile(world, lambda: world.ok("reject", third, "--reason", "elsewhere"), "s")
    assert (f"not signed: {third[:6]}#1: it is rejected meanwhile" in text, signed) == (True, [])
    fourth = world.propose("Oil the hinge.")
    text, signed = meanwhile(world, lambda: world.approve(fourth), "n")
    assert [d["type"] for d in signed] == ["approve", "reject"] or f"{fourth}#1: it is approved" in text


def test_a_change_is_asked_again_where_its_lines_were_written_to_meanwhile(world: World) -> None:
    name = world.propose("Count twice.")
    beside = MEMORY.replace(RELAY, f"{RELAY}- Rival.\n")
    text, signed = meanwhile(world, lambda: world.write("MEMORY.md", beside), "y")
    assert ("its file has changed since it was shown" in text, signed) == (True, [])
    assert name in [p["id"] for p in world.proposals()]
    world.write("MEMORY.md", MEMORY)
    far = MEMORY.replace("# MEMORY.md\n", "# MEMORY.md\n\nWritten by hand.\n")
    text, signed = meanwhile(world, lambda: world.write("MEMORY.md", far), "y")
    assert ([d["proposal"] for d in signed], "not signed" in text) == ([name], False)


def test_what_was_altered_or_lost_its_lines_meanwhile_is_asked_again(world: World) -> None:
    name = world.propose("Count twice.")
    path = f"memory/state/proposals/{name}.json"
    text, signed = meanwhile(world, lambda: world.alter(path, b"twice", b"never"), "y")
    assert (f"{name[:6]}#1: its file was altered meanwhile" in text, signed) == (True, [])
    world.ok("reject", name, "--reason", "altered")
    name = world.propose("Restart it twice.", "--entry", "Restart the relay after an upgrade.")
    text, signed = meanwhile(world, lambda: world.write("MEMORY.md", MEMORY.replace(RELAY, "")), "y")
    assert (f"not signed: {name[:6]}#1:" in text, "look at it again" in text, signed) == (True, True, [])


def test_a_change_is_asked_again_where_a_heading_above_it_was_changed_meanwhile(world: World) -> None:
    far = "".join(f"- Lamp {n}.\n" for n in range(9))
    text = MEMORY.replace("## Lessons\n\n", f"## Lessons\n\n{far}")
    world = world if text == MEMORY else found(world.root / "far", memory=text)
    world.propose("Count twice.")
    changed = text.replace("## Lessons", "## Never do")
    said, signed = meanwhile(world, lambda: world.write("MEMORY.md", changed), "y")
    assert (signed, "not signed" in said) == ([], True)


def test_drift_taken_back_beside_a_change_has_it_asked_again(world: World) -> None:
    name = world.propose("Count twice.")
    world.write("MEMORY.md", MEMORY.replace(RELAY, f"{RELAY}- Rival.\n"))
    world.ok("guard")
    size = len(world.events())
    world.tells("has changed since it was shown", "review", typed=answering("n", "y"), status=1)
    world.ok("review", typed=answering("y"))
    drift, approval = world.decisions(size)
    assert (drift["type"], drift["changes"], drift["reason"]) == ("drift", [], drift["reason"])
    assert (approval["proposal"], approval["targets"][0]["base"]) == (name, sha256(MEMORY))
    assert world.read() == MEMORY
    whole(world)


# ------------------------------------------------------------ the operator's own words
def test_what_an_operator_words_anew_takes_the_place_of_what_was_shown(world: World) -> None:
    words = ("--entry", "Keep backups for 30 days.", "--source", "memory/2026-03-01.md:3")
    world.log_day("2026-03-01", "08:00 Backups of 30 days are too few")
    name = world.propose("Keep backups for 60 days.", *words, section="Decisions")
    before = world.stored(name)["changes"][0]
    world.use_editor('#!/bin/sh\nsed -i "s/60/90/" "$1"\n')
    world.run("review", typed=answering("e"))
    states = {p["id"]: p["state"] for p in world.proposals("--all")}
    (new,) = [one for one, state in states.items() if state == "pending"]
    assert states[name] == "superseded"
    item = world.stored(new)
    (change,) = item["changes"]
    assert (item["lane"], item["supersedes"]) == ("operator", name)
    assert item["title"].partition(":")[0] == "The agent asks"
    assert (change["op"], change["hunk"]["removed"]) == ("replace", BACKUPS)
    assert change["after"].strip() == "- Keep backups for 90 days."
    assert change["reason"] == "it helped (worded by the operator)"
    assert change["evidence"] == before["evidence"] != []
    assert change["section"] == "MEMORY.md > Decisions"
    world.wait(hours=3)
    review(world, otherwise="y")
    world.apply_cooled()
    assert world.read() == MEMORY.replace("30 days", "90 days")
    whole(world)


@pytest.mark.parametrize("script", ["true", ': > "$1"', "printf '\\n \\n' > \"$1\""])
def test_wording_that_says_the_same_or_nothing_changes_nothing(world: World, script: str) -> None:
    name = world.propose("Count twice.")
    size = len(world.events())
    world.use_editor(f"#!/bin/sh\n{script}\n")
    world.run("review", typed=answering("e", "s"))
    assert world.kinds(size) == ["proposal.deferred"]
    assert [p["id"] for p in world.proposals()] == [name]


def test_what_is_let_go_or_drifted_has_no_words_to_change(old: World, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    world = old.copy(tmp_path)
    world.use_editor('#!/bin/sh\necho "- Mine." > "$1"\n')
    world.write("MEMORY.md", world.read() + "\n- Boat.\n")
    size = len(world.events())
    asked = []

    def answer(shown: str) -> str:
        asked.append("e edit" in shown)
        return "e" if len(asked) % 2 else "s"

    world.run("review", typed=answer)
    assert not any(asked)
    made = set(world.kinds(size))
    assert made <= {"proposal.created", "drift.found", "proposal.deferred"}


# ------------------------------------------------------------ an edit of the operator's own
def test_an_edit_is_signed_and_applied_at_once_hunk_by_hunk(world: World) -> None:
    after = MEMORY.replace("30 days", "90 days").replace(RELAY, "")
    after = after.replace("## Projects\n", "## Projects\n\n- Boat.\n")
    size = len(world.events())
    assert world.edit(lambda _: after).status == 0
    assert world.read() == after
    created, recorded, intent, *_, done = world.events()[size:]
    assert (created["lane"], created["changes"], recorded["type"]) == ("edit", 3, "approve")
    assert (intent["event"], done["event"]) == ("apply.intent", "apply.done")
    item = world.stored(created["proposal"])
    assert [(c["op"], c["before"], c["after"]) for c in item["changes"]] == [
        ("replace", BACKUPS, BACKUPS.replace("30", "90")),
        ("remove", item["changes"][1]["before"], item["changes"][1]["after"]),
        ("add", "", item["changes"][2]["after"]),
    ]
    assert {tuple(c["provenance"]) for c in item["changes"]} == {("owner",)}
    assert {c["reason"] for c in item["changes"]} == {"The operator edited the file."}
    assert (item["title"], item["period"]) == ("The operator's edit of MEMORY.md", "2026-03-01")
    assert "+- Boat." in item["changes"][2]["diff"]
    assert "- Keep backups" not in item["changes"][2]["diff"].replace("+- Boat.", "")
    (decision,) = world.decisions(size)
    assert (decision["not_before"], decision["changes"]) == ("2026-03-01T06:00:00Z", [1, 2, 3])
    whole(world)
    world.ok("undo", created["proposal"])
    assert world.read() == MEMORY


def test_an_edit_that_cannot_be_recorded_says_why(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(world.root))
    size = len(world.events())
    rows = {f"\n- token: {SECRET}\n": "github", "": "", "\n- password: Zebra7lamp9!x\n": "password"}
    for added, rule in rows.items():
        ran = world.edit(lambda text: text + added)  # noqa: B023 - called at once
        said = f"the scanner secret.{rule} holds the new text back" if rule else ""
        assert (ran.status, said in ran.text) == (int(bool(rule)), True), ran
        assert (world.read(), len(world.events())) == (MEMORY, size)
    kept = [path.read_text() for path in world.root.glob("nightledger-edit-*.md")]
    assert sorted(kept) == sorted(MEMORY + added for added in rows if added)


def test_an_edit_of_bytes_that_are_no_utf8_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    memory = MEMORY.encode().replace(b"30 days", b"30 d\xe9ys")
    world = found(tmp_path, memory=memory)
    world.use_editor('#!/bin/sh\nLC_ALL=C sed -i "s/Keep/Hold/" "$1"\n')
    world.tells("cannot be recorded", "edit", typed=["y"], status=1)
    assert (world.home / "MEMORY.md").read_bytes() == memory
    world.use_editor('#!/bin/sh\nLC_ALL=C sed -i "s/Restart/Start/" "$1"\n')
    world.ok("edit", typed=["y"])
    assert (world.home / "MEMORY.md").read_bytes() == memory.replace(b"Restart", b"Start")
    whole(world)


def test_an_edit_under_a_drifted_heading_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(world.root))
    drifted = MEMORY.replace("## Lessons", "## Never do")
    world.write("MEMORY.md", drifted)
    size = len(world.events())
    ran = world.edit(lambda text: text.replace(RELAY, f"- Count twice.\n{RELAY}"))
    said = "a heading above its lines was changed outside Nightledger"
    assert (ran.status, said in ran.text) == (1, True), ran
    assert world.read() == drifted
    assert not {"apply.intent", "decision.recorded"} & set(world.kinds(size))
    assert world.edit(lambda text: text.replace("30 days", "90 days")).status == 0
    review(world)
    assert world.read() == MEMORY.replace("30 days", "90 days")
    whole(world)


# ------------------------------------------------------------ two entries that contradict each other
PAID = "# MEMORY.md\n\n## Pay (2026-02-01)\n\n- Ida's salary is 4000.\n\n## Pay\n\n- Ida likes tea.\n- Ida's salary is 5000.\n"


def told_when(*answers: str, when: str = "") -> Callable[[str], str]:
    """Answer each change in turn, and say when both of two are true."""
    answer = answering(*answers)
    return lambda shown: when if "both are true when" in shown.splitlines()[-1] else answer(shown)


@each_row("keys,when,stays", TABLES["two_entries"])
def test_of_two_entries_the_operator_keeps_one_or_says_when_both_are_true(
    tmp_path: Path, keys: list[str], when: str, stays: list[str]
) -> None:
    world = found(tmp_path / f"{keys}{bool(when)}", memory=PAID.encode())
    world.ok("check")
    ran = world.run("review", typed=told_when(*keys, when=when))
    assert "1 line 5: - Ida's salary is 4000. 2 line 10: - Ida's salary is 5000." in ran.text
    assert "3 both are true" in ran.text
    assert ran.text.count("! contradiction: line ") == ran.text.count("line 10 says")
    world.try_apply()
    assert [line for line in (ONE, NET, TWO) if line in world.read()] == stays
    assert world.json("check")["doubts"] == []
    world.wait(days=60)
    assert world.json("check")["doubts"] == [], "it is settled for good"
    whole(world)


def test_of_two_values_one_of_which_stands_below_another_item_the_other_stays(tmp_path: Path) -> None:
    below = "- Ida:\n  - Ida's salary is 5000.\n    - Since May.\n  - Ida likes tea.\n"
    world = found(tmp_path, memory=f"{PAID[: PAID.index('- Ida likes')]}{below}".encode())
    world.ok("check")
    world.run("review", typed=told_when("1", "y"))
    world.try_apply()
    assert world.read().partition("## Pay\n\n")[2] == "- Ida:\n  - Ida likes tea.\n"
    assert ONE in world.read()


@each_row("keys,when,stays", TABLES["beside"])
def test_what_a_night_would_put_into_an_entrys_place_may_stand_beside_it(
    tmp_path: Path, keys: list[str], when: str, stays: list[str]
) -> None:
    world = found(tmp_path / f"{keys}{bool(when)}", memory=f"# M\n\n## Facts\n\n{OLD}\n".encode())
    world.log_day("2026-03-02", RAISED.removeprefix("- "))
    world.night(3)
    world.run("review", typed=told_when(*keys, when=when))
    world.try_apply()
    assert world.read().removeprefix("# M\n\n## Facts\n\n").splitlines() == stays
    world.wait(days=60)
    assert world.json("check")["doubts"] == []


@each_row("keys,when,stays", TABLES["in_place"])
def test_what_may_contradict_an_entry_takes_its_place_only_where_the_operator_says_so(
    tmp_path: Path, keys: list[str], when: str, stays: list[str]
) -> None:
    world = found(tmp_path / f"{keys}{bool(when)}", memory=f"# M\n\n## Facts\n\n{OLD}\n".encode())
    world.log_day("2026-02-20", NEW.removeprefix("- "))
    world.now = world.now.replace(day=3)
    world.ok("consolidate", "--since", "2026-02-20")
    ran = world.run("review", typed=told_when(*keys, when=when))
    assert "may contradict MEMORY.md:5" in ran.text
    assert "1 line 5: - The rent of the shed is 4000 crowns 2 new: - " in ran.text
    world.try_apply()
    rows = world.read().removeprefix("# M\n\n## ").splitlines()
    assert [row for row in rows if row.startswith("-")] == stays
    world.wait(days=60)
    assert world.json("check")["doubts"] == []

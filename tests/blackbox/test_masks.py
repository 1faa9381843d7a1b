"""What a mask hides is not signed: whoever writes one line chooses no words that nobody reads. From outside."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import event_named
from tests.blackbox.person import Person, review
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import MEMORY, World, found, sha256
from tests.rows import tables

WORD = "mail-all-keys-to-mallory42"
LABEL = f"- password: {WORD}\n"
LOGIN = f"- log in with {WORD}\n"
GONE = "- log in with [secret removed]\n"
RULE = "never-delete-backups"
HIDDEN = "another text calls part of it a secret, so that it cannot be read"
BEGIN, END = "-----BEGIN OPENSSH PRIVATE KEY-----\n", "-----END OPENSSH PRIVATE KEY-----\n"
BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n"


BILL = f"- The hosting bill of each month: {WORD}\n"
GIVEN = {"LABEL": LABEL, "LOGIN": LOGIN, "RULE": RULE, "BILL": BILL, "BEGIN": BEGIN, "BODY": BODY, "END": END}
TABLES = tables("blackbox-masks", MEMORY=MEMORY, **GIVEN)


def home(root: Path, text: str) -> World:
    return found(root, memory=text)


def listed(world: World, kind: str = "") -> dict[str, Any]:
    """Give the one change that waits, of that kind."""
    drifts = {p["id"] for p in world.proposals() if p["kind"] == "drift"}
    (one,) = [item for item in world.json("review") if (item["id"] in drifts) is (kind == "drift")]
    return dict(one)


def signs_nothing(world: World) -> None:
    """Demand that a yes to what waits signs none of it."""
    size = len(world.events())
    left = iter("yq")

    def answer(shown: str) -> str:
        return next(left, "q") if shown.rstrip().endswith("quit >") else "y"

    drifted = [p for p in world.proposals() if p["kind"] == "drift"]
    if not drifted:
        assert "it cannot be signed" in world.run("review", typed=answer).text
    name = listed(world)["id"]
    assert world.approve(name).status == 1
    assert "decision.recorded" not in world.kinds(size)


def drift(world: World, text: str) -> None:
    world.write("MEMORY.md", text)
    world.ok("guard")


def checked(world: World) -> dict[str, Any]:
    """Have a check-up propose what it finds, keep the removal of the line that another one calls secret; give that change."""
    world.ok("check")
    (name,) = [p["id"] for p in world.proposals() if p["kind"] != "drift"]
    item = world.stored(name)
    holes = [change for change in item["changes"] if "\u2588" in change["hunk"]["removed"]]
    (masked,) = [change for change in holes if "password" not in change["hunk"]["removed"]]
    others = [str(change["n"]) for change in item["changes"] if change is not masked]
    if others:
        world.ok("reject", name, "--only", ",".join(others), "--reason", "stays")
    return dict(masked)


@pytest.mark.parametrize("words", ["added", "removed"])
def test_words_that_a_drifted_password_masks_wait_until_that_is_answered(tmp_path: Path, words: str) -> None:
    world = home(tmp_path, MEMORY + f"\n- {RULE}\n")
    secret = WORD if words == "added" else RULE
    if words == "added":
        world.propose(f"The hosting bill of each month: {WORD}")
    else:
        world.ok("propose", "--remove", "--entry", RULE, "--section", "Projects", "--reason", "it is over")
    drift(world, world.read() + f"- password: {secret}\n")
    one = listed(world)
    assert (HIDDEN in one["unplaced"], secret in one["diff"]) == (True, False)
    signs_nothing(world)
    review(world, otherwise="q")
    world.run("review", typed=Person(says={"password": "n"}, otherwise="s"))
    one = listed(world)
    assert (one["unplaced"], secret in one["diff"]) == ("", True)
    whole(world)


def test_a_line_that_accepted_text_calls_secret_goes_with_holes_and_only_that_line(tmp_path: Path) -> None:
    text = f"{MEMORY}\n{LABEL}\n## Notes\n\n- One.\n{LOGIN}"
    world = home(tmp_path, text)
    change = checked(world)
    assert WORD not in json.dumps(change)
    one = listed(world)
    assert (one["unplaced"], WORD in one["diff"], "masked" in one["diff"]) == ("", False, True)
    world.wait(hours=3)
    person = review(world, otherwise="y")
    assert not person.was_shown(WORD)
    world.apply_cooled()
    assert world.read() == text.replace(LOGIN, GONE)
    assert event_named(world, "decision.recorded")["type"] == "approve"
    whole(world)


def test_a_line_that_nothing_calls_secret_any_more_is_signed_once_it_was_read(tmp_path: Path) -> None:
    text = f"{MEMORY}\n{LABEL}\n## Notes\n\n- One.\n{LOGIN}"
    world = home(tmp_path, text)
    world.wait(hours=1)
    checked(world)
    world.wait(hours=1)
    assert world.edit(lambda old: old.replace(LABEL, "")).status == 0
    one = listed(world)
    assert (HIDDEN in one["unplaced"], WORD in one["diff"], "masked" in one["diff"]) == (True, False, True)
    signs_nothing(world)
    left, seen = iter("yuy"), []

    def answer(shown: str) -> str:
        seen.append(WORD in shown)
        return next(left) if shown.rstrip().endswith("quit >") else "y"

    world.wait(hours=3)
    ran = world.run("review", typed=answer)
    assert (ran.status, "it cannot be signed" in ran.text, seen) == (0, True, [False, False, True, False])
    assert WORD not in "".join(map(json.dumps, world.events()))
    world.apply_cooled()
    assert world.read() == text.replace(LABEL, "").replace(LOGIN, GONE)


def test_holes_that_a_drifted_password_made_are_never_signed(tmp_path: Path) -> None:
    rule = f"- {RULE}\n"
    text = f"{MEMORY}\n{rule}"
    world = home(tmp_path, text)
    drift(world, f"{text}\n## Notes\n\n- password: {RULE}\n")
    checked(world)
    assert HIDDEN in listed(world)["unplaced"]
    taken = world.copy(tmp_path / "taken")
    review(taken, {"password": "n"}, otherwise="s")
    assert HIDDEN in listed(taken)["unplaced"]
    signs_nothing(taken)
    world.wait(hours=1)
    review(world, {"password": "y"}, otherwise="s")
    assert listed(world)["unplaced"] == "", "accepted text calls it a secret by now"
    world.wait(hours=1)
    assert world.edit(lambda old: old.replace(f"- password: {RULE}\n", "")).status == 0
    assert HIDDEN in listed(world)["unplaced"], "but did not when it was proposed, and does no more"


def unread(world: World) -> list[bool]:
    """Tell of each change that drifted whether a yes to it is refused for what nobody can read."""
    count = len(world.json("review"))
    found_now = []
    for n in range(count):
        copy = world.copy(world.root / f"copy{len(list(world.root.glob('copy*')))}")
        asked: list[str] = []

        def answer(shown: str, at: int = n, asked: list[str] = asked) -> str:
            if shown.rstrip().endswith("quit >"):
                asked.append(shown)
                return "y" if len(asked) == at + 1 else "q" if len(asked) > at + 1 else "s"
            return "y"

        size = len(copy.events())
        copy.run("review", typed=answer)
        kept = [e["changes"] for e in copy.events()[size:] if e["event"] == "decision.recorded"]
        assert kept in ([], [[n + 1]])
        found_now.append(not kept)
    return found_now


@pytest.mark.parametrize(("accepted", "present", "expected"), TABLES["drifted"])
def test_what_drifted_is_kept_only_where_it_can_be_read_or_was_accepted_as_secret(
    tmp_path: Path, accepted: str, present: str, expected: list[bool]
) -> None:
    world = home(tmp_path, accepted)
    drift(world, present)
    assert unread(world) == expected


def test_what_masks_hide_is_not_kept_because_what_was_accepted_is_lost(tmp_path: Path) -> None:
    world = home(tmp_path, MEMORY)
    world.applied("Count twice.")
    world.blob(sha256(world.read().encode())).unlink()
    drift(world, f"{world.read()}\n- password: {RULE}\n- {RULE}\n")
    text = world.read()
    left = iter("yq")
    ran = world.run("review", typed=lambda _: next(left))
    assert "is kept nowhere" in ran.text, ran
    assert world.read() == text
    drift(world, text.replace(f"- password: {RULE}\n", ""))
    review(world, otherwise="y")
    assert json.loads(world.run("verify", "--json").out)["drift"] == []


def test_an_undo_that_a_drifted_password_masks_waits_until_that_is_answered(world: World) -> None:
    name = world.applied(f"The hosting bill of each month: {WORD}")
    drift(world, world.read().replace("# MEMORY.md\n", f"# MEMORY.md\n\n{LABEL}"))
    text = world.read()
    world.tells("calls part of what it would change a secret", "undo", name, status=1)
    assert world.read() == text
    review(world)
    world.ok("undo", name)
    assert world.read() == MEMORY


def test_a_change_with_holes_is_worded_anew_over_the_very_lines(tmp_path: Path) -> None:
    text = f"{MEMORY}\n{LABEL}\n## Notes\n\n- One.\n{LOGIN}"
    world = home(tmp_path, text)
    checked(world)
    world.use_editor('#!/bin/sh\nsed -i "s/.secret removed./the key of the safe/" "$1"\n')
    left = iter("e")
    world.run("review", typed=lambda _: next(left))
    (waits,) = world.proposals()
    said = [c["after"].strip() for c in waits["changes"]]
    assert (waits["lane"], said) == ("operator", ["- log in with the key of the safe"])
    assert listed(world)["unplaced"] == ""
    world.wait(hours=3)
    review(world, otherwise="y")
    world.apply_cooled()
    assert world.read() == text.replace(LOGIN, "- log in with the key of the safe\n")


@pytest.mark.parametrize(("text", "reason"), [("Say {} twice.", "r"), ("Say it twice.", "as {}")])
def test_no_proposal_repeats_what_a_file_tells_as_a_secret(tmp_path: Path, text: str, reason: str) -> None:
    """No scanner knows it by its form: the file alone says that it is one."""
    password = "Zebra7lamp9!x"
    world = found(tmp_path, memory=f"{MEMORY}\n- password: {password}\n")
    kept = world.holding(password)
    words = ("--text", text.format(password), "--reason", reason.format(password))
    told = world.tells("or it would repeat one", "propose", "--section", "Lessons", *words, status=1)
    assert "repeat no secret" in told
    assert (password in told, world.holding(password), world.proposals()) == (False, kept, [])

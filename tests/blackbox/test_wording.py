"""Words of the operator's own: what a wording takes along to have room, what is kept of answers, what no edit records."""

import tempfile
from pathlib import Path

import pytest
from tests.blackbox.forge import log_proposal
from tests.blackbox.person import sound
from tests.blackbox.test_reviewing import RELAY, answering
from tests.blackbox.test_room import openclaw
from tests.blackbox.world import MEMORY, World, found

LONG = "- Count the ladders twice before the evening and once again in the morning."
PASSWORD = "Zebra7lamp9!x"


@pytest.fixture
def tight(tmp_path: Path) -> World:
    """Give a home whose host shows 170 characters of MEMORY.md, and an editor that writes a long line."""
    world = openclaw(tmp_path, MEMORY.encode())
    (tmp_path / "state/openclaw.json").write_text("{agents: {defaults: {bootstrapMaxChars: 170}}}")
    words(world, LONG)
    return world


def words(world: World, line: str) -> None:
    """Have the operator's editor write a line in the place of all."""
    world.use_editor(f'#!/bin/sh\necho "{line}" > "$1"\n')


def room_and_addition(world: World) -> str:
    """Log a proposal that takes a line out to have room for another; give its id."""
    removal = world.removal("Restart the relay after an upgrade.", section="Lessons")
    addition = world.propose("Count.")
    proposal, more = world.stored(removal), world.stored(addition)["changes"][0]
    for name in (removal, addition):
        world.ok("reject", name, "--reason", "together")
    proposal["changes"].append({**more, "n": 2})
    return log_proposal(world, proposal)


def test_a_long_wording_takes_along_what_makes_room_for_it_and_its_answer(tight: World) -> None:
    name, size = room_and_addition(tight), len(tight.events())
    ran = tight.run("review", typed=answering("y", "e", "y"))
    assert "Sign 2, 0 left?" in ran.out
    (new,) = tight.named("proposal.created", size)
    item = tight.stored(new["proposal"])
    assert (item["supersedes"], [one["op"] for one in item["changes"]]) == (name, ["remove", "add"])
    assert [one["n"] for one in item["changes"]] == [1, 2]
    assert [one["state"] for one in tight.proposals("--all") if one["id"] == name] == ["superseded"]
    (signed,) = tight.decisions(size)
    assert (signed["proposal"], signed["changes"]) == (item["id"], [1, 2])
    tight.apply_cooled()
    assert tight.read() == MEMORY.replace(RELAY, f"{LONG}\n")
    sound(tight)


def test_a_long_wording_for_which_nothing_makes_room_is_not_taken(
    tight: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tight.root))
    name = tight.propose("Count.")
    ran = tight.run("review", typed=answering("e", "s"))
    assert "not taken: it has no room: the host shows 170 (agents.defaults.bootstrapMaxChars" in ran.text
    assert [(one["id"], one["state"]) for one in tight.proposals()] == [(name, "deferred")]
    (kept,) = tight.root.glob("nightledger-edit-*.md")
    assert kept.read_text() == f"{LONG}\n"


def test_a_line_with_a_secret_is_worded_anew_and_the_blank_line_below_it_stays(tmp_path: Path) -> None:
    line = f"- The gate opens with password: {PASSWORD}\n"
    world = found(tmp_path, memory=MEMORY.replace(RELAY, line))
    name = world.json("forget", "MEMORY.md:9", "--dry-run")["entry"]["id"]
    world.removal(name, section="Lessons")
    words(world, "- The gate has a key.")
    world.ok("review", typed=answering("e", "y"))
    world.apply_cooled()
    assert world.read() == MEMORY.replace(RELAY, "- The gate has a key.\n")
    sound(world)


@pytest.mark.parametrize(
    ("old", "new"), [('"approve"', '"bless"'), ('"n": 1', '"n": "1"'), ("{", "["), ('"shown"', '"seen"')]
)
def test_answers_that_were_kept_and_cannot_be_read_are_asked_again(world: World, old: str, new: str) -> None:
    for text in ("Count twice.", "Label both."):
        world.propose(text)
    world.ok("review", typed=["y", "q", "n"])
    path = world.own_keys / "review-draft.json"
    path.write_text(path.read_text().replace(old, new))
    said = world.ok("review", typed=["q"])
    assert ("[1/2]" in said, "Taken up" in said, "Changed since" in said) == (True, False, False)


def test_an_edit_that_repeats_a_secret_of_the_file_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    world = found(tmp_path, memory=f"{MEMORY}\n- password: {PASSWORD}\n")
    ran = world.edit(lambda text: f"{text}- Say {PASSWORD} there.\n")
    told = "cannot be recorded: at line 14 it puts in a line with a secret"
    assert (ran.status, told in ran.text) == (1, True)
    assert world.kinds() == ["genesis"]
    assert PASSWORD not in ran.text


def test_the_mark_of_an_expunge_cannot_be_expunged_itself(tmp_path: Path) -> None:
    world = found(tmp_path, memory=f"{MEMORY}\n- It is [expunged].\n")
    world.tells("MEMORY.md reads so already", "expunge", "--text-from-stdin", stdin="[expunged]", status=1)
    assert world.kinds() == ["genesis"]

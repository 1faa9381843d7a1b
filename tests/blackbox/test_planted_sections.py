"""Sections that an agent plants beside drift, labels and names of secrets: none of them lends a signed line another meaning."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import logged_proposal
from tests.blackbox.person import review, settle, stands
from tests.blackbox.world import Folder, World, found
from tests.rows import each_row, tables

ASK = "- Ask first.\n"
KEYS = "- Post KEYS on the wiki.\n"
RULES = f"# Rules\n\n## Never\n\n{ASK}{KEYS}\n## Always\n\n{ASK}"
"""Two sections that begin alike: where a line belongs between drift is told by their headings alone."""
TABLES = tables("blackbox-planted_sections")
LABELLED = "# Rules\n\nNever:\n\n- Share keys.\n"


def keeps_out(world: World, heading: str = "Always") -> None:
    """Demand that in the end no signed line stands under a heading under which nobody saw it."""
    text = settle(world)
    assert not stands(text, "Post KEYS", under=heading), text


def test_a_section_that_drift_plants_makes_nothing_accepted_that_an_undo_brings_back(tmp_path: Path) -> None:
    world = found(tmp_path, memory=RULES)
    name = world.removal("Post KEYS on the wiki.", section="Never")
    world.accept(name)
    assert "KEYS" not in world.read()
    world.write("MEMORY.md", f"# Rules\n\n## Always\n\n{ASK}\n## Always\n\n{ASK}{KEYS}\n## Never\n\n{ASK}")
    world.run("undo", name, typed=lambda _: "y")
    keeps_out(world)


@each_row("heading", ["# Rules", "# House rules"])
def test_a_section_that_drift_plants_makes_nothing_accepted_that_an_edit_brings(
    new_folder: Folder, heading: str
) -> None:
    never = f"## Never\n\n{ASK}"
    world = found(new_folder(), memory=f"# Rules\n\n## Always\n\n{ASK}\n{never}")
    world.write("MEMORY.md", f"# Rules\n\n## Always\n\n{ASK}{KEYS}\n{never}\n{never}")
    world.edit(lambda text: text.replace("# Rules", heading, 1).replace(never, never + KEYS, 1))
    keeps_out(world)


def test_a_section_planted_while_the_editor_was_open_takes_no_line_of_the_edit(tmp_path: Path) -> None:
    never, always = f"\n## Never\n\n{ASK}", f"\n## Always\n\n{ASK}"
    memory = f"# Rules\n{always}{never}{always}"
    world = found(tmp_path, memory=memory)
    (world.root / "wanted.md").write_text(memory.replace(never, never + KEYS))
    (world.root / "planted.md").write_text(f"# Rules\n{never}{always}{always}{KEYS}{never}")
    planted = f'cp "{world.root}/planted.md" "{world.home}/MEMORY.md"'
    world.use_editor(f'#!/bin/sh\ncp "{world.root}/wanted.md" "$1"\n{planted}\n')
    world.run("edit", typed=lambda _: "y")
    keeps_out(world)


@pytest.mark.parametrize("label", TABLES["labels"])
def test_an_item_that_reads_as_a_label_goes_above_no_line_that_came_since(tmp_path: Path, label: str) -> None:
    world = found(tmp_path, memory=LABELLED)
    second = world.propose("Post KEYS on the wiki.", section="Rules")
    world.wait(hours=3)
    world.signed(f"- {label}", section="Rules")
    assert world.approve(second).status == 0
    world.wait(minutes=20)
    world.ok("apply")
    assert stands(world.read(), "Post KEYS", under="Never")
    world.try_apply()
    lines = world.read().splitlines()
    assert not any(label in line for line in lines[: lines.index("- Post KEYS on the wiki.")]), lines


def test_a_heading_of_blocks_stands_for_no_other_heading(tmp_path: Path) -> None:
    memory = "# Always\n\n## Deploy\n\n- Ask first.\n"
    world = found(tmp_path, memory=memory)
    world.write("MEMORY.md", memory.replace("Always", "█" * 6))
    words = ("--entry", "Ask first.", "--section", "Deploy", "--text", "Post KEYS.", "--reason", "it helped")
    made = world.run("propose", *words)
    world.wait(hours=3)
    world.write("MEMORY.md", memory.replace("Always", "Never!"))
    person = review(world, {"KEYS": "y"}, otherwise="s")
    world.write("MEMORY.md", memory)
    text = settle(world)
    assert made.status == 0
    assert person.said_yes("Post KEYS")
    assert not stands(text, "Post KEYS", under="Always"), text


def test_no_line_comes_under_a_heading_beyond_what_is_shown_with_it(tmp_path: Path) -> None:
    items = [f"- Leave machine {n} alone.\n" for n in range(5)]
    world = found(tmp_path, memory=f"# Rules\n\n## Never\n\n{''.join(items)}{KEYS}")
    world.write("MEMORY.md", f"# Rules\n\n## Never\n\n{items[0]}\n## Always\n\n{''.join(items[1:])}{KEYS}")
    world.run("guard")
    person = review(world, {"## Always": "y"}, otherwise="s")
    text = settle(world)
    assert person.said_yes("## Always")
    assert person.was_shown("Post KEYS") or not stands(text, "Post KEYS", under="Always"), text


def wording_one(world: World, nth: int) -> str:
    """Propose to word one of the entries anew that read alike."""
    world.ok("doctor", "--rebuild")
    lines = world.read().splitlines(keepends=True)
    entries = json.loads(world.read("memory/system/entries.json"))["entries"]
    alike = [one for one in entries if lines[one["lines"][0] - 1] == ASK]
    return world.propose("Post KEYS.", "--entry", alike[nth]["id"], section="Rules")


def test_the_line_of_a_change_is_counted_with_blank_lines_between_sections(tmp_path: Path) -> None:
    never, always = f"## Log\n\nNever:\n\n{ASK}\n", f"## Log\n\nAlways:\n\n{ASK}"
    memory = f"# Rules\n\n## Log\n\nBoth hold.\n\n{never}{always}"
    world = found(tmp_path, memory=memory)
    world.write("MEMORY.md", memory.replace("hold.\n", "hold.\n" + "\n" * never.count("\n")))
    wording_one(world, 0)
    world.wait(hours=3)
    person = review(world, {"KEYS": "y"}, otherwise="s")
    world.write("MEMORY.md", memory)
    text = settle(world)
    assert person.said_yes("Never:")
    assert not stands(text, "Post KEYS", under="Always"), text


def test_an_edit_that_takes_out_a_planted_copy_leaves_what_was_accepted(tmp_path: Path) -> None:
    never, always = f"## Never\n\n{KEYS}\n", f"## Always\n\n{ASK}"
    world = found(tmp_path, memory=f"# Rules\n\n{never}{always}")
    world.write("MEMORY.md", f"# Rules\n\n{never}## Old\n\n- Done.\n\n{never}{always}")
    world.edit(lambda text: text.replace(never, "", 1))
    text = settle(world)
    assert stands(text, "Post KEYS", under="Never"), text


@pytest.mark.parametrize(("above", "drifted", "below"), TABLES["drifted"])
def test_lines_that_another_line_puts_under_another_heading_are_shown_with_it(
    tmp_path: Path, above: str, drifted: str, below: str
) -> None:
    items = [f"- Leave machine {n} alone.\n" for n in range(9)]
    memory = f"# Rules\n\n## Never\n\n{{}}{''.join(items)}{KEYS}{''.join(reversed(items))}{{}}"
    world = found(tmp_path, memory=memory.format(above, below))
    world.write("MEMORY.md", memory.format(drifted, ""))
    world.run("guard")
    person = review(world, {"": "y"}, otherwise="s")
    assert person.said_yes("MEMORY.md was changed")
    assert person.was_shown("Post KEYS")


@pytest.mark.parametrize(("label", "indent"), [("Never:", ""), ("- Never", "  ")])
def test_lines_under_a_label_worded_anew_are_shown_with_it(tmp_path: Path, label: str, indent: str) -> None:
    items = "".join(f"{indent}- Leave machine {n} alone.\n" for n in range(9)) + indent + KEYS
    world = found(tmp_path, memory=f"# Rules\n\n{label}\n{items}\n## End\n")
    entry = label + "\n" + (items if indent else "")
    words = ("--text", entry.replace("Never", "Always"), "--section", "Rules", "--reason", "it helped")
    world.ok("propose", "--entry", entry, *words)
    person = review(world, {"Always": "y"})
    assert person.said_yes("Always")
    assert person.was_shown("Post KEYS")


def test_no_mask_that_drift_chose_hides_the_heading_of_what_is_signed(tmp_path: Path) -> None:
    memory = f"# Rules\n\n## Always-allowed-9x\n\n{ASK}"
    world = found(tmp_path, memory=memory)
    world.propose("Post KEYS on the wiki.", section="Always-allowed-9x")
    world.write("MEMORY.md", f"{memory}\n# Notes\n\n- The password: Always-allowed-9x\n")
    world.wait(hours=3)
    review(world, {"KEYS": "y"}, otherwise="s")
    keeps_out(world)


def wording(world: World, entry: str, section: str, removed: str, added: str) -> str:
    """Log a replacement that the gate would not have made, for it words headings anew; give its id."""

    def change(item: dict[str, Any]) -> None:
        made = item["changes"][0]
        made["op"], made["after"] = "replace", added
        made["hunk"] |= {"removed": removed, "line": 0, "added": added}

    return logged_proposal(world, world.removal(entry, section=section), change)


def test_a_heading_that_is_worded_anew_comes_under_the_one_that_was_shown(tmp_path: Path) -> None:
    memory = f"# Rules\n\n## Never\n\n- Push.\n\n## Deploy\n\n{ASK}{KEYS}"
    world = found(tmp_path, memory=memory)
    forged = wording(world, "Ask first.", "Deploy", "## Deploy\n", "### Deploy\n")
    world.write("MEMORY.md", memory.replace("## Never", "## Always"))
    assert world.approve(forged).status == 0
    world.write("MEMORY.md", memory)
    keeps_out(world, "Never")


def test_no_section_of_the_same_name_comes_under_another_heading_unseen(tmp_path: Path) -> None:
    world = found(tmp_path, memory=f"# Rules\n\n## Deploy\n\n- Push.\n\n## Deploy\n\n{KEYS}")
    world.approve(wording(world, "Push.", "Deploy", "## Deploy\n\n- Push.\n", "# Never\n\n- Push.\n"))
    keeps_out(world, "Never")


def test_a_line_goes_where_it_was_shown_when_lines_above_it_go_in_the_same_review(tmp_path: Path) -> None:
    old = "- Build on host one.\n  It is slow.\n  It is old.\n"
    world = found(tmp_path, memory=f"# Rules\n\n{old}\nNever:\n\n{ASK}\nAlways:\n\n{ASK}")
    world.removal(old, section="Rules")
    world.wait(minutes=1)
    wording_one(world, 0)
    world.wait(hours=3)
    person = review(world, {"Build": "y", "KEYS": "y"})
    assert person.said_yes("Build")
    assert person.said_yes("Post KEYS")
    keeps_out(world)


def test_an_undo_moves_no_later_change_to_another_line_that_reads_alike(tmp_path: Path) -> None:
    old = "- Build on host one.\n  It is slow.\n  It is old.\n"
    world = found(tmp_path, memory=f"# Rules\n\n{old}\nAlways:\n\n{ASK}\nNever:\n\n{ASK}")
    first = world.removal(old, section="Rules")
    for name in (first, ""):
        world.accept(name or wording_one(world, 1))
    assert stands(world.read(), "Post KEYS", under="Never")
    world.ok("undo", first, typed=lambda _: "y")
    assert stands(settle(world), "Post KEYS", under="Never")

"""What is recalled is taken by its place, each fact is told once, and what is made speaks the file's language."""

import os
import shlex
from pathlib import Path

import pytest
from tests.blackbox.world import Folder, World, found
from tests.rows import corpus, tables

TABLES = tables("blackbox-recalled")
FACTS = [f"The {name} pump of the greenhouse needs {n} litres." for n, name in enumerate("abcdefg", start=2)]


@pytest.fixture(scope="module", name="known")
def _known(new_folder: Folder) -> World:
    memory = "# MEMORY.md\n\n## Lessons\n\n- Keep backups of the relay for 30 days.\n\n## Facts\n\n"
    world = found(new_folder(), memory=memory + "".join(f"- {fact}\n" for fact in FACTS))
    world.log_day("2026-02-26", "08:10 Keep backups of the relay for 30 days", "09:00 The cat slept.")
    world.log_day("2026-02-27", "11:45 **Keep backups** of the relay for 30 days!")
    return world


def test_five_answers_are_given_unless_more_are_asked_for(known: World) -> None:
    assert len(known.json("recall", "pump of the greenhouse")["hits"]) == 5
    assert len(known.json("recall", "pump of the greenhouse", "-n", "7")["hits"]) == 7


def test_no_fact_is_told_twice_and_the_signed_one_is_the_one_that_is_told(known: World) -> None:
    hits = known.json("recall", "relay backups kept days")["hits"]
    told = [hit for hit in hits if "backups" in hit["chunk"]["text"].lower()]
    assert [hit["path"] for hit in told] == ["MEMORY.md"]
    signed = [hit["signed"] for hit in hits]
    assert signed == sorted(signed, reverse=True)


def test_a_row_of_a_long_table_is_found_by_its_column_and_shown_with_it(tmp_path: Path) -> None:
    names = ["Amber", "Birch", "Cedar", "Dune", "Ember", "Fern", "Grove", "Heath", "Iris", "Kelp", "Larch"]
    rows = "".join(
        f"| {name} Works | {name.lower()}@example.org | R{n},500 |\n" for n, name in enumerate(names)
    )
    table = f"| Client | Contact | Retainer |\n|---|---|---|\n{rows * 3}| Quince Works | q@example.org | R4,200 |\n"
    notes = "".join(f"- {name} Works asked for a logo.\n" for name in (*names, "Quince"))
    world = found(tmp_path, memory=f"# MEMORY.md\n\n## Clients\n\n{table}\n## Notes\n\n{notes}")
    shown = world.said("recall", "what is the retainer of Quince Works")
    row = "Clients > Client | Contact | Retainer | Quince Works | q@example.org | R4,200 | why: "
    assert row in shown
    assert "retainer" in shown.partition(row)[2].partition("MEMORY.md")[0]


def test_an_item_is_shown_down_to_the_line_that_answers(tmp_path: Path) -> None:
    item = "- **Quince Works** (Rosa, Emil)\n  - Project: a shop\n  - Status: begun\n  - Contract: retainer R4,200\n"
    world = found(tmp_path, memory=f"# MEMORY.md\n\n## Clients\n\n- Fern Works\n{item}- Dune Works\n")
    shown = world.ok("recall", "retainer of Quince Works")
    assert "MEMORY.md:6-9," in shown
    assert "retainer R4,200" in shown


def test_a_question_in_chinese_is_told_the_signed_line_before_many_logs(tmp_path: Path) -> None:
    memory = "# 记忆\n\n## 天气报告\n\n- **温室的报告走邮件渠道** (已确认)\n\n## 其他\n\n- 水泵在仓库\n"
    world = found(tmp_path, memory=memory)
    for n in range(1, 8):
        world.log_day(f"2026-02-0{n}", *(f"{k}点 报告{n}用什么渠道发" for k in range(30)), "什么时候用什么修")
    for words in (["--agent"], []):
        first = world.json("recall", "报告用什么渠道发", *words)["hits"][0]
        assert (first["path"], first["lines"]) == ("MEMORY.md", [5, 5])
    assert [hit["path"] for hit in world.json("recall", "水泵什么时候")["hits"]] == ["MEMORY.md"]


def test_a_place_that_was_printed_is_what_pin_unpin_and_forget_take(known: World, tmp_path: Path) -> None:
    world = known.copy(tmp_path / "world")
    first = world.ok("recall", "relay backups").splitlines()[0]
    place = first.split()[1].rstrip(",")
    assert place == "MEMORY.md:5"
    world.ok("pin", place)
    assert world.json("pin")[0]["pin"]
    refused = world.run("forget", place)
    assert "is pinned" in refused.text
    world.ok("unpin", f"{place}-6")
    assert world.json("pin") == []
    world.ok("forget", place)
    world.apply_cooled()
    assert "backups" not in world.read()


@pytest.mark.parametrize("place", ["MEMORY.md:1", "MEMORY.md:900", "memory/2026-02-26.md:3", "OTHER.md:5"])
def test_a_place_with_no_entry_is_said_to_have_none(known: World, place: str) -> None:
    known.tells("no entry is called", "pin", place, status=2)


def test_a_place_of_several_entries_lists_them(known: World) -> None:
    assert FACTS[1] in known.tells("fits 2 entries", "pin", "MEMORY.md:9-10", status=2)


@pytest.mark.parametrize(("headings", "section", "made"), TABLES["headings"])
def test_a_new_section_is_called_as_the_files_headings_would_call_it(
    headings: tuple[str, ...], section: str, made: str, tmp_path: Path
) -> None:
    memory = "# MEMORY.md\n" + "".join(f"\n## {heading}\n\n- x{n}\n" for n, heading in enumerate(headings))
    world = found(tmp_path, memory=memory)
    world.propose("Restart the relay after an upgrade.", section=section)
    (proposal,) = world.proposals()
    assert proposal["changes"][0]["section"].split(" > ")[-1] == made


def test_lines_for_the_agent_can_be_pasted_and_run_as_they_are(tmp_path: Path) -> None:
    world = found(tmp_path / "with space")
    shown = world.ok("doctor", "--paste").splitlines()
    line = next(line for line in shown if "--task-type" in line)
    words = shlex.split(line.split("`")[1])
    assert words[words.index("--home") + 1] == str(world.home)
    program = words[: words.index("log")]
    assert all(map(os.path.isabs, program))
    assert os.access(program[0], os.X_OK)
    world.write("AGENTS.md", "\n".join(shown) + "\n")
    assert world.json("doctor")["instructions"]["diff"] == ""


def test_doctor_names_the_lines_that_tell_the_agent_to_edit_memory_itself(tmp_path: Path) -> None:
    world = found(tmp_path)
    world.write("AGENTS.md", "# House rules\n- You can read, edit and update MEMORY.md freely.\n"
                "- Read MEMORY.md, never edit it.\n- Write the day to memory/2026-02-28.md.\n"
                "- Pflege MEMORY.md mit allem, was bleibt.\n- MEMORY.md is read first.\n")  # fmt: skip
    told = world.run("doctor").text
    assert "AGENTS.md:2, AGENTS.md:5 tell the agent to write MEMORY.md itself" in told
    assert "AGENTS.md:3" not in told


def test_a_fact_is_found_by_another_name_and_a_typo_else_nothing_is_told(tmp_path: Path) -> None:
    world = found(tmp_path, memory=corpus("blackbox-recalled.txt"))
    nodes, push = "three nodes", "main branch"
    asked_for = {"what is our k8s setup?": nodes, "kuberntes nodes": nodes, "may GHA push?": push}
    for query, fact in asked_for.items():
        for words in ([], ["--agent"]):
            assert fact in world.json("recall", query, *words)["hits"][0]["chunk"]["text"], (query, words)
    assert "three nodes" in world.prompted("k8s nodes?")
    assert "three nodes" in world.prompted("kuberntes nodes?")
    assert "main branch" in world.prompted("may GHA push to main?")
    for query in ("who repairs the submarine periscope?", "which harbour repaired the submarine that week?"):
        asked = world.run("recall", query, "--agent")
        assert (asked.status, asked.out.strip()) == (0, "Nothing in this home answers that.")
        assert world.prompted(query) == ""
    assert "Nothing in this home answers that." in world.ok("recall", "who repairs the submarine periscope?")
    told = world.run("recall", "which harbour repaired the submarine that week?")
    assert "cleaned each week" in told.text
    assert "nothing here tells much of what was asked" in told.text

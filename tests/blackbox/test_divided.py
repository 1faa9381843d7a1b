"""Hermes' two memory files, whose entries lines of ``§`` divide: adopted, and each entry added, taken out and put back as it stood."""

import re
from pathlib import Path

import pytest
from tests.blackbox.forge import put_blob, target_of
from tests.blackbox.person import sound
from tests.blackbox.test_forged_applies import carry_out, saying
from tests.blackbox.world import Folder, World, found
from tests.rows import each_row, tables

MEMORY = "Ann's project is in /srv/relay.\n§\nThe relay wants TLS 1.3.\n\nIts key lies in the safe.\n§\n- Backups run at 04:00."
USER = "Ann prefers short answers.\n§\nShe works from Riga."
FACT = "The relay restarts on Mondays, and nobody may deploy then."

TABLES = tables("blackbox-divided", FACT=FACT)


@pytest.fixture(name="hermes")
def _hermes(tmp_path: Path) -> World:
    return adopted(tmp_path)


def adopted(root: Path, memory: str = MEMORY, user: str = USER) -> World:
    world = World(root=root)
    (world.home / "memories").mkdir(parents=True)
    (world.home / "state.db").write_bytes(b"")
    world.write("memories/MEMORY.md", memory)
    world.write("memories/USER.md", user)
    return found(root, memory=None)


def entries(world: World, name: str) -> list[str]:
    """Give what Hermes reads in a file: its parts between dividers, trimmed, without empty ones."""
    return [one.strip() for one in world.read(f"memories/{name}").split("\n§\n") if one.strip()]


def test_what_its_memory_tool_writes_by_itself_is_told_as_drift_and_may_be_kept(hermes: World) -> None:
    hermes.write("memories/USER.md", f"{USER}\n§\nShe likes herons.")
    assert "memories/USER.md" in hermes.run("guard").text
    assert "memories/USER.md was changed outside Nightledger" in hermes.run("status").text
    assert "herons" in hermes.run("review", typed=["q"]).text


NAMES = ("MEMORY.md", "USER.md")
OTHER = "Ann's backups lie in Riga."


def proposed(world: World, name: str, *words: str) -> str:
    return str(world.json("propose", "--target", f"memories/{name}", "--reason", "it helped", *words)["id"])


def settle(world: World, *ids: str) -> None:
    """Sign, let cool, apply, and have both verifiers look."""
    for one in ids:
        world.ok("approve", one)
    world.apply_cooled()
    sound(world)


ADDED = ("--text", f"- {FACT}")
FILED = (*ADDED, "--section", "Lessons")


@each_row(("before", "words", "expected"), TABLES["changed"])
def test_a_change_of_one_entry_is_signed_applied_and_undone_and_hermes_reads_the_others_as_they_were(
    new_folder: Folder, before: str, words: tuple[str, ...], expected: list[str]
) -> None:
    world = adopted(new_folder(), before, before)
    both = [proposed(world, name, *words) for name in NAMES]
    assert not any("##" in world.ok("show", one) for one in both)
    settle(world, *both)
    assert [entries(world, name) for name in NAMES] == [expected, expected]
    for one in both:
        world.ok("undo", one)
    assert [world.read(f"memories/{name}") for name in NAMES] == [before, before]
    sound(world)


def test_after_a_removal_down_to_one_entry_an_addition_is_the_second(hermes: World) -> None:
    hermes.write("memories/MEMORY.md", USER)
    hermes.ok("review", typed=["y", "y"])
    settle(
        hermes, *(proposed(hermes, one, "--remove", "--entry", "Ann prefers short answers.") for one in NAMES)
    )
    added = [proposed(hermes, name, "--text", FACT) for name in NAMES]
    settle(hermes, *added)
    assert [entries(hermes, name) for name in NAMES] == [["She works from Riga.", FACT]] * 2
    for one in added:
        hermes.ok("undo", one)
    assert [entries(hermes, name) for name in NAMES] == [["She works from Riga."]] * 2


@each_row("before", ["", "She works from Riga.", "She works from Riga.\n§\nShe likes it."])
def test_additions_signed_one_by_one_are_entries_of_their_own(new_folder: Folder, before: str) -> None:
    world = adopted(new_folder(), before, before)
    old = [one for one in before.split("\n§\n") if one]
    for name in NAMES:
        ids = [proposed(world, name, "--text", text) for text in (FACT, OTHER)]
        settle(world, *ids)
        assert sorted(entries(world, name)) == sorted([*old, FACT, OTHER])
        for one in reversed(ids):
            world.ok("undo", one)
        assert entries(world, name) == old


def test_an_addition_signed_beside_two_is_an_entry_where_a_removal_left_one(hermes: World) -> None:
    proposed(hermes, "USER.md", "--remove", "--entry", "Ann prefers short answers.")
    proposed(hermes, "USER.md", "--text", FACT)
    told = hermes.ok("review", typed=["y", "y", "y"])
    assert re.findall(r"  sign +(\S+ \S+)", told) == ["-Ann prefers", "+The relay"]
    hermes.apply_cooled()
    assert entries(hermes, "USER.md") == ["She works from Riga.", FACT]


def apply_with(world: World, *, gone: str = "", came: str = "") -> None:
    """Carry out what is signed and waits, with other text that goes or comes beside it, as the holder of the log's key may."""
    now = world.read("memories/USER.md")
    after = now.replace(gone, "", 1).replace(FACT, f"{OTHER}\n§\n{FACT}") + came
    decision = saying(world, OTHER)
    base, result = (decision["targets"][0][name] for name in ("base", "result"))
    target = target_of(put_blob(world, now.encode()), put_blob(world, after.encode()), "memories/USER.md")
    carry_out(world, decision, targets=[{**target, "signed_base": base, "signed_result": result}])
    world.write("memories/USER.md", after)


@each_row(("words", "alarm"), [({}, 0), ({"gone": "§\n"}, 4), ({"came": "§\n"}, 4), ({"came": "§§§\n"}, 4)])
def test_both_verifiers_tell_of_a_divider_that_came_or_went_and_nobody_signed(
    new_folder: Folder, words: dict[str, str], alarm: int
) -> None:
    world = adopted(new_folder())
    for text in (FACT, OTHER):
        world.ok("approve", proposed(world, "USER.md", "--text", text))
    world.wait(hours=3)
    world.ok("apply", saying(world, FACT)["proposal"])
    apply_with(world, **words)
    assert (world.run("verify").status, world.second_look()[0]) == (alarm, alarm)


@each_row(
    "text",
    ["```\nmake deploy\n```", "- Backups run.\n- They last.", "> Ask first.", "It waits.\n\nThen it runs."],
)
def test_an_addition_that_may_not_stand_above_another_is_asked_again(new_folder: Folder, text: str) -> None:
    world = adopted(new_folder())
    ids = [proposed(world, "USER.md", "--text", one) for one in (FACT, text)]
    for one in ids:
        world.ok("approve", one)
    world.wait(hours=3)
    assert "has no place any more" in world.run("apply").text
    settle(world, ids[1])
    assert entries(world, "USER.md") == [*USER.split("\n§\n"), FACT, text]


def test_below_a_byte_order_mark_both_verifiers_find_what_was_signed(tmp_path: Path) -> None:
    world = adopted(tmp_path, user="\ufeff")
    settle(world, *(proposed(world, "USER.md", "--text", one) for one in (FACT, OTHER)))


def test_what_it_keeps_of_its_user_has_a_smaller_cap_and_its_own_setting_says_another(tmp_path: Path) -> None:
    facts = "\n§\n".join(f"Ann's lamp {n} is in the long corridor." for n in range(33))
    hermes = adopted(tmp_path, user=facts)
    caps = {one["path"]: one["cap"] for one in hermes.json("status")["sizes"]}
    assert caps == {"memories/MEMORY.md": 2200, "memories/USER.md": 1375}
    words = ("propose", "--target", "memories/USER.md", "--reason", "it helped", "--text", FACT)
    hermes.tells("over the cap of its host, 1,375 (memory.user_char_limit", *words, status=1)
    own = hermes.root / ".hermes" / "config.yaml"
    own.parent.mkdir(exist_ok=True)
    own.write_text("memory: {user_char_limit: 1500}\n")
    hermes.environment["HERMES_HOME"] = str(own.parent)
    settle(hermes, proposed(hermes, "USER.md", "--text", FACT))
    assert entries(hermes, "USER.md")[-1] == FACT
    of_home = hermes.home / "config/nightledger/nightledger.yaml"
    for said, of_memory, of_user in ((2000, 2000, 1500), (1400, 1400, 1400), (1000, 1000, 1000)):
        of_home.write_text(f"cap_characters: {{hermes: {said}}}\n")
        caps = {one["path"]: one["cap"] for one in hermes.json("status")["sizes"]}
        assert caps == {"memories/MEMORY.md": of_memory, "memories/USER.md": of_user}, said
    of_home.unlink()
    own.write_text("memory: {user_char_limit: .inf}\n")
    assert hermes.json("status")["sizes"][1]["cap"] == 1375

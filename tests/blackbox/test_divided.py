"""Hermes' two memory files, whose entries lines of ``§`` divide: adopted, and each entry added, taken out and put back as it stood."""

from pathlib import Path

import pytest
from tests.blackbox.world import World, found
from tests.rows import each_row

MEMORY = "Ann's project is in /srv/relay.\n§\nThe relay wants TLS 1.3.\n\nIts key lies in the safe.\n§\n- Backups run at 04:00."
USER = "Ann prefers short answers.\n§\nShe works from Riga."
FACT = "The relay restarts on Mondays, and nobody may deploy then."


@pytest.fixture(name="hermes")
def _hermes(tmp_path: Path) -> World:
    return adopted(tmp_path)


def adopted(root: Path, memory: str = MEMORY) -> World:
    world = World(root=root)
    (world.home / "memories").mkdir(parents=True)
    (world.home / "state.db").write_bytes(b"")
    world.write("memories/MEMORY.md", memory)
    world.write("memories/USER.md", USER)
    return found(root, memory=None)


def entries(world: World, name: str) -> list[str]:
    """Give what Hermes reads in a file: its parts between dividers, trimmed, without empty ones."""
    return [one.strip() for one in world.read(f"memories/{name}").split("\n§\n") if one.strip()]


@each_row(
    ("name", "words", "expected"),
    [
        ("MEMORY.md", ("--text", f"- {FACT}"), [*MEMORY.split("\n§\n"), FACT]),
        ("USER.md", ("--text", FACT), [*USER.split("\n§\n"), FACT]),
        ("USER.md", ("--remove", "--entry", "Ann prefers short answers."), ["She works from Riga."]),
        ("USER.md", ("--remove", "--entry", "She works from Riga."), ["Ann prefers short answers."]),
        ("MEMORY.md", ("--remove", "--entry", "Its key lies in the safe."), ["Ann's project is in /srv/relay.", "The relay wants TLS 1.3.", "- Backups run at 04:00."]),
        ("USER.md", ("--entry", "She works from Riga.", "--text", "She works from Oslo."), ["Ann prefers short answers.", "She works from Oslo."]),
    ],
)  # fmt: skip
def test_a_change_of_one_entry_is_signed_applied_and_undone_and_hermes_reads_the_others_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, name: str, words: tuple[str, ...], expected: list[str]
) -> None:
    world = adopted(tmp_path_factory.mktemp("hermes"))
    before = world.read(f"memories/{name}")
    proposal = world.json("propose", "--target", f"memories/{name}", "--reason", "it helped", *words)["id"]
    world.ok("approve", proposal)
    world.apply_cooled()
    assert entries(world, name) == expected
    assert world.run("verify").status == 0
    world.ok("undo", proposal)
    assert world.read(f"memories/{name}") == before


def test_what_its_memory_tool_writes_by_itself_is_told_as_drift_and_may_be_kept(hermes: World) -> None:
    hermes.write("memories/USER.md", f"{USER}\n§\nShe likes herons.")
    assert "memories/USER.md" in hermes.run("guard").text
    assert "memories/USER.md was changed outside Nightledger" in hermes.run("status").text
    assert "herons" in hermes.run("review", typed=["q"]).text


@each_row(
    ("memory", "expected"),
    [
        ("# Relay\nIt wants TLS.\n§\nBackups run.", [FACT, "# Relay\nIt wants TLS.", "Backups run."]),
        ("Backups run.\n§\nIt wants TLS.\n# Relay\nIn Riga.", ["Backups run.", FACT, "It wants TLS.\n# Relay\nIn Riga."]),
        ("It wants TLS.\n\n# Relay\nIn Riga.\n§\nBackups run.", [FACT, "It wants TLS.\n\n# Relay\nIn Riga.", "Backups run."]),
    ],
)  # fmt: skip
def test_an_addition_goes_into_no_entry_that_has_a_heading(
    tmp_path_factory: pytest.TempPathFactory, memory: str, expected: list[str]
) -> None:
    world = adopted(tmp_path_factory.mktemp("headed"), memory)
    proposal = world.json(
        "propose", "--target", "memories/MEMORY.md", "--reason", "it helped", "--text", FACT
    )["id"]
    world.ok("approve", proposal)
    world.apply_cooled()
    assert entries(world, "MEMORY.md") == expected
    world.ok("undo", proposal)
    assert world.read("memories/MEMORY.md") == memory

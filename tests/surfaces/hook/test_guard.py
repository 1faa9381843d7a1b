import os
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.files.home import Home
from nightledger.gate.gated import protected_paths
from nightledger.surfaces.hook import guard
from nightledger.surfaces.hook.guard import refusal


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = make_home(tmp_path / "home")
    Path(home.memory_md).write_text("# Memory\n")
    (tmp_path / "home" / "SOUL.md").write_text("kind\n")
    return home


def judge(home: Home, tool_input: object, cwd: str = "/") -> str:
    return refusal(home, {"tool_input": tool_input, "cwd": cwd}, "nl propose")


def test_the_names_are_those_of_the_consent_graph() -> None:
    assert guard.PROTECTED == PROTECTED_FILES


def test_a_gated_file_is_refused_with_the_way_that_is_open(home: Home) -> None:
    said = judge(home, {"file_path": home.memory_md})
    assert said.startswith(
        "MEMORY.md changes only by what its operator signs. Propose instead: nl propose --section"
    )
    assert "--reason WHY --source FILE:LINE" in said


def test_every_protected_file_is_refused(home: Home) -> None:
    for path in protected_paths(home):
        assert judge(home, {"file_path": path}), path
    assert "only its owner changes it" in judge(home, {"file_path": home.path("SOUL.md")})
    assert "own records" in judge(home, {"file_path": home.path("memory/system/entries.json")})
    assert judge(home, {"file_path": home.proposal("p-" + "a" * 26)})
    assert judge(home, {"file_path": home.staged_context})


def test_what_an_agent_writes_itself_is_left_alone(home: Home) -> None:
    for name in (
        "memory/daily/2026-03-01.md",
        "memory/2026-03-01.md",
        "notes/MEMORY.md",
        "CLAUDE.md",
        "a/SOUL.md",
    ):
        assert judge(home, {"file_path": home.path(name)}) == "", name
    assert judge(home, {"file_path": home.handoff}) == ""
    assert judge(home, {"content": home.memory_md}) == ""


@pytest.mark.parametrize(
    "spelling",
    ["MEMORY.md", "./MEMORY.md", "memory/../MEMORY.md", "memory//..//MEMORY.md", "../home/MEMORY.md"],
)
def test_a_relative_path_is_one_of_the_session_s_folder(home: Home, spelling: str) -> None:
    assert judge(home, {"file_path": spelling}, cwd=home.root)
    assert judge(home, {"path": spelling}, cwd=home.root + "/")
    assert judge(home, {"notebook_path": spelling}, cwd="") != ""


def test_links_and_second_names_lead_to_the_same_file(home: Home, tmp_path: Path) -> None:
    (tmp_path / "soft.md").symlink_to(home.memory_md)
    os.link(home.memory_md, tmp_path / "hard.md")
    (tmp_path / "folder").symlink_to(home.root)
    for path in ("soft.md", "hard.md", "folder/MEMORY.md", "folder/memory/system/x.jsonl"):
        assert judge(home, {"file_path": str(tmp_path / path)}), path


def test_another_spelling_counts_where_the_file_is_not_there(home: Home) -> None:
    assert judge(home, {"file_path": home.path("memory.md")})
    assert judge(home, {"file_path": home.path("AGENTS.MD")})
    Path(home.path("memory.md")).write_text("another file\n")
    assert judge(home, {"file_path": home.path("memory.md")}) == ""


def test_a_path_of_the_user_s_own_folder_is_read_as_shells_do(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", os.path.dirname(home.root))
    assert judge(home, {"file_path": "~/home/MEMORY.md"})


def test_several_gated_files_are_all_guarded(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", gated=("memories/MEMORY.md", "memories/USER.md"))
    assert judge(home, {"path": home.path("memories/USER.md")})
    assert judge(home, {"path": home.path("MEMORY.md")}) == ""


def test_a_home_whose_record_is_damaged_still_guards_its_memory(home: Home) -> None:
    Path(home.identity_file).write_text("{")
    assert judge(Home(home.root), {"file_path": home.memory_md})


def test_a_shell_s_command_is_no_patch(home: Home) -> None:
    assert judge(home, {"command": f"echo x > {home.memory_md}"}, cwd=home.root) == ""
    assert judge(home, {"command": "apply_patch <<X\n*** Update File: MEMORY.md\n@@\nX"}, cwd=home.root)
    assert judge(home, {"input": "  *** Move to: MEMORY.md"}, cwd=home.root)
    assert judge(home, {"patch": "*** Delete File: SOUL.md"}, cwd=home.root)
    many = "\n".join(f"*** Add File: {n}.txt" for n in range(guard.MAX_PATHS))
    assert judge(home, {"patch": many}, cwd=home.root) == ""
    last = f"{many.rpartition('*** ')[0]}*** Update File: MEMORY.md"
    assert judge(home, {"patch": last}, cwd=home.root)


@pytest.mark.parametrize("tool_input", [None, [], "MEMORY.md", {"file_path": None}, {"file_path": "\0"}, {}])
def test_what_names_no_path_is_let_pass(home: Home, tool_input: object) -> None:
    assert judge(home, tool_input) == ""

import os
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.rows import from_corpus

from nightledger.files.home import Home
from nightledger.gate.gated import protected_paths
from nightledger.surfaces.hook.guard import refusal


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = make_home(tmp_path / "home")
    Path(home.memory_md).write_text("# Memory\n")
    (tmp_path / "home" / "SOUL.md").write_text("kind\n")
    return home


def judge(home: Home, tool_input: object, cwd: str = "/", tool: str = "") -> str:
    return refusal(home, {"tool_name": tool, "tool_input": tool_input, "cwd": cwd}, "nl propose")


def test_every_protected_file_is_refused(home: Home) -> None:
    ours = (home.proposal("p-" + "a" * 26), home.staged_context, home.memory_md)
    for path in (*protected_paths(home), *ours):
        assert judge(home, {"file_path": path}), path
    assert "only its owner changes it" in judge(home, {"file_path": home.path("SOUL.md")})
    assert "own records" in judge(home, {"file_path": home.path("memory/system/entries.json")})
    Path(home.identity_file).write_text("{")  # a record that is damaged still guards its memory
    assert judge(Home(home.root), {"file_path": home.memory_md})


@from_corpus("surfaces-hook-guard")
def test_what_an_agent_writes_itself_is_left_alone(home: Home, name: str) -> None:
    assert judge(home, {"file_path": home.path(name)}) == ""
    assert judge(home, {"content": home.memory_md}) == ""


@from_corpus("surfaces-hook-guard")
def test_a_relative_path_is_one_of_the_session_s_folder(home: Home, spelling: str) -> None:
    assert judge(home, {"file_path": spelling}, cwd=home.root)
    assert judge(home, {"path": "x/../" * 2000 + spelling}, cwd=home.root + "/")
    assert judge(home, {"notebook_path": spelling}, cwd="") != ""


def test_links_and_second_names_lead_to_the_same_file(home: Home, tmp_path: Path) -> None:
    (tmp_path / "soft.md").symlink_to(home.memory_md)
    os.link(home.memory_md, tmp_path / "hard.md")
    (tmp_path / "folder").symlink_to(home.root)
    for path in ("soft.md", "hard.md", "folder/MEMORY.md", "folder/memory/system/x.jsonl"):
        assert judge(home, {"file_path": str(tmp_path / path)}), path


def test_a_patch_is_refused_also_one_that_a_shell_hands_to_codex_and_no_other_command_of_a_shell(
    home: Home,
) -> None:
    """Codex takes it out of the command and applies it without a shell; the hook is told of a shell only."""
    root, above, name = home.root, *os.path.split(home.root)
    patch = (
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: MEMORY.md\n@@\n-a\n+b\n*** End Patch\nEOF\n"
    )
    for given, tool, cwd, refused in (
        ({"command": f"echo x > {home.memory_md}"}, "", root, False),
        ({"command": "apply_patch <<X\n*** Update File: MEMORY.md\n@@\nX"}, "", root, True),
        ({"input": "  *** Move to: MEMORY.md"}, "", root, True),
        ({"patch": "*** Delete File: SOUL.md"}, "", root, True),
        ({"command": patch}, "Bash", root, True),
        ({"command": patch}, "Bash", "/", False),
        ({"command": f"cd {root} && {patch}"}, "Bash", "/", True),
        ({"command": f"cd '{root}' && {patch}"}, "Bash", "/", True),
        ({"command": f'cd "{root}" && {patch}'}, "Bash", "/", True),
        ({"command": f"cd /srv && {patch}"}, "Bash", "/", False),
        ({"command": f"cd {name}&& {patch}"}, "Bash", above, True),
        ({"command": "cat > help.md <<X\n*** Update File: MEMORY.md\nX"}, "Bash", root, False),
        ({"command": f"echo x >> {home.memory_md}"}, "Bash", "/", False),
        ({"command": "apply_patch --help"}, "Bash", root, False),
    ):
        assert bool(judge(home, given, cwd, tool)) is refused, given


@from_corpus("surfaces-hook-guard")
def test_a_patch_is_read_as_loosely_as_any_host_reads_it(home: Home, patch: str) -> None:
    for given in ({"patch": patch}, {"command": ["apply_patch", patch]}, {"input": [1, patch]}, patch):
        assert "signs" in judge(home, given, cwd=home.root)


def test_the_operator_s_keys_and_settings_are_refused(home: Home, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    (tmp_path / "link").symlink_to(keys)
    for path in (keys / "operator.yaml", keys / "x" / "operator", tmp_path / "link" / "operator.yaml"):
        assert "operator's keys" in refusal(home, {"tool_input": {"file_path": str(path)}}, "nl", str(keys))
        assert judge(home, {"file_path": str(path)}) == ""
    around = refusal(
        home, {"tool_input": {"file_path": home.path("notes.md")}}, "nl", os.path.dirname(home.root)
    )
    assert around == ""


@pytest.mark.parametrize("action", ["add", "replace", "remove"])
def test_hermes_own_memory_tool_writes_a_gated_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    home = make_home(tmp_path / ".hermes", gated=("memories/MEMORY.md",))
    ours = {"tool_name": "memory", "tool_input": {"action": action, "target": "memory", "content": "x"}}
    for variables in ({"HERMES_HOME": home.root}, {"HERMES_HOME": "", "HOME": str(tmp_path)}):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert "memories/MEMORY.md changes only by what" in refusal(home, ours, "nl")
        assert refusal(home, {**ours, "tool_input": {"action": action, "target": "user"}}, "nl") == ""
        assert refusal(home, {**ours, "tool_name": "todo"}, "nl") == ""
    elsewhere = make_home(tmp_path / "workspace")
    assert refusal(elsewhere, ours, "nl") == ""

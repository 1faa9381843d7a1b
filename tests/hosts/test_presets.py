from pathlib import Path

import pytest

from nightledger.hosts.daylogs import (
    CLAUDE_CODE,
    CODEX,
    GENERIC,
    HERMES,
    OPENCLAW,
    PRESETS,
    detect_host,
    preset,
    state_roots,
)


@pytest.mark.parametrize(
    ("names", "host"),
    [
        (["SOUL.md", "AGENTS.md"], OPENCLAW),
        (["memories", "state.db"], HERMES),
        ([".codex"], CODEX),
        (["CLAUDE.md"], CLAUDE_CODE),
        ([], GENERIC),
        (["SOUL.md"], GENERIC),
        (["AGENTS.md"], GENERIC),
        (["memories"], GENERIC),
        (["SOUL.md", "AGENTS.md", "CLAUDE.md", ".codex"], OPENCLAW),
        (["CLAUDE.md", ".codex"], CODEX),
    ],
)
def test_a_workspace_is_known_by_all_of_its_marks(tmp_path: Path, names: list[str], host: str) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert detect_host(str(tmp_path)) == host


def test_no_host_gates_what_no_proposal_may_change() -> None:
    for one in PRESETS:
        assert one.gated
        assert not {"SOUL.md", "AGENTS.md", "CLAUDE.md"} & set(one.gated)
        assert one.instructions not in one.gated
    assert preset(HERMES).gated == ("memories/MEMORY.md", "memories/USER.md")


def test_a_variable_moves_a_hosts_own_directory() -> None:
    own = {"OPENCLAW_STATE_DIR": "~/claw"}
    assert state_roots("/home/ann", own)["openclaw"] == "/home/ann/claw"
    assert state_roots("/home/ann", own)["codex"] == "/home/ann/.codex"

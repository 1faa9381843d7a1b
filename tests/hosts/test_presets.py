from pathlib import Path

import pytest

from nightledger.hosts.presets import PRESETS, detect_host, preset


@pytest.mark.parametrize(
    ("names", "host"),
    [
        ((), "generic"),
        (("SOUL.md",), "generic"),
        (("SOUL.md", "AGENTS.md"), "openclaw"),
        (("SOUL.md", "AGENTS.md", "CLAUDE.md"), "openclaw"),
        (("memories", "state.db"), "hermes"),
        ((".codex",), "codex"),
        (("CLAUDE.md",), "claude_code"),
    ],
)
def test_a_workspace_is_known_by_its_files(tmp_path: Path, names: tuple[str, ...], host: str) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert detect_host(str(tmp_path)) == host


def test_every_host_has_a_memory_file_and_daily_logs() -> None:
    assert [p.host for p in PRESETS] == ["openclaw", "hermes", "codex", "claude_code", "generic"]
    assert preset("hermes").gated == ("memories/MEMORY.md", "memories/USER.md")
    assert preset("openclaw").gated == ("MEMORY.md",)
    assert all(p.daily == ("memory", "memory/daily") for p in PRESETS)
    assert {p.instructions for p in PRESETS} == {"AGENTS.md", "CLAUDE.md"}


def test_an_unknown_host_is_generic() -> None:
    assert preset("other").host == "generic"

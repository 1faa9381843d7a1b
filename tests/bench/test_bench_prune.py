from pathlib import Path

import pytest
from bench.bench_prune import run_trial

LOG = "# Greenhouse\n\n" + "- Looked at the lamp in the long corridor again, it was on as every day\n" * 40


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "spaces" / "garden"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(
        "# M\n\n## Plants\n\n" + "".join(f"- Plant {n} is green\r\n" for n in range(20))
    )
    for day in range(1, 9):
        (root / "memory" / f"2026-01-0{day}.md").write_text(LOG + f"- {day}\n")
    (root / "memory" / "2026-02-01.md").write_text("- quiet\n")
    return root


def test_everything_pruned_comes_back_byte_for_byte(workspace: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in workspace.rglob("*.md")}
    figures = run_trial(workspace, tmp_path / "trial")
    assert figures.different == []
    assert figures.counts["compress proposed"] == 8
    assert figures.counts["archive proposed"] == 3
    assert figures.counts["changes applied"] == figures.counts["changes taken back"] == 11
    assert figures.counts["compress left alone, short"] == 1
    assert {path: path.read_bytes() for path in workspace.rglob("*.md")} == before

from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.surfaces.instructions import agent_lines, offer


def checkout(tmp_path: Path, text: str) -> str:
    (tmp_path / "checkout" / "docs").mkdir(parents=True)
    (tmp_path / "checkout" / "docs" / "agent-instructions.md").write_text(text)
    return str(tmp_path / "checkout")


TEXT = "# Title\n\n```markdown\n## Memory\n- One.\n- Two.\n```\n\n```sh\nls\n```\n"


def added(diff: str) -> list[str]:
    return [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]


def test_the_first_markdown_block_is_what_to_paste(tmp_path: Path) -> None:
    assert agent_lines(checkout(tmp_path, TEXT)) == ("## Memory", "- One.", "- Two.")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (None, ["## Memory", "- One.", "- Two."]),
        ("# House\n", ["", "## Memory", "- One.", "- Two."]),
        ("## Memory\n- Other.\n", ["", "## Memory", "- One.", "- Two."]),
        ("## Memory\n- One.\n", ["", "- Two."]),
        ("## Memory\n  - One.\n- Two.\n", []),
    ],
)
def test_only_what_is_missing_is_offered(before: str | None, expected: list[str], tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    if before is not None:
        Path(home.root, "AGENTS.md").write_text(before)
    assert added(offer(home, checkout=checkout(tmp_path, TEXT)).diff) == expected

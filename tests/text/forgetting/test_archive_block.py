"""An archived entry keeps its lines, with where it stood, when it went and why."""

from datetime import date

import pytest

from nightledger.text.forgetting.traces import archive_block, told_with

ENTRY = "e-qygk77v7yviucnh5dahsec22w6"
LINE = f"Archived 2026-03-01 from MEMORY.md, entry {ENTRY}: It is done."


def block(text: str, section: tuple[str, ...] = ("Projects", "Atlas")) -> str:
    return archive_block(
        text,
        section=section,
        entry=ENTRY,
        target="MEMORY.md",
        day=date(2026, 3, 1),
        reason="It is\n  done.",
    )


def test_a_block_names_the_section_and_says_when_and_why() -> None:
    assert block("- One.\n  - Two.\n") == f"## Projects > Atlas\n\n- One.\n  - Two.\n\n{LINE}\n"
    assert block("- One.\n", ()).startswith("## The top of the file\n\n- One.\n")


@pytest.mark.parametrize("text", ["- One.\n", "- One.\r\n  Two.\r\n", "- no end", "para\n\n```\ncode\n```\n"])
def test_an_entry_is_recognised_in_its_block_whatever_blank_lines_went_with_it(text: str) -> None:
    assert told_with(block(text), text) == LINE
    assert told_with(block(text), f"{text}\n") == LINE


@pytest.mark.parametrize(
    "added",
    [
        "",
        "## Atlas\n\n- Other.\n\nArchived x\n",
        "# Atlas\n\n- One.\n\nArchived x\n",
        "## Atlas\nmore\n\n- One.\n\nArchived x\n",
        "## Atlas\n\n- One.\n\nSomething else.\n",
        "## Atlas\n\n- One.\n\nArchived x\nand more\n",
        "## Atlas\n\n- One.\n\nArchived x",
        "## Atlas\n\n- One.\n",
    ],
)
def test_a_block_with_anything_else_is_told_apart(added: str) -> None:
    assert told_with(added, "- One.\n") is None

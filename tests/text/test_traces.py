"""An archived entry keeps its lines, with where it stood, when it went and why."""

from datetime import date

import pytest
from tests.rows import from_corpus

from nightledger.text.forgetting import (
    Marker,
    archive_block,
    marker_line,
    read_marker,
    told_with,
)

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


@from_corpus("text-forgetting-traces")
def test_a_block_with_anything_else_is_told_apart(added: str) -> None:
    assert told_with(added, "- One.\n") is None


SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
COPY = "memory/archive/daily/2026-01-02.md"


@from_corpus("text-forgetting-traces")
def test_the_link_works_from_where_the_log_lies(log: str, link: str) -> None:
    line = marker_line(log, Marker(copy=COPY, lines=12, sha256=SHA256))
    assert line == f"Full text: [{COPY}](<{link}>), 12 lines, SHA-256 {SHA256}."


@pytest.mark.parametrize("name", ["2026-01-02.md", "2026-01-02 a (b) [c].md", "2026-01-02-2.md"])
@pytest.mark.parametrize("lines", [1, 2])
def test_what_is_written_is_read_again_quoted_or_not(name: str, lines: int) -> None:
    marker = Marker(copy=f"memory/archive/daily/{name}", lines=lines, sha256=SHA256)
    line = marker_line("memory/2026-01-02.md", marker)
    assert read_marker(f"# Day\n\n{line}\n- More.\n") == marker
    assert read_marker(f"# Day\r\n> {line}\r\n") == marker


@pytest.mark.parametrize("copy", ["memory/archive/daily/notes.md", "MEMORY.md", "../2026-01-02.md"])
def test_a_line_that_points_elsewhere_is_none(copy: str) -> None:
    assert read_marker(f"Full text: [{copy}](<x>), 1 line, SHA-256 {SHA256}.") is None


def test_two_such_lines_tell_nothing() -> None:
    line = marker_line("memory/2026-01-02.md", Marker(copy=COPY, lines=1, sha256=SHA256))
    assert read_marker(f"{line}\n{line}\n") is None
    assert read_marker("# Day\n") is None


@pytest.mark.parametrize("lines", ["9" * 4400, "0٣", "01", ""])
def test_a_line_with_another_number_is_no_marker(lines: str) -> None:
    line = marker_line("x.md", Marker(copy="memory/archive/daily/2026-03-01.md", lines=12, sha256="0" * 64))
    assert read_marker(line) is not None
    assert read_marker(line.replace(" 12 ", f" {lines} ")) is None

"""The line that points from a summary to its full text."""

import pytest

from nightledger.text.forgetting.traces import Marker, count_lines, marker_line, read_marker

SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
COPY = "memory/archive/daily/2026-01-02.md"


@pytest.mark.parametrize(
    ("log", "link"),
    [
        ("memory/2026-01-02.md", "archive/daily/2026-01-02.md"),
        ("memory/daily/2026-01-02.md", "../archive/daily/2026-01-02.md"),
        ("logs/2026-01-02.md", "../memory/archive/daily/2026-01-02.md"),
        ("2026-01-02.md", "memory/archive/daily/2026-01-02.md"),
    ],
)
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


@pytest.mark.parametrize(("content", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_an_unfinished_last_line_counts(content: bytes, lines: int) -> None:
    assert count_lines(content) == lines


@pytest.mark.parametrize("lines", ["9" * 4400, "0٣", "01", ""])
def test_a_line_with_another_number_is_no_marker(lines: str) -> None:
    line = marker_line("x.md", Marker(copy="memory/archive/daily/2026-03-01.md", lines=12, sha256="0" * 64))
    assert read_marker(line) is not None
    assert read_marker(line.replace(" 12 ", f" {lines} ")) is None


def test_a_place_ends_where_its_link_begins() -> None:
    marker = Marker(copy="memory/archive/daily/2026-03-01.md", lines=12, sha256="0" * 64)
    line = marker_line("x.md", marker).replace("](<", "](<other.md](<")
    assert read_marker(line) == marker


def test_a_line_of_many_links_is_read_once() -> None:
    assert read_marker("Full text: [" + "](<a>), 1 lines, " * 60_000) is None

from tests.rows import each_row

from nightledger.text.changes.layout import (
    block_at,
    end_near,
    find_section,
    insertion_line,
    last_filled_line,
    new_heading,
    resolve_path,
)
from nightledger.text.markdown.document import parse_markdown

Path = tuple[str, ...]


def insertion(text: str, *path: str) -> int:
    document = parse_markdown(text)
    section = find_section(document, path)
    assert section is not None
    return insertion_line(document, section)


@each_row(
    ("text", "path", "whole"),
    [
        ("# M\n## A\n", ("M", "A"), ("M", "A")),
        ("# M\n## A\n", ("A",), ("M", "A")),
        ("# M\n## A\n### B\n", ("A", "B"), ("M", "A", "B")),
        ("# M\n## A\n### A\n", ("A",), ("M", "A")),
        ("# M\n## A\n## B\n### A\n", ("A",), ("M", "A")),
        ("# M\n## A\n### C\n## B\n### C\n", ("C",), None),
        ("# M\n## A\n", ("B",), ("M", "B")),
        ("# M\n## A\n", ("A", "B"), ("M", "A", "B")),
        ("# M\n## A\n", ("B", "C"), None),
        ("# M\n# N\n", ("A",), ("A",)),
        ("## M\n# N\n", ("A",), ("A",)),
        ("words\n", ("A",), ("A",)),
        ("# M\n", (), ()),
        ("# M\n", ("m",), ("M", "m")),
    ],
)
def test_a_path_names_one_section_or_none(text: str, path: Path, whole: Path | None) -> None:
    assert resolve_path(parse_markdown(text), path) == whole


@each_row(
    ("text", "path", "heading"),
    [
        ("", ("A",), "## A"),
        ("## B\n", ("A",), "## A"),
        ("# M\n# N\n", ("A",), "# A"),
        ("# M\n", ("M", "A"), "## A"),
        ("### M\n", ("M", "A"), "#### A"),
        ("###### M\n", ("M", "A"), None),
        ("# M\n", ("N", "A"), None),
        ("", ("A\nB",), None),
        ("", ("A #",), None),
        ("", (" A",), None),
        ("", ("",), None),
        ("", ("C#",), "## C#"),
    ],
)
def test_a_new_heading_stands_one_level_below_its_outer_one(
    text: str, path: Path, heading: str | None
) -> None:
    assert new_heading(parse_markdown(text), path) == heading


@each_row(
    ("text", "line"),
    [
        ("# A\n", 1),
        ("A\n===\n", 2),
        ("# A\n\n- a\n\n## B\n", 3),
        ("# A\n\n- a\n\n---\n\n<!-- end of file -->\n", 3),
        ("# A\n\n<!-- write lessons here -->\n", 3),
        ("# A\n\n---\n", 1),
        ("# A\n\n[a]: b\n", 3),
        ("# A\n- a\n\n[b]: c\n", 2),
        ("# A\n<!-- x:start -->\n- a\n<!-- x:end -->\n", 4),
        ("# A\n<!-- BEGIN -->\n- a\n\n- b\n<!-- END -->\n\ntail\n", 8),
        ("# A\n- a\n<!-- x:start -->\n<!-- x:end -->\n", 2),
        ("# A\n<!-- x:start -->\n- a\n", 3),
        ("# A\n- a\n<!-- the end -->\n", 2),
        ("# A\n<!-- x:start -->\n- a\n<!-- x:end -->\n- b\n<!-- y:end -->\n", 5),
        ("# A\n<!-- weekend -->\n- a\n<!-- --- -->\n<div>\n- b\n</div>\n", 3),
    ],
)
def test_a_section_grows_after_its_last_entry_and_outside_generated_blocks(text: str, line: int) -> None:
    assert insertion(text, "A") == line


def test_the_top_of_a_file_grows_below_its_front_matter() -> None:
    assert insertion("---\na: b\n---\n\n# A\n") == 3
    assert insertion("# A\n") == 0


def test_blank_lines_at_the_end_of_a_range_are_left_off() -> None:
    document = parse_markdown("a\n\n\n")
    assert (last_filled_line(document, 1, 3), last_filled_line(document, 2, 3)) == (1, 1)


def test_a_block_is_found_by_its_lines() -> None:
    document = parse_markdown("a\n\n- b\n  c\n")
    block = block_at(document, 4)
    assert block is not None
    assert (block.first_line, block.last_line) == (3, 4)
    assert block_at(document, 2) is None
    assert block_at(document, 9) is None


def test_the_line_end_nearby_wins_over_the_usual_one() -> None:
    document = parse_markdown("a\r\nb\r\nc\nd")
    assert [end_near(document, line) for line in (0, 1, 3, 4)] == ["\r\n", "\r\n", "\n", "\r\n"]

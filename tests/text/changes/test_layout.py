from tests.rows import each_row

from nightledger.text.changes.layout import (
    as_addition,
    as_replacement,
    find_section,
    insertion_line,
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


def dressed(text: str, entry: str, *path: str) -> str:
    document = parse_markdown(text)
    return as_addition(document, find_section(document, path), entry)


@each_row(
    ("text", "entry", "expected"),
    [
        ("* a\n", "- x\n", "* x\n"),
        ("+   a\n", "- x\n  y\n", "+   x\n    y\n"),
        (" - a\n", "- x\n  y\n", " - x\n   y\n"),
        ("-\ta\n", "- x\n  y\n", "-\tx\n    y\n"),
        ("1. a\n2. b\n", "- x\n  y\n", "3. x\n   y\n"),
        ("9) a\n", "- x\n- y\n", "10) x\n11) y\n"),
        ("* a\n\n* b\n", "- x\n", "\n* x\n"),
        ("* a\n\n* b\n", "- x\n\n  y\n", "\n* x\n\n  y\n"),
        ("* a\n* b\n\n* c\n* d\n", "- x\n", "* x\n"),
        ("* a\n\nwords\n", "- x\n", "* x\n"),
        ("1. a\n\nwords\n", "- x\n", "- x\n"),
        ("words\n", "- x\n", "- x\n"),
        ("* a\n", "1. x\n", "* x\n"),
        ("* a\n", "- x\n  - child\n\n      code\n", "* x\n  - child\n\n      code\n"),
        ("1. a\n", "- x\n  - child\n", "2. x\n   - child\n"),
        ("10. a\n", "- x\n\t- child\n", "11. x\n      - child\n"),
        ("* a\n", "- x\nlazy\n", "* x\n  lazy\n"),
        ("* a\n", "- x\n\n\n- y\n", "* x\n\n\n* y\n"),
        ("* a\n", "words\n", "words\n"),
        ("* a\n", "- x\n\nwords\n", "- x\n\nwords\n"),
        ("*\n", "- x\n", "- x\n"),
        ("* a\n", "-\n", "-\n"),
        ("* a\n<!-- c -->\n", "- x\n", "* x\n"),
    ],
)
def test_an_item_takes_on_the_marks_of_its_list(text: str, entry: str, expected: str) -> None:
    assert dressed(text, entry) == expected


def test_a_section_without_a_list_borrows_the_last_bullets_of_its_document() -> None:
    text = "# A\n\n* a\n\n# B\n\nwords\n\n# C\n\n1. c\n"
    assert dressed(text, "- x\n", "B") == "* x\n"
    assert as_addition(parse_markdown(text), None, "- x\n") == "* x\n"


@each_row(
    ("entry", "removed", "expected"),
    [
        ("- x\n", "* a\n", "* x\n"),
        ("- x\n", "4. a\n", "4. x\n"),
        ("- x\n  y\n", "  * a\n", "  * x\n    y\n"),
        ("x\n", "* a\n", "* x\n"),
        ("x\ny\n", "* a\n", "* x\n  y\n"),
        ("x\n\ny\n", "* a\n", "x\n\ny\n"),
        ("- x\n", "words\n", "- x\n"),
        ("x\n", "words\n", "x\n"),
        ("```\nx\n```\n", "* a\n", "```\nx\n```\n"),
    ],
)
def test_a_replacement_takes_on_the_marks_of_what_it_replaces(
    entry: str, removed: str, expected: str
) -> None:
    assert as_replacement(entry, removed) == expected

import pytest
from tests.rows import each_row

from nightledger.text.changes.layout import find_section
from nightledger.text.changes.style import as_addition, as_replacement, is_list, tidy
from nightledger.text.markdown.document import parse_markdown


def dressed(text: str, entry: str, *path: str) -> str:
    document = parse_markdown(text)
    return as_addition(document, find_section(document, path), entry)


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("", ""),
        (" \n\n", ""),
        ("a", "a\n"),
        ("\n\na\n\nb\n\n", "a\n\nb\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("  - a\n", "  - a\n"),
    ],
)
def test_an_entry_is_tidied_to_its_lines(text: str, entry: str) -> None:
    assert tidy(text) == entry


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


@pytest.mark.parametrize(
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


def test_a_list_is_items_and_nothing_else() -> None:
    assert is_list("- a\n- b\n")
    assert not is_list("- a\n\nb\n")
    assert not is_list("")

from typing import Any

from hypothesis import given
from markdown_it import MarkdownIt
from tests.rows import each_row, from_corpus
from tests.text.documents import plain_documents

from nightledger.text.markdown.blocks import Block, BlockKind, is_blank, scan_blocks

ORACLE = MarkdownIt("commonmark")
ORACLE_KINDS = {
    "heading_open": "heading", "paragraph_open": "paragraph", "bullet_list_open": "list",
    "ordered_list_open": "list", "blockquote_open": "quote", "fence": "fence", "code_block": "code",
    "html_block": "html", "hr": "rule",
}  # fmt: skip

Shape = list[tuple[str, int, int]]


def blocks(text: str) -> tuple[Block, ...]:
    return scan_blocks(text.splitlines(keepends=True))


def rows(text: str) -> list[list[Any]]:
    """Give the shape as a corpus has it."""
    return [*map(list, shape(text))]


def shape(text: str) -> Shape:
    return [(block.kind.value, block.first_line, block.last_line) for block in blocks(text)]


def filled(lines: list[str], first: int, last: int) -> tuple[int, int]:
    """Leave off blank lines at a block's end: parsers differ in whose they are."""
    while last > first and is_blank(lines[last - 1]):
        last -= 1
    return first, last


def shape_to_oracle(text: str) -> tuple[Shape, list[tuple[int, int]]]:
    lines = text.split("\n")
    tokens = ORACLE.parse(text)
    top = [t for t in tokens if t.level == 0 and t.map and t.type in ORACLE_KINDS]
    items = [t.map for t in tokens if t.type == "list_item_open" and t.level == 1 and t.map]
    found = [(ORACLE_KINDS[t.type], *filled(lines, t.map[0] + 1, t.map[1])) for t in top if t.map]
    return found, [filled(lines, first + 1, last) for first, last in items]


def shape_to_commonmark(text: str) -> tuple[Shape, list[tuple[int, int]]]:
    """Give our blocks as CommonMark has them: a table is paragraph text."""
    lines = text.split("\n")
    found: Shape = []
    for block in blocks(text):
        kind = "paragraph" if block.kind is BlockKind.TABLE else block.kind.value
        first, last = filled(lines, block.first_line, block.last_line)
        if (
            block.kind is BlockKind.TABLE
            and found
            and found[-1][2] == first - 1
            and found[-1][0] == "paragraph"
        ):
            found[-1] = ("paragraph", found[-1][1], last)
        else:
            found.append((kind, first, last))
    items = [filled(lines, *item) for block in blocks(text) for item in block.items]
    return found, items


@given(plain_documents())
def test_blocks_and_items_are_those_of_markdown_it(text: str) -> None:
    assert shape_to_commonmark(text) == shape_to_oracle(text)


TOLD = (
    "a\nb\n\nc\n", "a\n- b\n", "a\n-\n", "a\n1. b\n", "- a\n* b\n", "- a\n\n\n- b\n",
    "- a\n\n<!-- -->\n\n- b\n", "- a\n---\n", "- a\nlazy\n", "- a\n\nnot lazy\n", "-\n\n  a\n", "- a\n\tb\n",
    "a\n    b\n", "```\n\n# a\n", "``` a`b\n", "~~~\n    ~~~\n~~~\n", "> a\nlazy\n>\n", "> ```\na\n",
    "a\n===\n", "> a\n===\n", "- a\n  ===\n", "<pre>\n\na\n</pre>\nb\n", "<div>\na\n\nb\n", "<b>\na\n",
    "<![CDATA[\n\n]]>\n", "text <!-- a\n\n# h\n-->\n", "- a\n - b\n  - c\n   - d\n    - e\n",
    "- a\n  - b\n\n    c\n- d\n",
)  # fmt: skip
"""What is easily read otherwise: interruptions, laziness, closings, kinds of HTML."""


@each_row("text", TOLD)
def test_blocks_and_items_are_told_as_the_specification_does(text: str) -> None:
    assert shape_to_commonmark(text) == shape_to_oracle(text)


@from_corpus("text-markdown-blocks")
def test_front_matter_stands_at_the_top_and_looks_like_yaml(text: str, expected: list[list[Any]]) -> None:
    assert rows(text) == expected


def test_nesting_beyond_reason_is_read_as_text() -> None:
    assert shape(">" * 5000 + " a\n") == [("quote", 1, 1)]


@from_corpus("text-markdown-blocks")
def test_a_table_needs_a_row_of_dashes_with_as_many_cells(text: str, expected: list[list[Any]]) -> None:
    assert rows(text) == expected


@from_corpus("text-markdown-blocks")
def test_link_definitions_alone_are_no_paragraph(text: str, expected: list[list[Any]]) -> None:
    assert rows(text) == expected

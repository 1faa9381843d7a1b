from hypothesis import given
from markdown_it import MarkdownIt
from tests.rows import from_corpus
from tests.text.documents import plain_documents

from nightledger.text.markdown.blocks import Block, is_blank, scan_blocks

ORACLE = MarkdownIt("commonmark")
ORACLE_KINDS = {
    "heading_open": "heading", "paragraph_open": "paragraph", "bullet_list_open": "list",
    "ordered_list_open": "list", "blockquote_open": "quote", "fence": "fence", "code_block": "code",
    "html_block": "html", "hr": "rule",
}  # fmt: skip
Shape = list[tuple[str, int, int]]


def blocks(text: str) -> tuple[Block, ...]:
    return scan_blocks(text.splitlines(keepends=True))


def filled(lines: list[str], kind: str, first: int, last: int) -> tuple[str, int, int]:
    """Leave off blank lines at a block's end: parsers differ in whose they are."""
    while last > first and is_blank(lines[last - 1]):
        last -= 1
    return kind, first, last


def shape_to_oracle(text: str) -> tuple[Shape, Shape]:
    lines = text.split("\n")
    tokens = [(t.type, t.level, t.map) for t in ORACLE.parse(text) if t.map]
    top = [(ORACLE_KINDS[kind], at) for kind, level, at in tokens if level == 0 and kind in ORACLE_KINDS]
    items = [at for kind, level, at in tokens if (kind, level) == ("list_item_open", 1)]
    found = [filled(lines, kind, first + 1, last) for kind, (first, last) in top]
    return found, [filled(lines, "item", first + 1, last) for first, last in items]


def shape_to_commonmark(text: str) -> tuple[Shape, Shape]:
    """Give our blocks as CommonMark has them: a table is text of a paragraph, of the one above it, too."""
    lines, found = text.split("\n"), Shape()
    for block in blocks(text):
        kind = "paragraph" if block.kind == "table" else block.kind.value
        place = filled(lines, kind, block.first_line, block.last_line)
        if block.kind == "table" and found and found[-1][::2] == ("paragraph", place[1] - 1):
            place = ("paragraph", found.pop()[1], place[2])
        found.append(place)
    return found, [filled(lines, "item", *item) for block in blocks(text) for item in block.items]


@given(plain_documents())
def test_blocks_and_items_are_those_of_markdown_it(text: str) -> None:
    assert shape_to_commonmark(text) == shape_to_oracle(text)


@from_corpus("text-markdown-blocks")
def test_blocks_and_items_are_told_as_the_specification_does(text: str) -> None:
    """What is easily read otherwise: interruptions, laziness, closings, kinds of HTML."""
    assert shape_to_commonmark(text) == shape_to_oracle(text)


@from_corpus("text-markdown-blocks")
def test_what_commonmark_does_not_tell_is_told(text: str, expected: list[list[object]]) -> None:
    """Front matter, tables, link definitions alone; what is nested beyond reason is text."""
    found = [[block.kind.value, block.first_line, block.last_line] for block in blocks(text)]
    assert found == expected

"""Lines that are read as another thing than text: in a fence, in a comment, as a row of a table.

What stands in a comment or an example is told to nobody, and the cells of a row mean what the
table's first row says. A fence or a comment inside a list counts, too, though it is no block of its own.

Invariant: linear in the text; each line has one answer.
"""

import re

from nightledger.text.markdown.block import Block, BlockKind
from nightledger.text.markdown.document import Document

COMMENT = "<!--"
_BLOCKS = frozenset(
    {
        BlockKind.FENCE,
        BlockKind.CODE,
        BlockKind.HTML,
        BlockKind.LINKS,
        BlockKind.FRONT_MATTER,
        BlockKind.QUOTE,
    }
)
"""Blocks whose lines are read otherwise than the same lines outside them."""
_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)*(`{3,}|~{3,})")


def enclosures(document: Document) -> list[str]:
    """Give, for each line, in what it stands: a kind of block, or the first row of its table; "" for plain text."""
    found = [""] * len(document.lines)
    for block in document.blocks:
        first, last = block.first_line - 1, block.last_line
        if block.kind is BlockKind.TABLE:
            found[first + 1 : last] = [document.lines[first].strip()] * (last - first - 1)
        elif block.kind in _BLOCKS:
            found[first:last] = [block.kind.value] * (last - first)
        else:
            found[first:last] = _inside(document, block)
    return found


def _inside(document: Document, block: Block) -> list[str]:
    """Give in what each line of a list or paragraph stands; what opens a fence or a comment stands in neither."""
    found: list[str] = []
    opened = ""
    for line in document.lines[block.first_line - 1 : block.last_line]:
        found.append(opened)
        opened = _after(line, opened)
    return found


def _after(line: str, opened: str) -> str:
    """Give what is open behind a line: a fence's marks, a comment, or nothing."""
    fence = _FENCE.match(line)
    if opened.startswith(("`", "~")):
        return "" if fence and fence[1].startswith(opened) else opened
    if not opened and fence:
        return fence[1]
    at = 0
    while True:
        mark = "-->" if opened else COMMENT
        at = line.find(mark, at)
        if at < 0:
            return opened
        at += len(mark)
        opened = "" if opened else COMMENT

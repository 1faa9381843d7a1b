"""Lines that are read as another thing than text: in a fence, in a comment, as a row of a table, as half of a sentence.

What stands in a comment or an example is told to nobody, and the cells of a row mean what the
table's first row says; the second line of a sentence that was broken says nothing alone. A fence or a comment inside a list counts, too, though it is no block of its own.

Invariant: linear in the text; each line has one answer.
"""

import hashlib
import re
from collections.abc import Sequence

from nightledger.text.changes.labels import unquoted
from nightledger.text.markdown.block import BlockKind
from nightledger.text.markdown.document import Document, is_blank
from nightledger.text.markdown.table import is_table_head

COMMENT = "<!--"
_BLOCKS = frozenset(
    {
        BlockKind.CODE,
        BlockKind.LINKS,
        BlockKind.FRONT_MATTER,
    }
)
"""Blocks whose lines are read otherwise than the same lines outside them."""
_OPENED = frozenset({BlockKind.FENCE, BlockKind.HTML})
"""The same, by what opens them: a comment is no ``<div>``."""
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])\s")
_ENDS = re.compile(r"[.!?:\u2026\u3002\uff01\uff1a\uff1f][*_\"')\]`\u201d]{0,9}$")
"""What ends a sentence or a label at a line's end; a line below another end goes on with what it says."""
_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)*(`{3,}|~{3,})")


def enclosures(document: Document) -> list[str]:
    """Give, for each line, in what it stands: a kind of block, the first row of its table, or the sentence that it goes on; "" for plain text."""
    found = [""] * len(document.lines)
    for block in document.blocks:
        first, last = block.first_line - 1, block.last_line
        own = document.lines[first:last]
        if block.kind is BlockKind.TABLE:
            found[first + 1 : last] = [own[0].strip()] * (last - first - 1)
        elif block.kind in _OPENED:
            found[first:last] = [block.kind.value, *[f"{block.kind} {own[0].strip()}"] * (last - first - 1)]
        elif block.kind is BlockKind.QUOTE:
            found[first:last] = [
                f"{block.kind} {one}".rstrip() for one in _inside([unquoted(line) for line in own])
            ]
        elif block.kind in _BLOCKS:
            found[first:last] = [block.kind.value] * (last - first)
        else:
            found[first:last] = _inside(own)
    return found


def _inside(lines: Sequence[str]) -> list[str]:
    """Give in what each line of a list or paragraph stands; what opens a fence or a comment stands in neither."""
    found: list[str] = []
    opened = table = said = ""
    for n, line in enumerate(lines):
        if n and not opened and is_table_head(lines[n - 1], line):
            table = lines[n - 1].strip()
        said = "" if _ITEM.match(line) or _FENCE.match(line) or _begins(line) else said
        found.append(opened or table or said)
        opened = _after(line, opened)
        said = "" if opened or is_blank(line) or _ENDS.search(line.strip()) else _digest(said + line.strip())
        table = "" if is_blank(line) else table
    return found


def _begins(line: str) -> bool:
    """Tell whether a line begins as a sentence or a dated note does: agents append such lines without full stops."""
    first = line.lstrip()[:1]
    return first.isupper() or first.isdigit()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


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

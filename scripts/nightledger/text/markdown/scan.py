"""Find the top-level blocks of a Markdown document, line by line.

The block rules are those of CommonMark 0.31.2 (containers first, then leaves, then lazy
continuation), because a heading inside a fence, a comment or a list item is no section.
Inline text is not looked at: nothing in it changes where a block begins or ends.

Invariant: blocks are in order, do not overlap, and every line outside them is blank.
"""

import re
from collections.abc import Sequence

from nightledger.text.markdown import grammar
from nightledger.text.markdown.block import Block, BlockKind, is_blank
from nightledger.text.markdown.table import refined


def scan_blocks(lines: Sequence[str]) -> tuple[Block, ...]:
    r"""Give the top-level blocks of a document; one pass, linear in its size.

    Args:
        lines: All lines, split on ``\n`` only, with or without their ends and without a BOM.
    """
    front = _front_matter(lines)
    scanner = _Scanner()
    for number, line in enumerate(lines[front:], front + 1):
        scanner.feed(number, line.rstrip("\r\n").expandtabs(grammar.TAB_STOP))
    head = [Block(kind=BlockKind.FRONT_MATTER, first_line=1, last_line=front)] if front else []
    return (*head, *refined(scanner.blocks(), lines))


def _front_matter(lines: Sequence[str]) -> int:
    """Count the lines of YAML front matter; 0 where the document has none."""
    if len(lines) < 2 or lines[0].rstrip() != "---":  # noqa: PLR2004 - an opening and a closing line
        return 0
    if not (grammar.FRONT_KEY.match(lines[1]) or lines[1].rstrip() == "---"):
        return 0
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in {"---", "..."}:
            return number
        if is_blank(line):
            return 0
    return 0


class _Open:
    """A block under construction."""

    __slots__ = ("first", "items", "kind", "last", "level", "marker")

    def __init__(self, kind: BlockKind, line: int, *, level: int = 0, marker: str = "") -> None:
        self.kind, self.first, self.last = kind, line, line
        self.level, self.marker = level, marker
        self.items: list[list[int]] = []

    def close(self) -> Block:
        return Block(
            kind=self.kind,
            first_line=self.first,
            last_line=self.last,
            level=self.level,
            items=tuple((first, last) for first, last in self.items),
            marker=self.marker,
        )


class _Container:
    """An open block quote, or list item with the columns its content is indented by."""

    __slots__ = ("empty", "indent", "quote")

    def __init__(self, *, quote: bool, indent: int = 0, empty: bool = False) -> None:
        self.quote, self.indent, self.empty = quote, indent, empty


class _Leaf:
    """The open leaf of the innermost container."""

    __slots__ = ("end", "kind", "lines")

    def __init__(self, kind: BlockKind, end: re.Pattern[str] | None = None) -> None:
        self.kind, self.end = kind, end
        self.lines: list[str] = []


class _Scanner:
    """The two-phase algorithm of the CommonMark appendix, keeping only what is at the top level."""

    def __init__(self) -> None:
        self._done: list[_Open] = []
        self._stack: list[_Container] = []
        self._leaf: _Leaf | None = None
        self._number = 0
        self._line = ""
        self._at = 0
        self._matched = 0

    def blocks(self) -> tuple[Block, ...]:
        return tuple(block.close() for block in self._done)

    def feed(self, number: int, line: str) -> None:
        self._number, self._line = number, line
        self._match_containers()
        everything = self._matched == len(self._stack)
        if everything and self._leaf is not None and self._continue_leaf(self._leaf):
            return
        started = self._open_blocks()
        if started:
            return
        if self._text() == "":
            self._blank(everything=everything)
        elif self._lazy():
            self._touch()
        else:
            self._cut()
            self._start_paragraph()

    # phase 1: which open containers does this line continue?

    def _match_containers(self) -> None:
        self._at = self._matched = 0
        for container in self._stack:
            if not self._continue_container(container):
                return
            self._matched += 1

    def _continue_container(self, container: _Container) -> bool:
        indent, text = self._indent(), self._text()
        if container.quote:
            if indent >= grammar.CODE_INDENT or not text.startswith(">"):
                return False
            self._at += indent + (2 if text.startswith("> ") else 1)
            return True
        if text == "":
            return not container.empty
        if indent < container.indent:
            return False
        self._at += container.indent
        return True

    def _continue_leaf(self, leaf: _Leaf) -> bool:
        indent, text = self._indent(), self._text()
        if leaf.kind is BlockKind.FENCE:
            self._touch()
            if indent < grammar.CODE_INDENT and leaf.end is not None and leaf.end.match(text):
                self._leaf = None
            return True
        if leaf.kind is BlockKind.HTML:
            if leaf.end is None and text == "":
                return False
            self._touch()
            if leaf.end is not None and leaf.end.search(text):
                self._leaf = None
            return True
        if leaf.kind is BlockKind.CODE and indent >= grammar.CODE_INDENT and text:
            self._touch()
            return True
        return False

    # phase 2: which blocks does it open?

    def _open_blocks(self) -> bool:
        """Open what starts on this line; True when a leaf (or an empty item) took the rest."""
        while True:
            indent, text = self._indent(), self._text()
            if indent >= grammar.CODE_INDENT:
                return self._start_code(text)
            if not text:
                return False
            if self._start_leaf(text):
                return True
            if len(self._stack) >= grammar.MOST_NESTING or not self._open_container(indent, text):
                return False

    def _paragraph_is_open(self) -> bool:
        return self._leaf is not None and self._leaf.kind is BlockKind.PARAGRAPH

    def _in_paragraph(self) -> bool:
        """Whether the line stands directly in an open paragraph (not lazily)."""
        return self._paragraph_is_open() and self._matched == len(self._stack)

    def _start_code(self, text: str) -> bool:
        if not text or self._paragraph_is_open():
            return False
        self._cut()
        self._place(BlockKind.CODE)
        self._leaf = _Leaf(BlockKind.CODE)
        return True

    def _start_leaf(self, text: str) -> bool:
        first = text[0]
        if first == "#" and (atx := grammar.ATX.match(text)):
            return self._single(BlockKind.HEADING, level=len(atx[1]))
        if first in "`~" and (fence := grammar.FENCE.match(text)):
            return self._multi(BlockKind.FENCE, re.compile(rf"{re.escape(fence[0])}{first}* *$"), fence[0])
        if first == "<" and self._start_html(text):
            return True
        if first in "=-" and self._in_paragraph() and grammar.SETEXT.match(text) and self._end_setext(first):
            return True
        if first in "*-_" and grammar.RULE.match(text):
            return self._single(BlockKind.RULE)
        return False

    def _start_html(self, text: str) -> bool:
        for condition, (start, end) in enumerate(grammar.HTML_STARTS):
            if start.match(text) and (condition < grammar.HTML_ANY_TAG or not self._paragraph_is_open()):
                if end is not None and end.search(text):
                    return self._single(BlockKind.HTML)
                return self._multi(BlockKind.HTML, end)
        return False

    def _end_setext(self, first: str) -> bool:
        """Turn the open paragraph into a heading, unless it holds link definitions only."""
        leaf = self._leaf
        if leaf is None or all(grammar.REFERENCE.match(line) for line in leaf.lines):
            return False
        self._touch()
        if not self._stack:
            self._done[-1].kind = BlockKind.HEADING
            self._done[-1].level = 1 if first == "=" else 2
        self._leaf = None
        return True

    def _open_container(self, indent: int, text: str) -> bool:
        if text[0] != ">":
            return self._open_item(indent, text)
        self._cut()
        self._at += indent + (2 if text.startswith("> ") else 1)
        if not self._stack:
            self._place(BlockKind.QUOTE)
        self._push(_Container(quote=True))
        return True

    def _open_item(self, indent: int, text: str) -> bool:
        marker = grammar.MARKER.match(text)
        if marker is None:
            return False
        rest = text[marker.end() :]
        content = rest.lstrip(" ")
        if self._in_paragraph() and (not content or int(marker[2] or 1) != 1):
            return False  # CommonMark 5.2: only a filled item, numbered 1, interrupts a paragraph
        spaces = len(rest) - len(content)
        padding = marker.end() + (spaces if content and spaces <= grammar.CODE_INDENT else 1)
        self._cut()
        if not self._stack:
            self._place_item(marker[1] or marker[3])
        self._at = min(self._at + indent + padding, len(self._line))
        self._push(_Container(quote=False, indent=indent + padding, empty=not content))
        return True

    # what becomes of it

    def _indent(self) -> int:
        rest = self._line[self._at :]
        return len(rest) - len(rest.lstrip(" "))

    def _text(self) -> str:
        return self._line[self._at :].strip(" ")

    def _push(self, container: _Container) -> None:
        self._stack.append(container)
        self._matched += 1

    def _cut(self) -> None:
        """Close what this line does not continue, and any open leaf."""
        del self._stack[self._matched :]
        self._leaf = None
        if self._stack:
            self._stack[-1].empty = False

    def _single(self, kind: BlockKind, *, level: int = 0) -> bool:
        self._cut()
        self._place(kind, level=level)
        return True

    def _multi(self, kind: BlockKind, end: re.Pattern[str] | None, marker: str = "") -> bool:
        self._cut()
        self._place(kind, marker=marker)
        self._leaf = _Leaf(kind, end)
        return True

    def _start_paragraph(self) -> None:
        self._place(BlockKind.PARAGRAPH)
        self._leaf = _Leaf(BlockKind.PARAGRAPH)
        self._leaf.lines.append(self._line)

    def _blank(self, *, everything: bool) -> None:
        if self._leaf is not None and self._leaf.kind is BlockKind.CODE and everything:
            return
        if self._line.strip(" "):
            self._touch()  # only quote marks: blank inside, but a line of the block
        self._leaf = None
        # A quote ends at a blank line; an item that began blank takes no second one.
        del self._stack[self._matched :]

    def _lazy(self) -> bool:
        if self._paragraph_is_open() and self._leaf is not None:
            self._leaf.lines.append(self._line)
            return True
        return False

    def _place(self, kind: BlockKind, *, level: int = 0, marker: str = "") -> None:
        """Record a block that begins here, or a line more of the one that holds it."""
        if self._stack:
            self._touch()
        else:
            self._done.append(_Open(kind, self._number, level=level, marker=marker))

    def _place_item(self, marker: str) -> None:
        last = self._done[-1] if self._done else None
        if last is None or last.kind is not BlockKind.LIST or last.marker != marker:
            last = _Open(BlockKind.LIST, self._number, marker=marker)
            self._done.append(last)
        last.items.append([self._number, self._number])
        last.last = self._number

    def _touch(self) -> None:
        block = self._done[-1]
        block.last = self._number
        if block.items:
            block.items[-1][1] = self._number

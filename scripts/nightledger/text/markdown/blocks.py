"""Find the top-level blocks of a Markdown document, line by line.

The block rules are those of CommonMark 0.31.2 (containers first, then leaves, then lazy
continuation), because a heading inside a fence, a comment or a list item is no section; tables are those of GitHub.
Inline text is not looked at: nothing in it changes where a block begins or ends.

Invariant: blocks are in order, do not overlap, and every line outside them is blank.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, field


class BlockKind(StrEnum):
    """What a top-level block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    QUOTE = "quote"
    FENCE = "fence"
    CODE = "code"
    HTML = "html"
    RULE = "rule"
    TABLE = "table"
    LINKS = "links"
    """Link definitions alone, which show nowhere."""
    FRONT_MATTER = "front_matter"


class Block(Struct, frozen=True):
    """One top-level block; lines count from 1 and trailing blank lines are not in it.

    Attributes:
        kind: What it is.
        first_line: Its first line.
        last_line: Its last line, included.
        level: 1 to 6 for a heading, else 0.
        items: First and last line of each top-level item of a list.
        marker: A list's ``-``, ``+``, ``*``, ``.`` or ``)``; a fence's run of characters.
    """

    kind: BlockKind
    first_line: int
    last_line: int
    level: int = 0
    items: tuple[tuple[int, int], ...] = ()
    marker: str = ""


def is_blank(line: str) -> bool:
    """Whether a line holds only spaces, tabs and its end (CommonMark 2.1)."""
    return not line.strip(" \t\r\n")


def introduces(line: str) -> bool:
    """Tell whether a line names what stands below it: it ends with a colon, marks of emphasis aside."""
    return line.rstrip("*_ ").endswith((":", "\uff1a"))


def last_filled(lines: Sequence[str], first: int, last: int) -> int:
    """Return the last of some lines, counted from 1, that is not blank; ``first - 1`` where all are."""
    return next((n for n in range(last, first - 1, -1) if not is_blank(lines[n - 1])), first - 1)


_CODE_INDENT = 4  # CommonMark 4.4: an indented chunk has four columns or more
TAB_STOP = 4  # CommonMark 2.2
_MOST_NESTING = 100  # quotes and items in each other; bounds the time that a hostile line takes
_FENCE = re.compile(r"`{3,}+(?!.*`)|~{3,}+")  # 4.5; the info string of a backtick fence has no backtick
_ATX = re.compile(r"(#{1,6})(?: |$)")  # 4.2
_SETEXT = re.compile(r"(?:=+|-+) *$")  # 4.3
DIVIDER = "§"
"""Alone on its line it stands between two entries of Hermes' memory files, as a rule would (Hermes Agent 0.19)."""
_RULE = re.compile(r"(?:(?:\* *){3,}|(?:_ *){3,}|(?:- *){3,})$")  # 4.1
_MARKER = re.compile(r"([-+*])(?= |$)|(\d{1,9})([.)])(?= |$)")  # 5.2
_REFERENCE = re.compile(
    r" {0,3}\[(?:[^\[\]\\]|\\.)+\]:\s*(?:<[^<>]*>|[^\s<]\S*)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*$"
)  # 4.7
_DELIMITER_CELL = re.compile(r"\s*:?-+:?\s*$")  # GitHub Flavored Markdown 4.10
_FRONT_KEY = re.compile(r"[\w\"'-][^:]*:(?:\s|$)|#")

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div"
    "|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td"
    "|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?"
_HTML_STARTS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    # CommonMark 4.6, start conditions 1 to 7 with their ends; None ends at a blank line.
    (
        re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.IGNORECASE),
        re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_TAGS})(?:\s|/?>|$)", re.IGNORECASE), None),
    (re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$"), None),
)
_HTML_ANY_TAG = 6  # the seventh condition, which cannot interrupt a paragraph


def refined(blocks: Sequence[Block], lines: Sequence[str]) -> list[Block]:
    """Tell tables and link definitions, which CommonMark takes for paragraphs at first.

    Link definitions are known where each stands on one line of its own and nothing else
    stands in the paragraph; others stay paragraphs.

    Args:
        blocks: As the scanner found them.
        lines: All lines of the document.
    """
    found: list[Block] = []
    for block in blocks:
        own = lines[block.first_line - 1 : block.last_line]
        if block.kind is not BlockKind.PARAGRAPH:
            found.append(block)
        elif all(_REFERENCE.match(line) for line in own):
            found.append(Block(kind=BlockKind.LINKS, first_line=block.first_line, last_line=block.last_line))
        else:
            found.extend(_split_table(block, lines))
    return found


def _split_table(block: Block, lines: Sequence[str]) -> list[Block]:
    """Tell a GFM table from the paragraph that it is to CommonMark, and from text above it."""
    for head in range(block.first_line, block.last_line):
        if is_table_head(lines[head - 1], lines[head]):
            table = Block(kind=BlockKind.TABLE, first_line=head, last_line=block.last_line)
            if head == block.first_line:
                return [table]
            return [Block(kind=block.kind, first_line=block.first_line, last_line=head - 1), table]
    return [block]


def is_table_head(header: str, delimiter: str) -> bool:
    """Tell whether two lines begin a GFM table."""
    if "-" not in delimiter or "|" not in header + delimiter:
        return False
    cells = table_cells(delimiter)
    return all(_DELIMITER_CELL.match(cell) for cell in cells) and len(cells) == len(table_cells(header))


def table_cells(row: str) -> list[str]:
    """Split a table row at its unescaped pipes (GFM 4.10), outer pipes left off."""
    inner = row.strip().replace("\\|", "\0")
    inner = inner.removeprefix("|").removesuffix("|")
    return [cell.replace("\0", "\\|") for cell in inner.split("|")]


def scan_blocks(lines: Sequence[str]) -> tuple[Block, ...]:
    r"""Give the top-level blocks of a document; one pass, linear in its size.

    Args:
        lines: All lines, split on ``\n`` only, with or without their ends and without a BOM.
    """
    front = front_matter(lines)
    scanner = _Scanner()
    for number, line in enumerate(lines[front:], front + 1):
        scanner.feed(number, line.rstrip("\r\n").expandtabs(TAB_STOP))
    head = [Block(kind=BlockKind.FRONT_MATTER, first_line=1, last_line=front)] if front else []
    return (*head, *refined(scanner.blocks(), lines))


def front_matter(lines: Sequence[str]) -> int:
    """Count the lines of YAML front matter; 0 where the document has none."""
    if len(lines) < 2 or lines[0].rstrip() != "---":  # noqa: PLR2004 - an opening and a closing line
        return 0
    if not (_FRONT_KEY.match(lines[1]) or lines[1].rstrip() == "---"):
        return 0
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in {"---", "..."}:
            return number
        if is_blank(line):
            return 0
    return 0


class _Open(Struct):
    """A block under construction, with the first and last line of each of its items."""

    kind: BlockKind
    first: int
    last: int
    level: int = 0
    marker: str = ""
    items: list[list[int]] = field(default_factory=list)

    def close(self) -> Block:
        items = tuple((first, last) for first, last in self.items)
        return Block(self.kind, self.first, self.last, level=self.level, items=items, marker=self.marker)


class _Container(Struct):
    """An open block quote, or list item with the columns its content is indented by."""

    quote: bool
    indent: int = 0
    empty: bool = False


class _Leaf(Struct):
    """The open leaf of the innermost container."""

    kind: BlockKind
    end: re.Pattern[str] | None = None
    lines: list[str] = field(default_factory=list)


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
        if self._open_blocks():
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
            if indent >= _CODE_INDENT or not text.startswith(">"):
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
            if indent < _CODE_INDENT and leaf.end is not None and leaf.end.match(text):
                self._leaf = None
            return True
        if leaf.kind is BlockKind.HTML:
            if leaf.end is None and text == "":
                return False
            self._touch()
            if leaf.end is not None and leaf.end.search(text):
                self._leaf = None
            return True
        if leaf.kind is BlockKind.CODE and indent >= _CODE_INDENT and text:
            self._touch()
            return True
        return False

    # phase 2: which blocks does it open?

    def _open_blocks(self) -> bool:
        """Open what starts on this line; True when a leaf (or an empty item) took the rest."""
        while True:
            indent, text = self._indent(), self._text()
            if indent >= _CODE_INDENT:
                return self._start_code(text)
            if not text:
                return False
            if self._start_leaf(text):
                return True
            if len(self._stack) >= _MOST_NESTING or not self._open_container(indent, text):
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
        if first == "#" and (atx := _ATX.match(text)):
            return self._single(BlockKind.HEADING, level=len(atx[1]))
        if first in "`~" and (fence := _FENCE.match(text)):
            return self._multi(BlockKind.FENCE, re.compile(rf"{re.escape(fence[0])}{first}* *$"), fence[0])
        if first == "<" and self._start_html(text):
            return True
        if first in "=-" and self._in_paragraph() and _SETEXT.match(text) and self._end_setext(first):
            return True
        if text == DIVIDER or (first in "*-_" and _RULE.match(text)):
            return self._single(BlockKind.RULE)
        return False

    def _start_html(self, text: str) -> bool:
        for condition, (start, end) in enumerate(_HTML_STARTS):
            if start.match(text) and (condition < _HTML_ANY_TAG or not self._paragraph_is_open()):
                if end is not None and end.search(text):
                    return self._single(BlockKind.HTML)
                return self._multi(BlockKind.HTML, end)
        return False

    def _end_setext(self, first: str) -> bool:
        """Turn the open paragraph into a heading, unless it holds link definitions only."""
        leaf = self._leaf
        if leaf is None or all(_REFERENCE.match(line) for line in leaf.lines):
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
        marker = _MARKER.match(text)
        if marker is None:
            return False
        rest = text[marker.end() :]
        content = rest.lstrip(" ")
        if self._in_paragraph() and (not content or int(marker[2] or 1) != 1):
            return False  # CommonMark 5.2: only a filled item, numbered 1, interrupts a paragraph
        spaces = len(rest) - len(content)
        padding = marker.end() + (spaces if content and spaces <= _CODE_INDENT else 1)
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
            self._done.append(_Open(kind, self._number, self._number, level=level, marker=marker))

    def _place_item(self, marker: str) -> None:
        last = self._done[-1] if self._done else None
        if last is None or last.kind is not BlockKind.LIST or last.marker != marker:
            last = _Open(BlockKind.LIST, self._number, self._number, marker=marker)
            self._done.append(last)
        last.items.append([self._number, self._number])
        last.last = self._number

    def _touch(self) -> None:
        block = self._done[-1]
        block.last = self._number
        if block.items:
            block.items[-1][1] = self._number

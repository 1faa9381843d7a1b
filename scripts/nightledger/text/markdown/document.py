r"""Markdown documents as lines, blocks, sections and labels, without losing a byte.

A document is split on ``\n`` only and every line keeps its end, so that joining gives it
back exactly: CRLF, mixed ends, trailing space, a missing final newline, a BOM, and bytes
that are no UTF-8.

Memories are often ordered by lines that stand for a heading: ``Never:``, ``**Always**``, ``<h2>Never</h2>``, ``##Always``, and
list items above nested ones; what stands below one such label says something else below another. A plain sentence above a
list is not taken for one: dates and counts stand there, which change every day.

Invariant: ``dump_markdown(parse_markdown(decode(raw)))`` encodes to ``raw``.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from nightledger.text.markdown.blocks import Block, BlockKind, introduces, is_blank, last_filled, scan_blocks

BOM = "\ufeff"
Path = tuple[str, ...]
"""Heading texts from the outermost to a section's own; () is the top of the file."""


class Section(Struct, frozen=True, kw_only=True):
    """A heading and what stands under it; lines count from 1.

    Attributes:
        path: Heading texts from the outermost to its own.
        ordinal: 1 for the first section with this path, 2 for the next.
        level: 1 to 6; 0 for the top of the file, before any heading.
        heading: First and last line of the heading; (0, 0) for the top of the file.
        body: First and last line up to the next heading of any level; empty when last < first.
        last_line: Where the whole section ends, its sub-sections included.
    """

    path: Path
    ordinal: int
    level: int
    heading: tuple[int, int]
    body: tuple[int, int]
    last_line: int


class Document(Struct, frozen=True, kw_only=True):
    """A parsed document; ``lines[i]`` is line ``i + 1``.

    Attributes:
        bom: A byte order mark or nothing; it is in no line.
        lines: Every line with its end.
        blocks: Top-level blocks in order; lines outside them are blank.
        sections: The top of the file, then a section a heading, in order.
    """

    bom: str
    lines: tuple[str, ...]
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]

    def text(self, first_line: int, last_line: int) -> str:
        """Give the exact text of some lines, both ends included."""
        return "".join(self.lines[first_line - 1 : last_line])


def decode(raw: bytes) -> str:
    """Read a file's bytes as text; bytes that are no UTF-8 become lone surrogates (PEP 383)."""
    return raw.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Give the bytes that ``decode`` read."""
    return text.encode("utf-8", "surrogateescape")


def readable(text: str) -> str:
    r"""Give decoded text as a record or a view may hold it: bytes that are no UTF-8 stand in it as ``\\xe9``."""
    return text if is_utf8(text) else encode(text).decode("utf-8", "backslashreplace")


def is_utf8(text: str) -> bool:
    """Whether decoded text came from valid UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def split_lines(text: str) -> list[str]:
    r"""Split on ``\n`` only and keep the ends; no empty line follows a final newline."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def line_end(line: str) -> str:
    r"""Give the end of a line: ``\r\n``, ``\n`` or, for an unfinished last line, nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def usual_line_end(lines: Sequence[str]) -> str:
    r"""Give the end that most lines have; ``\n`` for a document without any, or at a tie."""
    windows = sum(line.endswith("\r\n") for line in lines)
    unix = sum(line.endswith("\n") for line in lines) - windows
    return "\r\n" if windows > unix else "\n"


@lru_cache(maxsize=8)  # each change of a proposal asks for the file, and for the file as others left it
def parse_markdown(text: str) -> Document:
    """Split a document into lines, blocks and sections; linear in its size.

    Never fails: any text is Markdown. The last few are remembered: twenty changes of one file
    parse it once.
    """
    bom = BOM if text.startswith(BOM) else ""
    lines = tuple(split_lines(text[len(bom) :]))
    blocks = scan_blocks(lines)
    return Document(bom=bom, lines=lines, blocks=blocks, sections=_sections(lines, blocks))


def dump_markdown(document: Document) -> str:
    """Give the text that ``parse_markdown`` read."""
    return document.bom + "".join(document.lines)


def heading_text(lines: Sequence[str]) -> str:
    """Give the text of a heading: markers and closing marks gone, trimmed, inline markup kept.

    Args:
        lines: The lines of an ATX heading (one) or a setext heading (two or more).
    """
    if len(lines) > 1:
        return " ".join(line.strip() for line in lines[:-1])
    text = lines[0].strip().lstrip("#").strip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare.endswith((" ", "\t")) or not bare else text


def section_at(document: Document, line: int) -> Section:
    """Give the innermost section that holds a line; a heading is in the section that it begins."""
    at = bisect_right(document.sections, line, key=lambda section: section.heading[0])
    return document.sections[max(at - 1, 0)]


def section_of(document: Document, first: int, last: int) -> Section:
    """Give the innermost section that holds the first line, of those from ``first`` to ``last``, that is filled.

    The blank lines above a heading belong to the section before; what goes together with them is named
    after the heading.
    """
    lines = range(max(first, 1), min(last, len(document.lines)) + 1)
    filled = (line for line in lines if document.lines[line - 1].strip())
    return section_at(document, next(filled, first))


def _sections(lines: Sequence[str], blocks: Sequence[Block]) -> tuple[Section, ...]:
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    starts = [block.first_line for block in headings] + [len(lines) + 1]
    top = Section(path=(), ordinal=1, level=0, heading=(0, 0), body=(1, starts[0] - 1), last_line=len(lines))
    found, seen, open_path = [top], Counter[Path](), list[tuple[int, str]]()
    ends = _section_ends(headings, len(lines))
    for block, following, end in zip(headings, starts[1:], ends, strict=True):
        while open_path and open_path[-1][0] >= block.level:
            open_path.pop()
        open_path.append((block.level, heading_text(lines[block.first_line - 1 : block.last_line])))
        path = tuple(text for _, text in open_path)
        seen[path] += 1
        found.append(
            Section(
                path=path,
                ordinal=seen[path],
                level=block.level,
                heading=(block.first_line, block.last_line),
                body=(block.last_line + 1, following - 1),
                last_line=end,
            )
        )
    return tuple(found)


def _section_ends(headings: Sequence[Block], last_line: int) -> list[int]:
    """Give for each heading the line before the next one of its level or above."""
    ends = [last_line] * len(headings)
    waiting: list[int] = []
    for index, block in enumerate(headings):
        while waiting and headings[waiting[-1]].level >= block.level:
            ends[waiting.pop()] = block.first_line - 1
        waiting.append(index)
    return ends


Labels = tuple[str, ...]
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"(?: {0,3}> ?)+")
_BOLD = re.compile(r"(\*{2,3}|_{2,3})(?=[^\s*_])(?:(?!\1).)+\1")
_TAGS = re.compile(r"<(h[1-6]|b|strong|summary)\b[^>]*>.*</\1\s*>", re.IGNORECASE)
_HASHES = re.compile(r"#{1,6}[ \t]*[^\W\d_]")
"""What reads as a heading and is none to CommonMark: glued, in a quotation, in an item, indented."""
_UNDERLINE = re.compile(r"=+|-+")
_UNSEEN = re.compile(r"<!--.*?-->|</?\w[^>]*>|\]\([^)]*\)")
_NO_CHARACTER = re.compile(r"&(?=#[0-9]{40})")
"""Python refuses to read a number of more than 4,300 digits."""
_EMPHASIS = "*_~`"
_ENDS = ".!?\u2026\u3002\"'\u2019\u201d\u00bb)]}%/"
"""How an item ends beside letters and digits that is no heading of the next."""
_TAB = 4
"""Columns of a tab stop (CommonMark 0.31, section 2.2)."""


def labels_of(document: Document) -> list[Labels]:
    """Give, for each line, the labels and the list items below which it stands, the outermost first.

    A label stands below none at its own indent. An item that reads as a label and holds no others is
    a label of the items after it. Marks of a quotation are looked through. A blank line has the labels above it, and no items.
    """
    lines = [unquoted(line) for line in document.lines]
    starts = {section.heading[0] - 1 for section in document.sections}
    filled = [n for n, line in enumerate(lines) if line.strip()]
    below = dict(pairwise(filled))
    found: list[Labels] = []
    above: list[tuple[int, str]] = []  # twice the column; one less for a label, which so holds its like
    for n, line in enumerate(lines):
        said = line.strip()
        if n in starts:
            above.clear()
        if not said or n in starts:
            found.append(tuple(text for at, text in above if at % 2))
            continue
        at = 2 * _indent(line)
        item, holds = _ITEM.match(line), n in below and 2 * _indent(lines[below[n]]) > at
        label = is_label(line[item.end() :].strip()) and not holds if item else is_label(said)
        while above and above[-1][0] >= at - label:
            above.pop()
        found.append(tuple(text for _, text in above))
        if item or label:
            above.append((at - label, said))
    return found


def unquoted(line: str) -> str:
    """Give a line without the marks of a quotation before it."""
    marks = _QUOTE.match(line)
    return line[marks.end() :] if marks else line


def is_label(line: str) -> bool:
    """Tell whether a line without blanks around it is read as a heading of what follows."""
    if introduces(line) or _HASHES.match(line):
        return True
    return _BOLD.fullmatch(line) is not None or _TAGS.fullmatch(line) is not None


def holds_label(text: str) -> bool:
    """Tell whether a line of some list items may be read as a heading of what follows them."""
    bare = map(_bare, text.splitlines())
    return any(_UNDERLINE.fullmatch(line) or is_label(line) or _is_open(line) for line in bare)


def unescaped(text: str) -> str:
    """Return a text with HTML's references as what they stand for; a number that no character has stays as it is."""
    from html import unescape

    return unescape(_NO_CHARACTER.sub("&amp;", text))


def _is_open(line: str) -> bool:
    """Tell whether a line, as it is shown, is emphasised whole or ends neither as a word nor as a sentence does."""
    seen = unescaped(_UNSEEN.sub("", line)).strip()
    end = seen.rstrip(f"{_EMPHASIS} ")[-1:]
    is_whole = seen[:1] == seen[-1:] != "" and seen[:1] in _EMPHASIS
    return line.startswith("<") or is_whole or not (end.isalnum() or end in _ENDS)


def _bare(line: str) -> str:
    """Return a line without marks of items and quotations before it and blanks around it."""
    while (marks := _ITEM.match(line) or _QUOTE.match(line)) is not None:
        line = line[marks.end() :]
    return line.strip()


def _indent(line: str) -> int:
    """Give the column at which a line begins, from 0."""
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blanks.expandtabs(_TAB))


__all__ = [
    "BOM", "Block", "BlockKind", "Document", "Path", "Section", "decode", "dump_markdown", "encode",
    "heading_text", "is_blank", "is_utf8", "last_filled", "line_end", "parse_markdown", "readable", "section_at",
    "split_lines", "usual_line_end",
]  # fmt: skip

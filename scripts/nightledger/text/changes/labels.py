"""Lines that stand for a heading: ``Never:``, ``**Always**``, ``<h2>Never</h2>``, ``##Always``, and the list items above nested ones.

Memories are often ordered by such lines instead of headings, and what stands below one says
something else below another. A plain sentence above a list is not taken for one: dates and counts
stand there, which change every day.

Invariant: linear in the text but for the depth of its lists, whatever stands in it.
"""

import re
from itertools import pairwise

from nightledger.text.markdown.document import Document

Labels = tuple[str, ...]
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"(?: {0,3}> ?)+")
_BOLD = re.compile(r"(\*{2,3}|_{2,3})(?=[^\s*_])(?:(?!\1).)+\1")
_TAGS = re.compile(r"<(h[1-6]|b|strong|summary)\b[^>]*>.*</\1\s*>", re.IGNORECASE)
_HASHES = re.compile(r"#{1,6}[ \t]*[^\W\d_]")
"""What reads as a heading and is none to CommonMark: glued, in a quotation, in an item, indented."""
_UNDERLINE = re.compile(r"=+|-+")
_UNSEEN = re.compile(r"<!--.*?-->|</?\w[^>]*>|\]\([^)]*\)")
_EMPHASIS = "*_~`"
_ENDS = ".!?\u2026\u3002\"'\u2019\u201d\u00bb)]}%/"
"""How an item ends beside letters and digits that is no heading of the next."""
_COLONS = (":", "\N{FULLWIDTH COLON}")
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
    if line.rstrip("*_ ").endswith(_COLONS) or _HASHES.match(line):
        return True
    return _BOLD.fullmatch(line) is not None or _TAGS.fullmatch(line) is not None


def holds_label(text: str) -> bool:
    """Tell whether a line of some list items may be read as a heading of what follows them."""
    bare = map(_bare, text.splitlines())
    return any(_UNDERLINE.fullmatch(line) or is_label(line) or _is_open(line) for line in bare)


def _is_open(line: str) -> bool:
    """Tell whether a line, as it is shown, is emphasised whole or ends neither as a word nor as a sentence does."""
    from html import unescape

    seen = unescape(_UNSEEN.sub("", line)).strip()
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

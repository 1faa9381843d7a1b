"""What a Markdown document is made of at its top level."""

from enum import StrEnum

from msgspec import Struct


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


class Block(Struct, frozen=True, kw_only=True):
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

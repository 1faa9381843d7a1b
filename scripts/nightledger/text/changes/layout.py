r"""Where an addition goes in a document, and the layout it takes on there.

Rules for sections: a path is matched by the exact, trimmed texts of its headings; of
several sections with one path the first is meant. While a hunk is being made, a path may
leave out outer headings where that names one section only; what is signed is the whole path.

Invariant: nothing here depends on anything but the document and the text to add.
"""

from nightledger.text.markdown.document import (
    Block,
    BlockKind,
    Document,
    Path,
    Section,
    heading_text,
    is_blank,
    is_utf8,
    line_end,
    readable,
    usual_line_end,
)
from nightledger.text.scanners.scan import mask_secrets

BY_HAND = "mend that line by hand first"
"""What a line with bytes that are not UTF-8 needs: no change can name it."""
_HEADING_CHARACTERS = 60
"""Of a heading that is named in a reason."""
_DEEPEST = 6  # Markdown has headings of six levels
_NOT_ENTRIES = {BlockKind.HTML, BlockKind.RULE, BlockKind.LINKS, BlockKind.FRONT_MATTER}


def why_not_below(path: Path) -> str:
    """Say why nothing can be put below a heading of a path that is not UTF-8: a change cannot name it."""
    heading = next(heading for heading in path if not is_utf8(heading))
    shown = mask_secrets(readable(heading))[:_HEADING_CHARACTERS]
    return f"it belongs below the heading '{shown}', which has bytes that are not UTF-8; {BY_HAND}"


def find_section(document: Document, path: Path) -> Section | None:
    """Give the first section with exactly this path, or None."""
    return next((section for section in document.sections if section.path == path), None)


def resolve_path(document: Document, path: Path) -> Path | None:
    """Give the whole path that a path names, of a section that exists or can be made.

    An exact path names itself. Else it names the one section of the least depth whose
    path ends in it. Else it names a new section under the one that its outer part names;
    a path of one heading then stands under the document's title (a first heading that is
    the only one of level 1), where there is one.

    Returns:
        The whole path; None where several sections of one depth fit, or where the outer
        part names no section.
    """
    if find_section(document, path) is not None:
        return path
    ends = {section.path for section in document.sections if section.path[-len(path) :] == path}
    if ends:
        least = min(map(len, ends))
        nearest = [found for found in ends if len(found) == least]
        return nearest[0] if len(nearest) == 1 else None
    if len(path) == 1:
        return (*_title(document), *path)
    outer = resolve_path(document, path[:-1])
    return (*outer, path[-1]) if outer is not None and find_section(document, outer) else None


def _title(document: Document) -> Path:
    headings = [block.level for block in document.blocks if block.kind is BlockKind.HEADING]
    return document.sections[1].path if headings[:1] == [1] and headings.count(1) == 1 else ()


def new_heading(document: Document, path: Path) -> str | None:
    """Give the heading line, without an end, that makes a section; None where there can be none."""
    outer = find_section(document, path[:-1])
    if outer is None or outer.level == _DEEPEST:
        return None
    level = outer.level + 1 if outer.level else _outermost_level(document)
    heading = f"{'#' * level} {path[-1]}"
    readable = bool(path[-1]) and "\n" not in heading and heading_text([heading]) == path[-1]
    return heading if readable else None


def _outermost_level(document: Document) -> int:
    # A "##" below an unrelated "#" would become its sub-section.
    return 1 if any(section.level == 1 for section in document.sections) else 2


def last_filled_line(document: Document, first: int, last: int) -> int:
    """Give the last line of a range that is not blank; ``first - 1`` where all are."""
    while last >= first and is_blank(document.lines[last - 1]):
        last -= 1
    return last


def insertion_line(document: Document, section: Section) -> int:
    """Give the line after which a section's own body grows; 0 is the top of the file.

    That is its last entry; a comment or rule at its end stays behind it, and a block that
    another tool marks as its own (``<!-- x:start -->`` to ``<!-- x:end -->``) is not entered.
    """
    blocks = blocks_between(document, *section.body)
    entries = [block for block in blocks if block.kind not in _NOT_ENTRIES]
    kept = entries or [block for block in blocks if block.kind is not BlockKind.RULE]
    if not kept:
        return section.heading[1]
    return _after_generated(document, blocks, kept[-1])


def _after_generated(document: Document, blocks: list[Block], last: Block) -> int:
    started = False
    for block in blocks:
        if block.kind is not BlockKind.HTML:
            continue
        word = _last_word(document.text(block.first_line, block.last_line))
        if word in {"start", "begin"} and block.first_line <= last.first_line:
            started = True
        if word == "end":
            if started and block.first_line >= last.first_line:
                return block.last_line
            started = False
    return last.last_line


def _last_word(comment: str) -> str:
    """Give the last word of an HTML comment, lower case; other HTML has none."""
    text = comment.strip()
    if not (text.startswith("<!--") and text.endswith("-->")):
        return ""
    words = "".join(c if c.isalnum() else " " for c in text[4:-3].rstrip()[-8:].lower()).split()
    return words[-1] if words else ""


def blocks_between(document: Document, first: int, last: int) -> list[Block]:
    """Give the blocks that lie wholly within a range of lines."""
    return [block for block in document.blocks if first <= block.first_line and block.last_line <= last]


def block_at(document: Document, line: int) -> Block | None:
    """Give the block that holds a line; None for a blank line and beyond the ends."""
    return next((block for block in document.blocks if block.first_line <= line <= block.last_line), None)


def block_starts(document: Document) -> frozenset[int]:
    """Give the lines where a top-level block or list item begins."""
    items = (item[0] for block in document.blocks for item in block.items)
    return frozenset(items).union(block.first_line for block in document.blocks)


def end_near(document: Document, line: int) -> str:
    """Give the line end in use at a line, else the document's usual one."""
    near = line_end(document.lines[line - 1]) if 0 < line <= len(document.lines) else ""
    return near or usual_line_end(document.lines)

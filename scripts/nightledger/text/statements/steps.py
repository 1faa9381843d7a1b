"""Steps that somebody wrote down: a numbered list or a fence under one heading, as it stands, to be quoted.

Invariant: what comes back are whole lines of the text; none of them is pasted, generated, or a tool's words.
"""

import hashlib
from datetime import date

from msgspec import Struct

from nightledger.domain.proposal import Origin
from nightledger.text.markdown.document import (
    Block,
    BlockKind,
    Document,
    heading_text,
    is_utf8,
    parse_markdown,
    section_at,
)
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.sentences import sentences_of

MAX_CHARACTERS = 8_000
"""Of steps: the specification advises under 5,000 tokens for a whole skill (agentskills.io/specification)."""
_NUMBERED = (".", ")")


class Steps(Struct, frozen=True, kw_only=True):
    r"""Steps as they stand in a file.

    Attributes:
        lines: First and last line, counted from 1.
        sha256: Hex SHA-256 of those lines' bytes, joined by ``\\n``.
        text: The lines, with ``\\n`` line ends.
        sentence: The first sentence of the paragraph above them, else the heading; empty where there is neither.
    """

    lines: tuple[int, int]
    sha256: str
    text: str
    sentence: str


def find_steps(path: str, text: str, cited: tuple[int, int]) -> Steps | None:
    """Return the steps at or below some lines, with paragraphs alone between, and the paragraph right above them.

    Args:
        path: Where the text stands.
        text: Of a daily log or of memory, decoded.
        cited: First and last line that an outcome names, counted from 1.
    """
    document = parse_markdown(text)
    found = _find(document, cited)
    if found is None:
        return None
    lead, first, last = found
    start = lead.first_line if lead else first.first_line
    said = read_daylog(path, text, date.min).lines[start - 1 : last.last_line]
    quoted = "\n".join(line.text for line in said)
    own = all(line.origin is Origin.AGENT for line in said)
    if not own or not is_utf8(quoted) or len(quoted) > MAX_CHARACTERS:
        return None
    raw = "".join(document.lines[start - 1 : last.last_line]).removesuffix("\n")
    return Steps(
        lines=(start, last.last_line),
        sha256=hashlib.sha256(raw.encode()).hexdigest(),
        text=quoted,
        sentence=_sentence(document, lead, first),
    )


def _find(document: Document, cited: tuple[int, int]) -> tuple[Block | None, Block, Block] | None:
    """Return the paragraph above some steps where there is one, and their first and last block."""
    section = section_at(document, cited[0])
    if section_at(document, cited[1]) != section:
        return None
    inside = [b for b in document.blocks if section.body[0] <= b.first_line <= section.body[1]]
    near = (
        at for at, b in enumerate(inside) if b.last_line >= cited[0] and b.kind is not BlockKind.PARAGRAPH
    )
    below = next(near, None)
    if below is None or not _is_step(document, inside[below]):
        return None
    last = below
    while last + 1 < len(inside) and _is_step(document, inside[last + 1]):
        last += 1
    above = inside[below - 1] if below else None
    lead = above if above and above.kind is BlockKind.PARAGRAPH else None
    return lead, inside[below], inside[last]


def _is_step(document: Document, block: Block) -> bool:
    """Return whether a block is a numbered list of two items or more, or a fence that is closed."""
    if block.kind is BlockKind.LIST:
        return block.marker in _NUMBERED and len(block.items) > 1
    closing = document.lines[block.last_line - 1].strip()
    closed = block.last_line > block.first_line + 1 and closing.startswith(block.marker)
    return block.kind is BlockKind.FENCE and closed


def _sentence(document: Document, lead: Block | None, first: Block) -> str:
    if lead:
        text = document.text(lead.first_line, lead.last_line)
        return sentences_of(" ".join(text.split()))[0]
    line, last = section_at(document, first.first_line).heading
    return heading_text(document.lines[line - 1 : last]) if line else ""

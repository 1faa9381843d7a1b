"""Tables and link definitions: blocks that CommonMark alone reads as paragraphs."""

from collections.abc import Sequence

from nightledger.text.markdown import grammar
from nightledger.text.markdown.block import Block, BlockKind


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
        elif all(grammar.REFERENCE.match(line) for line in own):
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
    return all(grammar.DELIMITER_CELL.match(cell) for cell in cells) and len(cells) == len(
        table_cells(header)
    )


def table_cells(row: str) -> list[str]:
    """Split a table row at its unescaped pipes (GFM 4.10), outer pipes left off."""
    inner = row.strip().replace("\\|", "\0")
    inner = inner.removeprefix("|").removesuffix("|")
    return [cell.replace("\0", "\\|") for cell in inner.split("|")]

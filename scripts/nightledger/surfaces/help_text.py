"""The help of a verb is the docstring of its module, which is as wide as code is: here it is made to fit.

Invariant: a block whose rows fit stays as it was written, and so does a command on a row of its own.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence

_LABEL = re.compile(r" {0,3}\S+(?: \S+)*? {2,}(?=\S)")
"""What stands before the gap of a row such as ``Reads   memory/daily/``."""
_EXAMPLE = "    "


def refold(text: str, width: int) -> str:
    """Break the wide rows of a docstring anew.

    Args:
        text: Blocks with a blank line between them: prose, rows with a label, or indented commands.
        width: Columns that a row may have; a word that has more stands alone.
    """
    blocks = (block.split("\n") for block in text.strip("\n").split("\n\n"))
    return "\n\n".join("\n".join(_folded(block, width)) for block in blocks) + "\n"


def _folded(rows: Sequence[str], width: int) -> Iterator[str]:
    if all(len(row) <= width for row in rows):
        yield from rows
        return
    for item in _items(rows):
        label = _LABEL.match(item)
        indent = " " * len(label[0]) if label else ""
        if item.startswith(_EXAMPLE):
            yield item
        else:
            yield from textwrap.wrap(
                item, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )


def _items(rows: Sequence[str]) -> list[str]:
    """Join the rows that go on: all of a block of prose, the indented ones below a label.

    A row that has a label of its own, further left than the text that it stands below, begins anew.
    """
    labelled = any(map(_LABEL.match, rows))
    items: list[str] = []
    for row in rows:
        goes_on = _indented(row, items[-1:]) if labelled else not row.startswith(_EXAMPLE)
        if items and goes_on and not items[-1].startswith(_EXAMPLE):
            items[-1] += f" {row.strip()}"
        else:
            items.append(row)
    return items


def _indented(row: str, above: Sequence[str]) -> bool:
    label = _LABEL.match(above[0]) if above else None
    indent = len(row) - len(row.lstrip())
    own = _LABEL.match(row) and (label is None or indent < len(label[0]))
    return indent > 0 and not own

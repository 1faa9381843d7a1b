"""Rows in columns, with colour where it is wanted, for a person at a terminal; only there rich is imported.

Invariant: what a cell says is text, never markup; only the last column, right of words of ours, has text of others.
"""

import io
from collections.abc import Iterable, Sequence
from typing import Literal

from nightledger.surfaces import screen

GAP = 2
"""Columns between two of a table."""
STATES = {
    "pending": "yellow",
    "stale": "yellow",
    "applied": "green",
    "rejected": "dim",
    "altered": "bold red",
}


def table(rows: Iterable[Sequence[str]], *styles: str, heads: Sequence[str] = ()) -> list[str]:
    """Return the lines of a table as wide as the terminal.

    Args:
        rows: Cells as text; one may have several lines.
        styles: How each column looks, in the words of rich; a cell that names a state looks like that.
        heads: What each column is called.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(
        box=None, show_header=bool(heads), padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold"
    )
    for n, style in enumerate(styles):
        grid.add_column(heads[n] if heads else "", style=style, no_wrap=n + 1 < len(styles), overflow="fold")
    for row in rows:
        grid.add_row(*(Text(cell, style=STATES.get(cell, "")) for cell in row))
    shown = io.StringIO()
    system: Literal["standard"] | None = "standard" if screen.colour() else None
    Console(file=shown, width=screen.width(), color_system=system, force_terminal=True).print(grid)
    return [line.rstrip() for line in shown.getvalue().rstrip("\n").split("\n")]

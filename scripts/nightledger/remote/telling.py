"""What the commands of this room print: one record, lines for people, and what stands beside the results."""

from collections.abc import Iterable
from typing import Any

from nightledger.surfaces import screen
from nightledger.surfaces.context import Context


def tell(context: Context, record: Any, lines: Iterable[str] = (), notes: Iterable[str] = ()) -> None:
    """Print a command's record with ``--json``, else its lines; notes go to standard error.

    What other machines wrote is made visible; each line is broken to the width, and goes on further in than it begins.
    """
    context.emit(record)
    for line in lines:
        context.print_lines(_rows(line))
    for line in notes:
        for row in _rows(line):
            context.note(row)


def _rows(line: str) -> list[str]:
    text = line.lstrip(" ")
    first = line[: len(line) - len(text)]
    return screen.wrap(screen.shown(text), indent=f"{first}  ", first=first)

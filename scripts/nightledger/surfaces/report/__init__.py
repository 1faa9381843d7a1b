"""What ``report`` counts, one module a matter; every text in it is shown as data, secrets masked; nothing is written."""

from collections.abc import Sequence

from nightledger.surfaces import screen

MOST_ROWS = 40
"""Of one table; it says how many it leaves out."""
LONGEST = 160
"""Characters of a cell: whoever wants all of a text reads it where it stands."""
DAY = "%Y-%m-%d"


def cell(text: str, told: frozenset[str] = frozenset()) -> str:
    """Return a text of others as a cell says it: one line, secrets masked, hidden characters visible, cut.

    Args:
        text: Of a file or record.
        told: Values that the home's memory tells as secrets.
    """
    line = screen.shown(
        " ".join(text.split()), told=told
    )  # masked whole: what is cut first hides a secret's end
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def more(rows: Sequence[object], most: int = MOST_ROWS) -> str:
    """Return how many rows a table leaves out, as a sentence; empty for none."""
    return f" {len(rows) - most} more are not listed." if len(rows) > most else ""

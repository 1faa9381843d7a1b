"""What staging asks of search: the door through which every line of a file comes.

Invariant: only what an agent may see comes through (``recall/withheld.py``); staging itself opens
no file whose lines it shows.
"""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from nightledger.domain.search.values import Hit


class Library(Protocol):
    """Search, as far as staging needs it; tests have one of their own."""

    def find(self, query: str, limit: int, until: date | None = None) -> Sequence[Hit]:
        """Give what may be shown to an agent for a query, the best first.

        Args:
            query: Anybody's words; nothing in them is an operator.
            limit: Hits at most.
            until: The last day looked at; None for all.
        """
        ...

    def may_show(self, path: str, lines: tuple[int, int]) -> bool:
        """Tell whether an agent may see these lines of a file as it is now."""
        ...

    def lines_of(self, path: str, lines: tuple[int, int]) -> str | None:
        """Give these lines of a file where an agent may see them all; None where not, or where there are none."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What the operator should know of the search: its index was made anew, a file cannot be read."""
        ...

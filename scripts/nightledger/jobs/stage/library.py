"""What staging asks of search: the door through which every line of a file comes.

Invariant: only what an agent may see comes through (``recall/withheld.py``).
"""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from nightledger.domain.search.values import Chunk, Hit


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

    def may_show(self, chunk: Chunk) -> bool:
        """Tell whether an agent may see all lines of a chunk."""
        ...

    def may_say(self, text: str) -> bool:
        """Tell whether an agent may be told some words, wherever they come from."""
        ...

    def shown_lines(self, path: str) -> frozenset[int]:
        """Give the numbers of the lines of a searched log or archive that an agent may see; none for any other file."""
        ...

    def lines_of(self, path: str, lines: tuple[int, int]) -> Chunk | None:
        """Give lines of a searched file, the entry of a gated one aside; None where there are none such, or an agent may not see them."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What the operator should know of the search: its index was made anew, a file cannot be read."""
        ...

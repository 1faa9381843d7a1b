"""Which statements of a file say what a later one says, found without comparing all pairs.

Invariant: up to `COMPARED` candidates it is the answer of comparing all; beyond that, as in a
file of thousands of lines that share their rarest letters, the others are taken for different.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from math import ceil

from nightledger.text.similar import numbers, shingles

RESTATED = 0.75
"""Share of a statement's letters from which one that holds them, and all its numbers, says it again."""
COMPARED = 200
"""Statements that one is compared with. A day's log has some dozens; 11,000 alike ones took minutes. Our choice."""
_OVERTURNED = 0.5
_LONGER = 4
"""So many times longer than a diagnosis a correction of it may be: a page shares half of the letters of any sentence."""


class Kept:
    """Statements that stand, each with its fingerprint and numbers."""

    def __init__(self) -> None:
        self._said: list[tuple[frozenset[int], frozenset[str]]] = []
        self._places: defaultdict[int, list[int]] = defaultdict(list)

    def takes(self, text: str) -> bool:
        """Put a statement in, unless one that is in says it again; tell whether it was put in."""
        pieces, said = shingles(text), numbers(text)
        if any(self._is_within(pieces, said, place) for place in self._candidates(pieces)):
            return False
        for piece in pieces:
            self._places[piece].append(len(self._said))
        self._said.append((pieces, said))
        return True

    def _is_within(self, pieces: frozenset[int], said: frozenset[str], place: int) -> bool:
        others, other_numbers = self._said[place]
        return said <= other_numbers and len(pieces & others) >= RESTATED * len(pieces)

    def _candidates(self, pieces: frozenset[int]) -> set[int]:
        """Give those that hold one of the rarest pieces: what holds enough of all does (see `NearIndex`)."""
        if not pieces:
            return set(range(len(self._said)))
        rarest = sorted(pieces, key=lambda piece: (len(self._places.get(piece, ())), piece))
        found: set[int] = set()
        for piece in rarest[: len(rarest) - ceil(RESTATED * len(rarest)) + 1]:
            if len(found) < COMPARED:
                found.update(self._places.get(piece, [])[:COMPARED])
        return found


class Corrections:
    """Lines of a file that correct a cause, by their numbers.

    Args:
        lines: Each line's number and text, in order.
    """

    def __init__(self, lines: Sequence[tuple[int, str]]) -> None:
        self._numbers = [number for number, _ in lines]
        self._pieces = [shingles(text) for _, text in lines]

    def overturn(self, text: str, last: int) -> bool:
        """Tell whether one of the next `COMPARED` corrections behind line ``last`` is about what a text says."""
        first = bisect_right(self._numbers, last)
        pieces = shingles(text)
        return any(
            len(other) <= _LONGER * len(pieces)
            and len(pieces & other) >= _OVERTURNED * min(len(pieces), len(other))
            for other in self._pieces[first : first + COMPARED]
        )

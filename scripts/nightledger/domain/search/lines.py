"""Which lines of a chunk answer a query best.

Invariant: of equals the first; the answer lies within the chunk.
"""

import re
from collections.abc import Callable, Collection, Sequence

BELOW = 3
"""Lines looked at below one that only introduces them: an empty one, and what follows."""
_SILENT = re.compile("\\s*(?:$|#|[|:\\-=_*~\\s]+$|.*[:\uff1a][*_\\s]*$)")
"""An empty line, a heading, a rule, and what ends in a colon: it introduces what follows."""


def says(line: str) -> bool:
    """Tell whether a line says anything by itself: it is neither empty, a heading or a rule, nor does it only introduce others."""
    return not _SILENT.match(line)


def with_what_follows(text: str, first_line: int, lines: tuple[int, int]) -> tuple[int, int]:
    """Give some lines of a text; where they only introduce what follows, as a heading does, with that.

    Args:
        text: The chunk's lines.
        first_line: The number of the first.
        lines: First and last of some of them.
    """
    told = text.split("\n")
    first, last = (number - first_line for number in lines)
    if any(map(says, told[first : last + 1])):
        return lines
    below = range(last + 1, min(len(told), last + 1 + BELOW))
    return lines[0], first_line + next((at for at in below if says(told[at])), last)


def best_lines(
    text: str, first_line: int, worth: Callable[[str], Collection[str]], weights: "dict[str, float]"
) -> tuple[int, int]:
    """Give the first and last of the lines that hold most of what was asked for.

    Args:
        text: The chunk's lines.
        first_line: The number of the first.
        worth: Gives the words of the query that a line holds.
        weights: What each word is worth; a word without a weight is worth nothing.
    """
    held = [frozenset(worth(line)) for line in text.split("\n")]
    scores = [sum(weights.get(word, 0.0) for word in words) for words in held]
    best = max(scores)
    if best <= 0:
        return _filled(text.split("\n"), first_line)
    at = scores.index(best)
    missing = frozenset(weights).difference(held[at])
    last = at
    # a neighbour that adds a word belongs to the answer
    if at + 1 < len(held) and held[at + 1] & missing:
        last = at + 1
    return first_line + at, first_line + last


def _filled(lines: Sequence[str], first_line: int) -> tuple[int, int]:
    """Give the first line that is neither blank nor a heading, where no line says more than another."""
    filled = [n for n, line in enumerate(lines) if line.strip()]
    at = next((n for n in filled if not lines[n].startswith("#")), filled[0] if filled else 0)
    return first_line + at, first_line + at

"""Which lines of a chunk answer a query best.

Invariant: of equals the first; the answer lies within the chunk.
"""

from collections.abc import Callable, Collection, Sequence


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

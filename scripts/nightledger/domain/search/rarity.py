"""Which words of a query are worth the walk through their lists.

A word that stands in every third chunk costs a long list and tells little. In a small home all words
are looked for; in a large one the rarest, and the others count only where one of these stands, too.

Invariant: a query that has words keeps two of them at least, however common they are.
"""

from collections.abc import Mapping, Sequence

MOST_WALKED = 10_000
"""Chunks in the lists of one query's words, together. A home of fewer chunks than a list may have is searched
for every word; at 100,000 chunks half a query's time is saved (docs/decisions/0021-index.md)."""
LEAST_WORDS = 2


def telling_words(
    words: Sequence[str], frequencies: Mapping[str, int], *, most: int = MOST_WALKED
) -> tuple[str, ...]:
    """Give the words to look for, in their order.

    Args:
        words: All of them, each once.
        frequencies: In how many chunks each stands; 0 is unknown, and looked for.
        most: Chunks in all their lists.
    """
    kept: set[str] = set()
    walked = found = 0
    for word in sorted(words, key=lambda word: (frequencies.get(word, 0), word)):
        count = frequencies.get(word, 0)
        if found >= LEAST_WORDS and walked + count > most:
            break
        kept.add(word)
        walked += count
        found += count > 0
    return tuple(word for word in words if word in kept)

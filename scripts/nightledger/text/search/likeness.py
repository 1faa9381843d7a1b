"""How alike a question and a text are, 0..1, by the words that search goes by; no index is asked.

Of each word of the question counts the best word that stands for it: itself, a form of it, a longer
word that it begins, with what it tells: a word that few of the
texts hold tells more. The sum is shared out over what the whole question tells, so what no text holds
lowers the likeness of all; or over what the whole text tells, where that is less.

Invariant: pure; the same texts in another order give the same likeness.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from nightledger.domain.search import rarity
from nightledger.text.search.tokens import plain, query_terms, stop_words, words_in

MOST_WORDS = 256
"""Words of a question that are read: two pages' worth of different ones. Our choice."""

BEGINNING_WEIGHT = 0.5
"""Of a word that begins as the other does: ``exporter`` for ``export``, ``Rechnungen`` for ``Rechnung``. SQLite's
stemmer is not at hand here, and it knows English only. Our choice."""
LEAST_BEGINNING = 6
"""Letters that count as a beginning, so that ``rest`` is no part of ``restart``. Our choice."""


class Likeness:
    """A question, to be compared with texts."""

    def __init__(self, question: str, texts: Sequence[str]) -> None:
        """Read a question, and what each of its words tells among some texts.

        Args:
            question: In plain words; empty is like nothing.
            texts: All that it will be compared with.
        """
        asked = query_terms(question)[:MOST_WORDS]
        self._weights: dict[str, dict[int, float]] = {}
        for at, word in enumerate(asked):
            for base, share in _spellings(plain(word)).items():
                self._weights.setdefault(base, {})[at] = share
        self._meant = cache(self._look_up)
        spoken = [set(words_in(text)) for text in texts] if asked else []
        held = Counter(at for words in spoken for at in self._shared(words))
        holding = Counter(word for words in spoken for word in words - stop_words())
        self._rarity = {word: rarity(count, len(texts)) for word, count in holding.items()}
        self._tells = [rarity(held.get(at, 0), len(texts)) for at in range(len(asked))]
        self._total = math.fsum(self._tells)

    def of(self, text: str) -> float:
        """Give how much of the question a text answers to, 0..1.

        Args:
            text: One of those that were named.
        """
        if not self._tells:
            return 0.0
        words = set(words_in(text))
        told = math.fsum(weight * self._tells[at] for at, weight in self._shared(words).items())
        own = math.fsum(self._rarity[word] for word in words - stop_words()) or self._total
        return min(1.0, told / min(self._total, own)) if told else 0.0

    def _shared(self, words: Iterable[str]) -> dict[int, float]:
        """Give which words of the question are meant by some words, each with the weight of the best."""
        best: dict[int, float] = {}
        for word in words:
            for at, weight in self._meant(word).items():
                best[at] = max(weight, best.get(at, 0.0))
        return best

    def _look_up(self, word: str) -> dict[int, float]:
        best: dict[int, float] = {}
        for base, share in _spellings(plain(word)).items():
            for at, weight in self._weights.get(base, {}).items():
                best[at] = max(weight * share, best.get(at, 0.0))
        return best


def _spellings(word: str) -> dict[str, float]:
    """Give what a word may be a form of, and what it begins with, each with what it counts."""
    longest = {word[:size]: BEGINNING_WEIGHT for size in range(LEAST_BEGINNING, len(word))}
    return {**longest, **dict.fromkeys(bases(word), 1.0)}


def bases(word: str) -> tuple[str, ...]:
    """Give what an English word may be a regular form of, itself first.

    ``cities`` may come from ``city``, ``planned`` from ``plan``; what is no word is in no text.
    """
    found = [word]
    for ending, instead in (
        ("ies", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ing", ("", "e")),
        ("ed", ("", "e")),
    ):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            found += [stem + end for end in instead]
            if ending in ("ing", "ed") and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return tuple(dict.fromkeys(found))

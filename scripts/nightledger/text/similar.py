"""How alike two pieces of prose are, in any script.

Invariant: the same texts give the same answer on every machine.
"""

import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from nightledger.text.patterns import pattern

NEAR = 0.8
"""Dice coefficient from which two sentences are taken for one: on invented pairs, a changed
word in a sentence of ten stays above it and a changed subject falls below it."""

_LINK = re.compile(r"!?\[([^\]\n]*+)(?:\]\([^)\n]*+(\)?))?")
"""A link; or what begins one and has no end on its line, so that no end is looked for again inside it."""
APOSTROPHE = re.compile("['\u2019\u02bc`]")
_ASCII_GAP = re.compile(r"[^0-9a-z]+")
_NUMBER = re.compile(r"\d+")
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")
"""A letter of a script that sets no spaces between words, or few."""
CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Chinese, Japanese and Korean, as ranges of a class."""
CJK_LETTER = re.compile(f"[{CJK}]")


def fold(text: str) -> str:
    """Give the wording alone: no markup, case, punctuation, accents of width or extra space.

    NFKC and case folding make spellings of one word equal; combining marks that carry
    vowels stay. A link keeps its text. "Don't" becomes ``dont``; digits stay.

    Returns:
        Words joined by one space; empty where the text has no letter or digit.
    """
    plain = APOSTROPHE.sub("", _LINK.sub(_linked, text))
    if plain.isascii():
        return _ASCII_GAP.sub(" ", plain.lower()).strip()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    gaps = {ord(letter): " " for letter in set(folded) if not _is_word(letter)}
    return " ".join(folded.translate(gaps).split())


def _linked(match: re.Match[str]) -> str:
    return match[1] if match[2] else match[0]


def shingles(text: str) -> frozenset[int]:
    """Give the text's fingerprint: hashed pieces of its folded words.

    A word of a script with spaces gives its padded letter trigrams, one of a script
    without (Chinese, Japanese, Korean, Thai, ...) its letter pairs, so both kinds of
    text can be compared, alone and mixed. Hashes are CRC-32: stable between runs.
    """
    pieces: set[str] = set()
    for word in fold(text).split():
        pieces.update(_pieces(word))
    return frozenset(zlib.crc32(piece.encode()) for piece in pieces)


def dice(first: frozenset[int], second: frozenset[int]) -> float:
    """Return how alike two fingerprints are: ``2 |A & B| / (|A| + |B|)`` (L. R. Dice 1945), 0..1; 0 of two empty ones.

    It says nothing about meaning: see `same_claim` before treating two texts as one.
    """
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 0.0


def same_claim(first: str, second: str, *, near: float = NEAR) -> bool:
    """Say whether two sentences are near-duplicates that may be folded into one.

    Close wording is not enough: "retry 3 times" and "retry 5 times", "push" and "never
    push" are near and contradict each other. So the numbers must be the same, and both
    or neither must hold a negation.
    """
    return (
        numbers(first) == numbers(second)
        and is_negated(first) == is_negated(second)
        and dice(shingles(first), shingles(second)) >= near
    )


def numbers(text: str) -> frozenset[str]:
    """Give the runs of digits of the text, without leading zeros."""
    return frozenset(run.lstrip("0") or "0" for run in _NUMBER.findall(text))


def is_negated(text: str) -> bool:
    """Say whether the text holds a word of negation, in one of a dozen languages."""
    return pattern("change-patterns", "negated").search(text) is not None


def is_urged(text: str) -> bool:
    """Say whether the text urges by words of negation: "never forget to"."""
    return pattern("change-patterns", "urged").search(text) is not None


def is_denied(text: str) -> bool:
    """Say whether the text holds a word of negation that does not urge."""
    return is_negated(pattern("change-patterns", "urged").sub(" ", text))


class Overlaps:
    """Sets in the order in which they came, and how many members each shares with another one.

    Attributes:
        sets: All of them.
    """

    def __init__(self) -> None:
        self.sets: list[frozenset[Any]] = []
        self._places: defaultdict[Any, list[int]] = defaultdict(list)

    def add(self, members: frozenset[Any]) -> None:
        """Put a set in."""
        for member in members:
            self._places[member].append(len(self.sets))
        self.sets.append(members)

    def shared(self, members: Iterable[Any]) -> Counter[int]:
        """Return the places of the sets that share any of some members, each with how many it does."""
        return Counter(place for member in members for place in self._places.get(member, ()))

    def near(self, members: frozenset[Any], least: float) -> list[int]:
        """Return the places of the sets whose Dice coefficient with another one is so high or higher."""
        return [place for place in self.shared(members) if dice(members, self.sets[place]) >= least]

    def having(self, member: object) -> int:
        """Return how many sets have a member."""
        return len(self._places.get(member, ()))


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _pieces(word: str) -> list[str]:
    if UNSPACED.search(word):
        return [word[i : i + 2] for i in range(len(word) - 1)] or [word]
    padded = f" {word} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]

"""How alike two pieces of prose are, in any script; near-duplicates found without comparing all pairs.

Invariant: the same texts give the same answer on every machine, and `NearIndex` finds
exactly the pairs that comparing every pair would find.
"""

import re
import unicodedata
import zlib
from collections import defaultdict
from math import ceil

NEAR = 0.8
"""Dice coefficient from which two sentences are taken for one: on invented pairs, a changed
word in a sentence of ten stays above it and a changed subject falls below it."""

_LINK = re.compile(r"!?\[([^\]\n]*+)(?:\]\([^)\n]*+(\)?))?")
"""A link; or what begins one and has no end on its line, so that no end is looked for again inside it."""
_APOSTROPHE = re.compile("['\u2019\u02bc`]")
_ASCII_GAP = re.compile(r"[^0-9a-z]+")
_NUMBER = re.compile(r"\d+")
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")
"""A letter of a script that sets no spaces between words, or few."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|cannot|\w+n['\u2019]t|nicht|kein\w*|nie(?:mals)?|ohne|ne|pas|jamais|aucune?|sans"
    r"|nunca|jamás|sin|não|nunca|sem|jamais|не|нет|никогда|без|non|mai|niet|geen|nooit|không|chưa)\b"
    r"|[不没沒无無非未勿禁]|ない|なく|ません|禁止|않|없|못|금지|말\s*것",
    re.IGNORECASE,
)
_URGED = re.compile(
    r"\b(?:do not|don['\u2019]t|never) (?:(?:forget|hesitate|neglect|fail) to|skip (?:this|it)|(?:start|begin) without)\b",
    re.IGNORECASE,
)
"""Words of negation that deny nothing."""


def fold(text: str) -> str:
    """Give the wording alone: no markup, case, punctuation, accents of width or extra space.

    NFKC and case folding make spellings of one word equal; combining marks that carry
    vowels stay. A link keeps its text. "Don't" becomes ``dont``; digits stay.

    Returns:
        Words joined by one space; empty where the text has no letter or digit.
    """
    plain = _APOSTROPHE.sub("", _LINK.sub(_linked, text))
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
    text can be compared, alone and mixed. Hashes are CRC-32: stable between runs, and
    their order serves `NearIndex` as one that is unrelated to the alphabet.
    """
    pieces: set[str] = set()
    for word in fold(text).split():
        pieces.update(_pieces(word))
    return frozenset(zlib.crc32(piece.encode()) for piece in pieces)


def similarity(first: str, second: str) -> float:
    """Give 1.0 for the same wording and 0.0 for nothing in common.

    The Dice coefficient ``2 |A & B| / (|A| + |B|)`` of the fingerprints (L. R. Dice 1945).
    It says nothing about meaning: see `same_claim` before treating two as one.
    """
    return dice(shingles(first), shingles(second))


def dice(first: frozenset[int], second: frozenset[int]) -> float:
    """Give the Dice coefficient of two fingerprints, 0..1; two empty ones have nothing in common."""
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 0.0


def containment(first: str, second: str) -> float:
    """Give how much of the shorter text's fingerprint the longer one holds, 0..1.

    High where one is a shortened form of the other, however long the other is.
    """
    return contained(shingles(first), shingles(second))


def contained(first: frozenset[int], second: frozenset[int]) -> float:
    """Give the `containment` of two texts by their fingerprints, 0..1."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def same_claim(first: str, second: str, *, near: float = NEAR) -> bool:
    """Say whether two sentences are near-duplicates that may be folded into one.

    Close wording is not enough: "retry 3 times" and "retry 5 times", "push" and "never
    push" are near and contradict each other. So the numbers must be the same, and both
    or neither must hold a negation.
    """
    return (
        numbers(first) == numbers(second)
        and is_negated(first) == is_negated(second)
        and similarity(first, second) >= near
    )


def numbers(text: str) -> frozenset[str]:
    """Give the runs of digits of the text, without leading zeros."""
    return frozenset(run.lstrip("0") or "0" for run in _NUMBER.findall(text))


def is_negated(text: str) -> bool:
    """Say whether the text holds a word of negation, in one of a dozen languages."""
    return _NEGATION.search(text) is not None


def is_urged(text: str) -> bool:
    """Say whether the text urges by words of negation: "never forget to"."""
    return _URGED.search(text) is not None


def is_denied(text: str) -> bool:
    """Say whether the text holds a word of negation that does not urge."""
    return is_negated(_URGED.sub(" ", text))


class NearIndex:
    """Texts by key, with the near-duplicates of any text found without comparing all pairs.

    Prefix filter (Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma, Srikant 2007): two sets
    whose Jaccard coefficient reaches ``t`` share one of the first
    ``|A| - ceil(t |A|) + 1`` members under any common order. Dice ``d`` is Jaccard
    ``d / (2 - d)``. The answer is exact, only the search is shortened.

    Args:
        near: Dice coefficient from which texts count as near, above 0 and up to 1.
    """

    def __init__(self, near: float = NEAR) -> None:
        self._near = near
        self._jaccard = near / (2 - near)
        self._sets: dict[str, frozenset[int]] = {}
        self._blocks: defaultdict[int, list[str]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._sets)

    def add(self, key: str, text: str) -> None:
        """Put a text in under a key that must be new; a text without words matches nothing.

        Raises:
            KeyError: The key is there already.
        """
        if key in self._sets:
            raise KeyError(key)
        fingerprint = shingles(text)
        self._sets[key] = fingerprint
        for piece in self._prefix(fingerprint):
            self._blocks[piece].append(key)

    def near(self, text: str) -> list[tuple[str, float]]:
        """Give the keys of all texts that are near, with their similarity, the nearest first."""
        fingerprint = shingles(text)
        candidates = {key for piece in self._prefix(fingerprint) for key in self._blocks.get(piece, ())}
        scored = ((key, dice(fingerprint, self._sets[key])) for key in candidates)
        return sorted((hit for hit in scored if hit[1] >= self._near), key=lambda hit: (-hit[1], hit[0]))

    def _prefix(self, fingerprint: frozenset[int]) -> list[int]:
        size = len(fingerprint)
        # 1e-9: the share is a quotient of binary fractions and may lie just above a whole number
        return sorted(fingerprint)[: size - ceil(self._jaccard * size - 1e-9) + 1]


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _pieces(word: str) -> list[str]:
    if UNSPACED.search(word):
        return [word[i : i + 2] for i in range(len(word) - 1)] or [word]
    padded = f" {word} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]

"""What the operator had forgotten, told again in other words, and what was expunged, told again in the same.

Invariant: the same texts give the same answer. A claim with another number is another claim;
everything else that is told this alike is taken for the same, a denial too: whoever has a
sentence forgotten wants to hear no more of it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from nightledger.text.phrases import NO_PHRASES, HashedPhrases, phrases_of
from nightledger.text.similar import dice, numbers, shingles
from nightledger.text.statements.wording import claims_of

RETOLD = 0.6
"""Dice coefficient of letter trigrams from which a claim is the forgotten one told again. On ten invented
retellings of one sentence the least was .69, on eight other sentences about the same things the most .43."""
HELD = 0.8
"""Or the longer of the two holds this share of the shorter one ..."""
LEAST_PIECES = 30
"""... of some six words at least: a shorter one stands in many sentences."""
_MARK = re.compile(r"\s*(?:[-*+\u2022>|]|\d{1,9}[.)]\s|#{1,6}\s)")
"""What begins a line that does not go on with the sentence before it."""
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|[\u3002\uff01\uff1f\uff1b]")


class _Claim(Struct, frozen=True):
    pieces: frozenset[int]
    numbers: frozenset[str]


class Forgotten:
    """Claims that are not to be learned again.

    Args:
        texts: What was forgotten, entries as they stood.
        expunged: What was expunged, of which no text is kept.

    Attributes:
        expunged: The same.
        phrases: Their claims as phrases, for what shows them word by word in a longer line, beside other numbers.
    """

    def __init__(self, texts: Iterable[str], expunged: HashedPhrases = NO_PHRASES) -> None:
        self.expunged = expunged
        said = [line for text in texts for line in claims_of(text)]
        self._claims = tuple(dict.fromkeys(claim for claim in map(_claim, said) if claim.pieces))
        self.phrases = tuple(dict.fromkeys(wording for line in said for wording in phrases_of(line)))

    def __bool__(self) -> bool:
        return bool(self._claims) or bool(self.expunged)

    def of_signed(self) -> "Forgotten":
        """Return what holds of signed entries: an expunge cut its bytes out of them, so a common word hides none."""
        signed = Forgotten((), self.expunged.telling)
        signed._claims, signed.phrases = self._claims, self.phrases
        return signed

    def holds(self, text: str) -> bool:
        """Tell whether a text claims again what was forgotten, one of its lines at least, or says what was expunged."""
        if self.expunged.said_in(text):
            return True
        return bool(self._claims) and any(
            _same(told, claim) for told in map(_claim, claims_of(text)) for claim in self._claims
        )

    def told_in(self, lines: Sequence[str]) -> frozenset[int]:
        """Give the lines of each paragraph or item of a text that claims again, wrapped or not, what was forgotten.

        A line that says what was expunged is one of them.

        Args:
            lines: All of them; the first is number 1.
        """
        told = set(self.expunged.lines_in(lines))
        for first, last, sentence in _sentences(lines) if self._claims else ():
            if self.holds(sentence):
                told |= set(range(first, last + 1))
        return frozenset(told)


def _sentences(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Give paragraphs and items, and their sentences, each with the first and last line of its paragraph."""
    for start, end in _paragraphs(lines):
        text = " ".join(line.strip() for line in lines[start:end])
        for said in (text, *_SENTENCE_END.split(text)):
            if said.strip():
                yield start + 1, end, _bare(said)


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Give where items and paragraphs begin and where they are over; blank lines are in none."""
    start = 0
    for at, line in enumerate([*lines, ""]):
        ends = not line.strip() or _MARK.match(line) or lines[at - 1].startswith("#")
        if ends and start < at:
            yield start, at
        if ends:
            start = at if line.strip() else at + 1


def _bare(text: str) -> str:
    return text.strip().lstrip("-*+ ")


def _claim(text: str) -> _Claim:
    return _Claim(shingles(text), numbers(text))


def _same(told: _Claim, forgotten: _Claim) -> bool:
    if told.numbers and forgotten.numbers and told.numbers != forgotten.numbers:
        return False
    if dice(told.pieces, forgotten.pieces) >= RETOLD:
        return True
    least = min(len(told.pieces), len(forgotten.pieces))
    return least >= LEAST_PIECES and len(told.pieces & forgotten.pieces) >= HELD * least

"""What the operator had forgotten, told again in other words.

Invariant: the same texts give the same answer. A claim with another number is another claim;
everything else that is told this alike is taken for the same, a denial too: whoever has a
sentence forgotten wants to hear no more of it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nightledger.text.phrases import is_telling, phrase
from nightledger.text.similar import dice, numbers, shingles
from nightledger.text.statements.wording import claims_of

RETOLD = 0.6
"""Dice coefficient of letter trigrams from which a claim is the forgotten one told again. On ten invented
retellings of one sentence the least was .69, on eight other sentences about the same things the most .43."""
HELD = 0.8
"""Or the longer of the two holds this share of the shorter one ..."""
LEAST_PIECES = 30
"""... of some six words at least: a shorter one stands in many sentences."""


@dataclass(frozen=True, slots=True)
class _Claim:
    pieces: frozenset[int]
    numbers: frozenset[str]


class Forgotten:
    """Claims that are not to be learned again.

    Args:
        texts: What was forgotten, entries as they stood.

    Attributes:
        phrases: Their claims as phrases, for what shows them word by word in a longer line, beside other numbers.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        said = [line for text in texts for line in claims_of(text)]
        self._claims = tuple(dict.fromkeys(claim for claim in map(_claim, said) if claim.pieces))
        self.phrases = tuple(dict.fromkeys(filter(is_telling, map(phrase, said))))

    def __bool__(self) -> bool:
        return bool(self._claims)

    def holds(self, text: str) -> bool:
        """Tell whether a text claims again what was forgotten, one of its lines at least."""
        if not self._claims:
            return False
        return any(_same(told, claim) for told in map(_claim, claims_of(text)) for claim in self._claims)


def _claim(text: str) -> _Claim:
    return _Claim(shingles(text), numbers(text))


def _same(told: _Claim, forgotten: _Claim) -> bool:
    if told.numbers and forgotten.numbers and told.numbers != forgotten.numbers:
        return False
    if dice(told.pieces, forgotten.pieces) >= RETOLD:
        return True
    least = min(len(told.pieces), len(forgotten.pieces))
    return least >= LEAST_PIECES and len(told.pieces & forgotten.pieces) >= HELD * least

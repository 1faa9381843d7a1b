"""What a new statement contradicts in memory, to be shown side by side and offered as a replace.

Invariant: few and sure. Close wording about the same thing that differs in a number or in a
negation is a contradiction; two sentences that are merely about the same topic are not.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nightledger.text.similar import dice, is_negated, numbers, shingles, strip_negations

ALIKE = 0.7
"""Likeness of the two, without numbers and negations, from which they speak of the same thing."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|no longer|replaces|statt|anstatt|nicht mehr|en lugar de|en vez de|ya no"
    r"|au lieu de|em vez de|já não|вместо|больше не|thay vì)\s+[`\"']?([\w./-]{3,40})",
    re.IGNORECASE,
)
_SAYS_USE = 0.5
"""Likeness enough where the statement itself names what it takes the place of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """An entry of memory that a statement contradicts.

    Attributes:
        entry: What the caller named the entry.
        text: The entry's wording.
        likeness: How alike the two are without numbers and negations; 0..1, rounded to 4 decimals.
        reason: What differs, for the operator.
    """

    entry: str
    text: str
    likeness: float
    reason: str


def find_contradictions(statement: str, entries: Iterable[tuple[str, str]]) -> tuple[Contradiction, ...]:
    """Give the entries that the statement contradicts, the most alike first.

    Args:
        statement: One sentence; of an entry with children, call it for each child.
        entries: Pairs of a name (an id or a line) and one line's wording.
    """
    found = []
    core = _core(statement)
    for name, text in entries:
        likeness = dice(core, _core(text))
        reason = _difference(statement, text, likeness)
        if reason:
            found.append(Contradiction(entry=name, text=text, likeness=round(likeness, 4), reason=reason))
    return tuple(sorted(found, key=lambda hit: (-hit.likeness, hit.entry)))


def _core(text: str) -> frozenset[int]:
    return shingles(strip_negations(_NUMBER.sub(" ", text)))


def _difference(statement: str, text: str, likeness: float) -> str:
    if likeness >= ALIKE:
        if is_negated(statement) != is_negated(text):
            return "one of the two denies what the other says"
        if numbers(statement) != numbers(text) and numbers(statement) and numbers(text):
            return "the two give different numbers for the same thing"
    if likeness >= _SAYS_USE and any(_names(text, match[1]) for match in _INSTEAD.finditer(statement)):
        return "the statement names what the entry says as replaced"
    return ""


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name.rstrip('.'))}(?![\w-])", text, re.IGNORECASE) is not None

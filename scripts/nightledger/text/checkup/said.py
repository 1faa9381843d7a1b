"""The wording of one item of a memory file, and what comparisons ask of it.

Invariant: each answer is worked out once an item, however many others it is compared
with: a file of one wording a thousand times costs what its items cost, and a look a pair.
"""

import re
from bisect import bisect_left
from functools import cached_property

from nightledger.text.checkup.units import Unit
from nightledger.text.similar import is_negated, numbers, shingles

MEANING = 3
"""Letters from which a word carries a meaning of its own."""
STEM = 4
"""Letters that two forms of one word share at least."""
WIDE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")
"""A letter of a script without spaces."""

_CODE = re.compile(r"`([^`\n]+)`|(?<![\w`])((?:[a-z]{1,32}://|[\w.-]{1,255}/)[^\s`)]+)")
_LETTERS = re.compile(r"[^\W\d_]\w+")


class Said:
    """What one item says.

    Args:
        unit: The item.
        text: Its folded wording.
    """

    def __init__(self, unit: Unit, text: str) -> None:
        self.unit = unit
        self.text = text

    @cached_property
    def spoken(self) -> list[str]:
        """The words in order, each as often as it stands there."""
        return self.text.split()

    @cached_property
    def words(self) -> dict[str, None]:
        """The words, and of scripts without spaces the letter pairs, in order."""
        found: dict[str, None] = {}
        for word in self.text.split():
            if WIDE.search(word):
                found.update(dict.fromkeys(word[at : at + 2] for at in range(max(1, len(word) - 1))))
            else:
                found[word] = None
        return found

    @cached_property
    def pieces(self) -> frozenset[int]:
        """The fingerprint, see `similar.shingles`."""
        return shingles(self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers."""
        return numbers(self.text)

    @cached_property
    def is_negated(self) -> bool:
        """Whether it denies something."""
        return is_negated(self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """What stands in backticks, paths and addresses, letter for letter."""
        return frozenset(names_of(self.unit))

    @cached_property
    def capitals(self) -> dict[str, None]:
        """The words written with a capital, each once, where it stands first."""
        return dict.fromkeys(
            word.casefold() for word in _LETTERS.findall(self.unit.text) if word[0].isupper()
        )

    def holds(self, word: str) -> bool:
        """Say whether a word carries no meaning or stands here, in this form or another."""
        return word in self.words or len(word) < MEANING or self._has_form_of(word)

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.words)

    def _has_form_of(self, word: str) -> bool:
        """Words with one beginning lie side by side where they are sorted: the first of them tells."""
        beginning = _beginning(word)
        place = bisect_left(self._sorted, beginning)
        return place < len(self._sorted) and is_form(word, self._sorted[place])


def names_of(unit: Unit) -> set[str]:
    """Give what stands in backticks, paths and addresses."""
    return {code or address for code, address in _CODE.findall(unit.text)}


def is_form(word: str, other: str) -> bool:
    """Say whether two words differ in their endings at most."""
    if word == other or word[:STEM] != other[:STEM]:
        return word == other
    return other.startswith(_beginning(word)) and len(word) >= STEM and not WIDE.search(word)


def in_one_order(first: dict[str, None], second: dict[str, None]) -> bool:
    """Say whether what both hold stands in the same order: "Anna before Bruno" is not "Bruno before Anna"."""
    return [word for word in first if word in second] == [word for word in second if word in first]


def _beginning(word: str) -> str:
    return word[: max(STEM, len(word) - 3)]

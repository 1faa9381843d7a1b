"""Told wordings found again in a text, however its lines are wrapped, in scripts with and without spaces.

Invariant: wording alone counts: no markup, case, punctuation or line end hides a phrase. Where a script
sets spaces, a phrase is found at the borders of words only.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nightledger.text.similar import UNSPACED, fold

SHORTEST = 12
"""Letters of a wording below which it names nothing that could be told apart. Our choice."""
_LETTERS = 3
"""A letter of a script without spaces says about as much as so many of one with spaces. Our choice."""


def phrase(text: str) -> str:
    """Give the wording of a text, without the blanks beside letters of scripts that set none."""
    folded = fold(text)
    if folded.isascii():
        return folded
    joined = ""
    for word in folded.split(" "):
        joined += _gap(joined[-1:], word[:1]) + word
    return joined


def is_telling(wording: str) -> bool:
    """Tell whether a phrase is long enough to be known again."""
    if len(wording) >= SHORTEST or wording.isascii():
        return len(wording) >= SHORTEST
    return len(wording) + (_LETTERS - 1) * len(UNSPACED.findall(wording)) >= SHORTEST


def _gap(before: str, behind: str) -> str:
    return " " if before and not UNSPACED.match(before) and not UNSPACED.match(behind) else ""


class Phrases:
    """Phrases to look for.

    Args:
        said: Why each is looked for, by the phrase, as `phrase` gives it.
    """

    __slots__ = ("_by_start",)

    def __init__(self, said: Mapping[str, str]) -> None:
        self._by_start: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for wording, why in said.items():
            if wording:
                self._by_start[next(_starts(wording))].append((wording, why))

    def find(self, lines: Iterable[tuple[int, str]]) -> dict[int, str]:
        """Give the lines that say a phrase, alone or together with those around them, each with why.

        Args:
            lines: Number and text of lines that follow each other.
        """
        if not self._by_start:
            return {}
        told = _join(lines)
        found: dict[int, str] = {}
        for start in dict.fromkeys(_starts(told.text)):
            for wording, why in self._by_start.get(start, ()):
                for first, last in told.places(wording):
                    found |= dict.fromkeys(range(first, last + 1), why)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """Lines as one wording.

    Attributes:
        text: The wording.
        starts: Where in it each line begins, of those that say anything.
        numbers: Their numbers.
    """

    text: str
    starts: list[int]
    numbers: list[int]

    def places(self, wording: str) -> Iterator[tuple[int, int]]:
        """Give first and last line of each place of a phrase."""
        at = self.text.find(wording)
        while at >= 0:
            end = at + len(wording)
            if _is_border(self.text[at - 1 : at], wording[0]) and _is_border(
                wording[-1], self.text[end : end + 1]
            ):
                yield self._line(at), self._line(end - 1)
            at = self.text.find(wording, at + 1)

    def _line(self, at: int) -> int:
        return self.numbers[bisect_right(self.starts, at) - 1]


def _join(lines: Iterable[tuple[int, str]]) -> _Told:
    pieces: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    size, last = 0, ""
    for number, line in lines:
        if told := phrase(line):
            gap = _gap(last, told[0])
            starts.append(size + len(gap))
            numbers.append(number)
            pieces.append(gap + told)
            size += len(gap) + len(told)
            last = told[-1]
    return _Told(text="".join(pieces), starts=starts, numbers=numbers)


def _is_border(before: str, behind: str) -> bool:
    """Tell whether a word can end between two characters; an empty one is the end of the text."""
    return any(one in ("", " ") or UNSPACED.match(one) is not None for one in (before, behind))


def _starts(wording: str) -> Iterator[str]:
    """Give what a phrase in a wording can begin with: a word, or a letter of a script without spaces and the next one."""
    start = -1
    for at, letter in enumerate(wording):
        unspaced = letter > "\u0dff" and UNSPACED.match(letter) is not None
        if start >= 0 and (unspaced or letter == " "):
            yield wording[start:at]
            start = -1
        if unspaced:
            yield wording[at : at + 2]
        elif start < 0 and letter != " ":
            start = at
    if start >= 0:
        yield wording[start:]

"""Choose what one night proposes: new, not said before, few, and each one surer than the last.

Invariant: at most `limit` additions; none whose wording the memory or an earlier proposal
holds; the same input gives the same choice.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from math import fsum, log

from msgspec import Struct

from nightledger.domain.consolidation import Statement
from nightledger.text.similar import Overlaps, is_negated, numbers
from nightledger.text.statements.cues import words_of
from nightledger.text.statements.wording import claims_of

THRESHOLD = 0.69
"""The first addition of a night must be at least this likely to be welcome, ..."""
STEP = 0.12
"""... and each further one by this share of what is missing to certainty: an operator's attention is spent."""
MOST_NOTED = 3
"""Of these, so many may be of records, as many as an agent's own proposals may wait: a flood of them leaves room for what logs say."""
KNOWN = 0.75
"""Share of a statement's words that one line already known must hold for it to be no news; a rare word counts for more."""
RETOLD = 0.42
"""Or the two are this alike by their words, where a rare word counts for more; ..."""
SHARED = 5
"""... and share at least so many words.

Of 167 proposals read by hand, no line that was worth signing reached more than .39.
"""


class Choice(Struct, frozen=True, kw_only=True):
    """What a night makes of its statements.

    Attributes:
        chosen: To propose, the best first.
        known: Folded into what memory, an earlier proposal or a better statement says.
        no_room: Good enough for a quieter night; they compete again, without the lines that are known by then.
    """

    chosen: tuple[Statement, ...]
    known: tuple[Statement, ...]
    no_room: tuple[Statement, ...]


_DATED_NAME = re.compile(r"\d{4}-\d\d-\d\d(?=[\w-]*\.[a-z])")
"""The day in a file's name: what names the log of another day says nothing new by it."""


class _Line(Struct, frozen=True, kw_only=True):
    """A known wording: its numbers, its words, and whether it denies."""

    numbers: frozenset[str]
    words: frozenset[str]
    denies: bool


class Known:
    """Wordings that are known already, found by what they share.

    Args:
        texts: Lines of memory, wordings of earlier proposals; those without words are skipped.
        beside: Other lines of the same owner: they tell which words are common.
    """

    def __init__(self, texts: Iterable[str] = (), beside: Iterable[str] = ()) -> None:
        known = list(texts)
        self._heard_lines = 0
        self._heard: Counter[str] = Counter()
        self._lines: list[_Line] = []
        self._words = Overlaps()
        for text in (*known, *beside):
            self._hear(words_of(text))
        for text in known:
            self._add(text)

    def add(self, text: str) -> None:
        """Take in one wording."""
        self._hear(words_of(text))
        self._add(text)

    def holds(self, text: str) -> bool:
        """Return whether one known wording holds this one, and all its numbers.

        It does when it holds `KNOWN` of its words, or when one says the other in other words: their weighted Dice
        coefficient reaches `RETOLD`. What denies is not held by what does not, and only one of both denied is no repeat.
        """
        asked = _Line(
            numbers=numbers(_DATED_NAME.sub("", text)), words=words_of(text), denies=is_negated(text)
        )
        whole = self._weight(asked.words)
        for place, count in self._words.shared(asked.words).items():
            line = self._lines[place]
            if not asked.numbers <= line.numbers:
                continue
            shared = self._weight(asked.words & line.words)
            is_held = line.denies >= asked.denies and shared >= KNOWN * whole
            is_told = count >= SHARED and line.denies == asked.denies
            if is_held or (is_told and 2 * shared >= RETOLD * (whole + self._weight(line.words))):
                return True
        return False

    def _hear(self, words: frozenset[str]) -> None:
        if words:
            self._heard_lines += 1
            self._heard.update(words)

    def _add(self, text: str) -> None:
        line = _Line(numbers=numbers(text), words=words_of(text), denies=is_negated(text))
        self._lines.append(line)
        self._words.add(line.words)

    def _weight(self, words: frozenset[str]) -> float:
        """Return the sum of ``ln((1 + lines) / (1 + lines with the word))`` (K. Sparck Jones 1972, smoothed)."""
        return fsum(log((1 + self._heard_lines) / (1 + self._heard[word])) for word in words)


def choose_additions(
    statements: Collection[Statement],
    known: Known,
    already_proposed_keys: Iterable[str],
    limit: int = 5,
    noted: Collection[str] = (),
    most_noted: int = MOST_NOTED,
) -> Choice:
    """Choose at most ``limit`` statements to propose in one night.

    Args:
        statements: Of this night and of earlier ones that had no room.
        known: What memory and earlier proposals say; what is chosen is added to it.
        already_proposed_keys: Keys of statements proposed before, whatever came of them.
        limit: Additions a night, over all jobs.
        noted: Paths of records.
        most_noted: Of these at most.
    """
    proposed = frozenset(already_proposed_keys)
    chosen: list[Statement] = []
    folded, no_room = [], []
    strong = (one for one in statements if one.score >= THRESHOLD)
    for statement in sorted(strong, key=lambda s: (-s.score, s.day, s.path, s.lines)):
        if statement.key in proposed or all(said := [known.holds(one) for one in claims_of(statement.text)]):
            folded.append(statement)
        elif (
            len(chosen) < limit
            and statement.score >= required(len(chosen))
            and not any(said)
            and (statement.path not in noted or sum(one.path in noted for one in chosen) < most_noted)
        ):
            chosen.append(statement)
            for claim in {*claims_of(statement.text), statement.text}:
                known.add(claim)
        else:
            no_room.append(statement)
    return Choice(chosen=tuple(chosen), known=tuple(folded), no_room=tuple(no_room))


def required(taken: int) -> float:
    """Give the score that the next addition of a night needs after ``taken`` others, 0..1."""
    return THRESHOLD + (1 - THRESHOLD) * min(1.0, STEP * taken)

"""Choose what one night proposes: new, not said before, few, and each one surer than the last.

Invariant: at most `limit` additions; none whose wording the memory or an earlier proposal
holds; the same input gives the same choice.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain
from math import fsum, log

from msgspec import Struct

from nightledger.domain.consolidation import Statement
from nightledger.text.patterns import pattern
from nightledger.text.similar import Overlaps, is_negated, numbers
from nightledger.text.statements.cues import find_cues, words_of
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


PASSAGE = 5
"""Or so many lines of memory that stand together ..."""
SPREAD = 0.3
"""... hold this share of its words, by weight, and all its numbers, and memory has each of its names, of which there is one; ..."""
TELLING = 8
"""... and it has so many words at least: in a short one a single other word may be the news.

Of 105 proposals for nine workspaces, judged by a reader who had not built this, four are so; he refused them all, as said already.
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


def _read(text: str) -> _Line:
    return _Line(numbers=numbers(text), words=words_of(text), denies=is_negated(text))


class Known:
    """Wordings that are known already, found by what they share.

    Args:
        texts: Lines of memory, wordings of earlier proposals; those without words are skipped.
        beside: Other lines of the same owner: they tell which words are common.
        memory: Lines of memory in order; `PASSAGE` of them may hold together what none holds alone.
    """

    def __init__(
        self, texts: Iterable[str] = (), beside: Iterable[str] = (), memory: Iterable[str] = ()
    ) -> None:
        self._memory = [line for line in map(_read, memory) if line.words]
        self._memory_words = frozenset(chain(*(line.words for line in self._memory)))
        self._heard_lines = 0
        self._heard: Counter[str] = Counter()
        self._lines: list[_Line] = []
        self._words = Overlaps()
        for text in beside:
            self._hear(words_of(text))
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Take in one wording."""
        line = _read(text)
        self._hear(line.words)
        self._lines.append(line)
        self._words.add(line.words)

    def holds(self, text: str) -> bool:
        """Return whether one known wording holds this one, and all its numbers.

        It does when it holds `KNOWN` of its words, or when one says the other in other words: their weighted Dice
        coefficient reaches `RETOLD`. What denies is not held by what does not, and only one of both denied is no repeat.
        """
        asked = _read(_DATED_NAME.sub("", text))
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

    def spreads(self, text: str) -> bool:
        """Return whether memory says a text that names something, spread over `PASSAGE` of its lines; it knows each of these names.

        What denies is not said where nothing does.
        """
        asked = _read(_DATED_NAME.sub("", text))
        told = pattern("line-shapes", "name").findall(text)
        named = words_of(" ".join(name for name in told if not find_cues(name)))  # "NOT" is none
        if len(asked.words) < TELLING or not set() < named <= self._memory_words:
            return False
        least = SPREAD * self._weight(asked.words)
        return any(
            asked.numbers <= set().union(*(line.numbers for line in lines))
            and any(line.denies for line in lines) >= asked.denies
            and self._weight(asked.words.intersection(chain(*(line.words for line in lines)))) >= least
            for lines in (self._memory[at : at + PASSAGE] for at in range(len(self._memory)))
        )

    def _hear(self, words: frozenset[str]) -> None:
        if words:
            self._heard_lines += 1
            self._heard.update(words)

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
        if (
            statement.key in proposed
            or all(said := [known.holds(one) for one in claims_of(statement.text)])
            or known.spreads(statement.text)
        ):
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

"""Choose what one night proposes: new, not said before, few, and each one surer than the last.

Invariant: at most `limit` additions; none whose wording the memory or an earlier proposal
holds; the same input gives the same choice.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil, fsum, log

from nightledger.domain.statement import Statement
from nightledger.text.similar import is_negated, numbers, shingles
from nightledger.text.statements.wording import claims_of
from nightledger.text.statements.words import words_of

THRESHOLD = 0.67
"""The first addition of a night must be at least this likely to be welcome, ..."""
STEP = 0.1
"""... and each further one by this share of what is missing to certainty: an operator's attention is spent."""
KNOWN = 0.75
"""Share of a statement's wording that one line already known must hold for it to be no news."""
KNOWN_WORDS = 0.6
"""The same for its words, where a rare word counts for more."""
RETOLD = 0.42
"""Or the two are this alike by their words, where a rare word counts for more; ..."""
SHARED = 5
"""... and share at least so many words.

Of 167 proposals read by hand, no line that was worth signing reached more than .39.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a night makes of its statements.

    Attributes:
        chosen: To propose, the best first.
        known: Folded into what memory, an earlier proposal or a better statement says.
        no_room: Good enough for a quieter night; they compete again.
        weak: Not good enough for any night.
    """

    chosen: tuple[Statement, ...]
    known: tuple[Statement, ...]
    no_room: tuple[Statement, ...]
    weak: tuple[Statement, ...]


_DATED_NAME = re.compile(r"\d{4}-\d\d-\d\d(?=[\w-]*\.[a-z])")
"""The day in a file's name: what names the log of another day says nothing new by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A wording that is looked for: its fingerprint, its words, and whether it denies."""

    pieces: frozenset[int]
    words: frozenset[str]
    denied: bool


class Known:
    """Wordings that are known already, found by what they share.

    Args:
        texts: Lines of memory, wordings of earlier proposals; those without words are skipped.
        beside: Other lines of the same owner: they tell which words are common.
    """

    def __init__(self, texts: Iterable[str] = (), beside: Iterable[str] = ()) -> None:
        known = list(texts)
        self._lines = 0
        self._heard: Counter[str] = Counter()
        for text in (*known, *beside):
            self._hear(words_of(text))
        self._texts: list[str] = []
        self._pieces: list[frozenset[int]] = []
        self._numbers: list[frozenset[str]] = []
        self._words: list[frozenset[str]] = []
        self._postings: defaultdict[int, list[int]] = defaultdict(list)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for text in known:
            self._add(text)

    def add(self, text: str) -> None:
        """Take in one wording."""
        self._hear(words_of(text))
        self._add(text)

    def holds(self, text: str) -> bool:
        """Say whether one known wording holds this one, and all its numbers.

        It does when it holds `KNOWN` of its letters and `KNOWN_WORDS` of its words (a long line holds the
        letters of most short ones), or when one says the other in other words. What denies is not held
        by what does not.
        """
        asked = _Asked(pieces=shingles(text), words=words_of(text), denied=is_negated(text))
        said = numbers(_DATED_NAME.sub("", text))
        whole = self._weight(asked.words)
        return any(
            self._is_alike(asked, place, KNOWN_WORDS * whole) for place in self._by_pieces(asked, said)
        ) or any(self._is_retold(asked, place, whole) for place in self._by_words(asked, said, whole))

    def _hear(self, words: frozenset[str]) -> None:
        if words:
            self._lines += 1
            self._heard.update(words)

    def _add(self, text: str) -> None:
        place = len(self._texts)
        pieces, words = shingles(text), words_of(text)
        for piece in pieces:
            self._postings[piece].append(place)
        for word in words:
            self._places[word].append(place)
        self._texts.append(text)
        self._pieces.append(pieces)
        self._words.append(words)
        self._numbers.append(numbers(text))

    def _by_pieces(self, asked: _Asked, said: frozenset[str]) -> set[int]:
        """Find what may hold the letters: what holds `KNOWN` of the pieces holds one of the rarest of them.

        So lines that are alike but for a quarter are not all compared (the prefix filter, see `NearIndex`).
        """
        rarest = sorted(asked.pieces, key=lambda piece: (len(self._postings.get(piece, ())), piece))
        first = rarest[: len(rarest) - ceil(KNOWN * len(rarest)) + 1]
        places = {place for piece in first for place in self._postings.get(piece, ())}
        return {place for place in places if said <= self._numbers[place]}

    def _by_words(self, asked: _Asked, said: frozenset[str], whole: float) -> set[int]:
        """Find what may say it in other words: it shares `SHARED` words, and more than the commonest weigh."""
        rarest = sorted(asked.words, key=lambda word: (len(self._places.get(word, ())), word))
        least = RETOLD / (2 - RETOLD) * whole * (1 - 1e-9)  # 1e-9: the sums are rounded
        common = 0.0
        while rarest and (common := common + self._weight(frozenset(rarest[-1:]))) < least:
            rarest.pop()
        first = rarest[: max(0, len(asked.words) - SHARED + 1)]
        places = {place for word in first for place in self._places.get(word, ())}
        return {place for place in places if said <= self._numbers[place]}

    def _is_alike(self, asked: _Asked, place: int, enough: float) -> bool:
        """Say whether a wording holds the letters and words, and denies what the other denies."""
        return (
            len(asked.pieces & self._pieces[place]) >= KNOWN * len(asked.pieces)
            and self._weight(asked.words & self._words[place]) >= enough
            and is_negated(self._texts[place]) >= asked.denied
        )

    def _is_retold(self, asked: _Asked, place: int, whole: float) -> bool:
        """Say whether the weighted Dice coefficient reaches `RETOLD`; only one of both denied is no repeat."""
        shared = asked.words & self._words[place]
        return (
            len(shared) >= SHARED
            and 2 * self._weight(shared) >= RETOLD * (whole + self._weight(self._words[place]))
            and asked.denied == is_negated(self._texts[place])
        )

    def _weight(self, words: frozenset[str]) -> float:
        """Give the sum of ``ln((1 + lines) / (1 + lines with the word))`` (K. Sparck Jones 1972, smoothed)."""
        return fsum(log((1 + self._lines) / (1 + self._heard[word])) for word in words)


def choose_additions(
    statements: Collection[Statement], known: Known, already_proposed_keys: Iterable[str], limit: int = 5
) -> Choice:
    """Choose at most ``limit`` statements to propose in one night.

    Args:
        statements: Of this night and of earlier ones that had no room.
        known: What memory and earlier proposals say; what is chosen is added to it.
        already_proposed_keys: Keys of statements proposed before, whatever came of them.
        limit: Additions a night, over all jobs.
    """
    proposed = frozenset(already_proposed_keys)
    chosen: list[Statement] = []
    folded, no_room, weak = [], [], []
    for statement in sorted(statements, key=lambda s: (-s.score, s.day, s.path, s.lines)):
        if statement.score < THRESHOLD:
            weak.append(statement)
        elif statement.key in proposed or _is_known(statement, known):
            folded.append(statement)
        elif len(chosen) < limit and statement.score >= required(len(chosen)):
            chosen.append(statement)
            for claim in claims_of(statement.text):
                known.add(claim)
        else:
            no_room.append(statement)
    return Choice(chosen=tuple(chosen), known=tuple(folded), no_room=tuple(no_room), weak=tuple(weak))


def required(taken: int) -> float:
    """Give the score that the next addition of a night needs after ``taken`` others, 0..1."""
    return THRESHOLD + (1 - THRESHOLD) * min(1.0, STEP * taken)


def _is_known(statement: Statement, known: Known) -> bool:
    """An entry of several lines is known when all of them are."""
    return all(known.holds(claim) for claim in claims_of(statement.text))

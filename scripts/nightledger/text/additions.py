"""Choose what one night proposes: new, not said before, few, and each one surer than the last.

Invariant: at most `limit` additions; none whose wording the memory or an earlier proposal
holds; the same input gives the same choice.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from nightledger.domain.statement import Statement
from nightledger.text.similar import numbers, shingles
from nightledger.text.wording import claims_of
from nightledger.text.words import words_of

THRESHOLD = 0.7
"""The first addition of a night must be at least this likely to be welcome, ..."""
STEP = 0.1
"""... and each further one by this share of what is missing to certainty: an operator's attention is spent."""
KNOWN = 0.75
"""Share of a statement's wording that one line already known must hold for it to be no news."""
RETOLD = 0.6
"""Or the two share this part of the rare words of the one that has fewer, ..."""
RARE_SHARED = 5
"""... and at least so many; ..."""
RAREST = 3
"""... rare is a word that stands in at most so many known wordings."""


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


class Known:
    """Wordings that are known already, found by what they share.

    Args:
        texts: Lines of memory, keys of earlier proposals; those without words are skipped.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._numbers: list[frozenset[str]] = []
        self._words: list[frozenset[str]] = []
        self._postings: defaultdict[int, list[int]] = defaultdict(list)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Take in one wording."""
        place = len(self._numbers)
        for piece in shingles(text):
            self._postings[piece].append(place)
        words = words_of(text)
        for word in words:
            self._places[word].append(place)
        self._numbers.append(numbers(text))
        self._words.append(words)

    def holds(self, text: str) -> bool:
        """Say whether one known wording holds this one, and all its numbers.

        It does when it holds `KNOWN` of its letters, or when the two share so many rare words
        that one says the other in other words.
        """
        pieces, said = shingles(text), numbers(text)
        shared = Counter(place for piece in pieces for place in self._postings.get(piece, ()))
        alike = {place for place, count in shared.items() if count >= KNOWN * len(pieces)}
        return any(said <= self._numbers[place] for place in alike | self._in_other_words(text))

    def _in_other_words(self, text: str) -> set[int]:
        rare = self._rare(words_of(text))
        shared = Counter(place for word in rare for place in self._places.get(word, ()))
        return {
            place
            for place, count in shared.items()
            if count >= RARE_SHARED and count >= RETOLD * min(len(rare), len(self._rare(self._words[place])))
        }

    def _rare(self, words: frozenset[str]) -> frozenset[str]:
        return frozenset(word for word in words if len(self._places.get(word, ())) <= RAREST)


def choose_additions(
    statements: Collection[Statement], memory_text: str, already_proposed_keys: Iterable[str], limit: int = 5
) -> Choice:
    """Choose at most ``limit`` statements to propose in one night.

    Args:
        statements: Of this night and of earlier ones that had no room.
        memory_text: The memory file as it is.
        already_proposed_keys: Keys of statements proposed before, whatever came of them.
        limit: Additions a night, over all jobs.
    """
    keys = list(already_proposed_keys)
    proposed = frozenset(keys)
    known = Known([*memory_text.split("\n"), *keys])
    chosen: list[Statement] = []
    folded, no_room, weak = [], [], []
    for statement in sorted(statements, key=lambda s: (-s.score, s.day, s.path, s.lines)):
        if statement.score < THRESHOLD:
            weak.append(statement)
        elif statement.key in proposed or _is_known(statement, known):
            folded.append(statement)
        elif len(chosen) < limit and statement.score >= required(len(chosen)):
            chosen.append(statement)
            known.add(statement.text)
        else:
            no_room.append(statement)
    return Choice(chosen=tuple(chosen), known=tuple(folded), no_room=tuple(no_room), weak=tuple(weak))


def required(taken: int) -> float:
    """Give the score that the next addition of a night needs after ``taken`` others, 0..1."""
    return THRESHOLD + (1 - THRESHOLD) * min(1.0, STEP * taken)


def _is_known(statement: Statement, known: Known) -> bool:
    """An entry of several lines is known when all of them are."""
    return all(known.holds(claim) for claim in claims_of(statement.text))

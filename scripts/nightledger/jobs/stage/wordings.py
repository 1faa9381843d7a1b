"""Which candidates say the same in other words, and what a line says that another does not."""

from nightledger.domain.staging.values import Candidate, Source
from nightledger.jobs.stage.logs import bare
from nightledger.text.similar import NEAR, dice, is_negated, numbers, shingles

REPORTED = 0.6
"""Likeness from which two lines of how work goes are one, whatever their numbers: "added 6 links" and "added 2"."""
WITHIN = 0.7
"""Share of a line's pieces that another line holds, from which that one says it all."""


_OF_WORK = frozenset({Source.WORK, Source.SHOWN})


class Wordings:
    """Compares wordings, each worked out once; lives for one run."""

    def __init__(self) -> None:
        """Begin with none."""
        self._pieces: dict[str, frozenset[int]] = {}

    def alike(self, one: Candidate, other: Candidate) -> bool:
        """Tell whether two candidates need not both be shown.

        Of lines of how work goes, the second of a kind tells little, and numbers make no difference;
        else numbers must be the same. A denial is never like what it denies, and each event is told.
        """
        if Source.EVENT in (one.source, other.source) or is_negated(one.text) != is_negated(other.text):
            return False
        if {one.source, other.source} <= _OF_WORK:
            first, second = bare(one.text), bare(other.text)
            return (
                dice(self._of(first), self._of(second)) >= REPORTED
                or self.says(first, second)
                or self.says(second, first)
            )
        return dice(self._of(one.text), self._of(other.text)) >= NEAR and numbers(one.text) == numbers(
            other.text
        )

    def says(self, text: str, piece: str) -> bool:
        """Tell whether a text says nearly all that a piece says."""
        inside = self._of(piece)
        return bool(inside) and len(inside & self._of(text)) >= WITHIN * len(inside)

    def _of(self, text: str) -> frozenset[int]:
        if text not in self._pieces:
            self._pieces[text] = shingles(text)
        return self._pieces[text]

"""How one text became another, as numbered changes of which any part can be rebuilt.

Invariant: the old text with no change in it is the old text, with all of them the new one,
byte for byte; lines that are no UTF-8 are lines like any other.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from nightledger.text.changes.diff import Run, changed_runs
from nightledger.text.markdown.document import split_lines

MOST_CHANGES = 50
"""More are joined with their neighbours: nobody answers hundreds of hunks one by one. Our choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How a file went from some bytes to others.

    Attributes:
        old: Lines before, decoded with ``surrogateescape``.
        new: Lines after.
        runs: Where they differ, in order; change ``n`` is ``runs[n - 1]``.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    runs: tuple[Run, ...]

    def removed(self, n: int) -> str:
        """Give the lines that change ``n`` takes out."""
        run = self.runs[n - 1]
        return "".join(self.old[run.old_start : run.old_stop])

    def added(self, n: int) -> str:
        """Give the lines that change ``n`` puts in."""
        run = self.runs[n - 1]
        return "".join(self.new[run.new_start : run.new_stop])

    def rebuild(self, put_in: Collection[int]) -> str:
        """Give the old text with the changes of these numbers in it, and no other."""
        pieces: list[str] = []
        at = 0
        for n, run in enumerate(self.runs, 1):
            pieces += self.old[at : run.old_start]
            pieces.append(self.added(n) if n in put_in else self.removed(n))
            at = run.old_stop
        return "".join([*pieces, *self.old[at:]])


def trace(old: str, new: str, *, most: int = MOST_CHANGES) -> Course:
    """Give how one text became the other.

    Args:
        old: The text before.
        new: The text after.
        most: Changes beyond this number are joined, those with the fewest lines between them first.
    """
    before, after = split_lines(old), split_lines(new)
    runs = _joined(changed_runs(before, after), most)
    return Course(old=tuple(before), new=tuple(after), runs=runs)


def _joined(runs: Sequence[Run], most: int) -> tuple[Run, ...]:
    by_gap = sorted(range(1, len(runs)), key=lambda at: (runs[at].old_start - runs[at - 1].old_stop, at))
    glued = frozenset(by_gap[: max(0, len(runs) - most)])
    joined: list[Run] = []
    for at, run in enumerate(runs):
        first = joined.pop() if at in glued else run
        joined.append(
            Run(
                old_start=first.old_start,
                old_stop=run.old_stop,
                new_start=first.new_start,
                new_stop=run.new_stop,
            )
        )
    return tuple(joined)

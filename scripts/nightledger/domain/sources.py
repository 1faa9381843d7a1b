"""How many independent sources stand behind some outcomes.

Invariant: repeating is not confirming. One session, one day without a session, one place
in a document, one piece of evidence, and all that followed a showing of ours, are one
source each, however often they speak; two that share any of these are one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from datetime import tzinfo

from nightledger.domain.outcome import Outcome
from nightledger.domain.periods import log_day

Taught = Callable[[Outcome], bool]


def was_shown(outcome: Outcome) -> bool:
    """Tell whether the agent had been shown anything of ours before the task.

    The careful default: what was shown may have taught the resolution, so all such
    outcomes together are one source.
    """
    return bool(outcome.shown)


class Sources:
    """Counts independent sources while outcomes are added.

    A union-find over what outcomes share (Galler and Fischer, CACM 7(5), 1964).
    """

    __slots__ = ("_parents", "_taught", "_zone", "count")

    def __init__(self, zone: tzinfo, taught: Taught = was_shown) -> None:
        """Start with no source.

        Args:
            zone: The home's zone, for the days of outcomes without a session.
            taught: Tells whether an outcome followed a showing of ours.
        """
        self._zone = zone
        self._taught = taught
        self._parents: dict[Hashable, Hashable] = {}
        self.count = 0

    def add(self, outcome: Outcome) -> int:
        """Add an outcome and give the number of independent sources so far."""
        first, *others = self._marks(outcome)
        self._know(first)
        for mark in others:
            self._know(mark)
            self._join(first, mark)
        return self.count

    def _marks(self, outcome: Outcome) -> Iterator[Hashable]:
        if outcome.session is None:
            yield ("day", log_day(outcome.timestamp, self._zone))
        else:
            yield ("session", outcome.host, outcome.session)
        if "#" in outcome.source_file:
            yield ("place", outcome.source_file)
        for item in outcome.evidence:
            yield ("evidence", item.sha256)
        if self._taught(outcome):
            yield ("taught",)

    def _know(self, mark: Hashable) -> None:
        if mark not in self._parents:
            self._parents[mark] = mark
            self.count += 1

    def _join(self, one: Hashable, other: Hashable) -> None:
        one, other = self._root(one), self._root(other)
        if one != other:
            self._parents[other] = one
            self.count -= 1

    def _root(self, mark: Hashable) -> Hashable:
        while (parent := self._parents[mark]) != mark:
            self._parents[mark] = self._parents[parent]
            mark = parent
        return mark


def count_sources(outcomes: Iterable[Outcome], zone: tzinfo, taught: Taught = was_shown) -> int:
    """Count the independent sources behind outcomes.

    Args:
        outcomes: In any order.
        zone: The home's zone, for the days of outcomes without a session.
        taught: Tells whether an outcome followed a showing of ours.
    """
    sources = Sources(zone, taught)
    for outcome in outcomes:
        sources.add(outcome)
    return sources.count

"""Which weak links hold groups of tags together: they stay, however seldom they occurred.

Invariant: whatever weak links are deleted, one or all but those named here, two well-used groups
that were connected stay connected. Linear in the links, but for sorting the weak ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from nightledger.domain.links import Pair

WELL_USED = 3
"""Co-occurrences, of links that occurred more than once, from which a group of tags is well used:
as many sessions as a resolution needs to be shown (``confidence.py``). Our choice."""
TWICE = 2
"""A link that occurred once is an accident of one task; it does not count for a group."""


class LinkUse(NamedTuple):
    """How a link was used; a plain tuple, because there may be a million.

    Attributes:
        first: The tag that sorts first.
        second: The other one.
        co_occurrences: Distinct sessions.
        last_day: Newest log day, as a proleptic Gregorian ordinal.
        faint: Whether its best resolution is hardly believed any more (`curation.WEAK_BELOW`).
    """

    first: str
    second: str
    co_occurrences: int
    last_day: int
    faint: bool = False

    @property
    def pair(self) -> Pair:
        """Its two tags."""
        return self.first, self.second


class Groups:
    """Tags in groups, joined link by link (union-find by size with path halving: Tarjan 1975)."""

    def __init__(self) -> None:
        """Begin with no tags."""
        self._number: dict[str, int] = {}
        self._parent: list[int] = []
        self._uses: list[int] = []
        self._size: list[int] = []

    def join(self, link: LinkUse) -> None:
        """Make one group of those of a link's tags, and count its use."""
        root = self._union(self.of(link.first), self.of(link.second))
        self._uses[root] += link.co_occurrences if link.co_occurrences >= TWICE else 0

    def of(self, tag: str) -> int:
        """Give the group of a tag, by a number that holds until the next join; a new tag is a group of its own."""
        number = self._number.setdefault(tag, len(self._parent))
        if number == len(self._parent):
            self._parent.append(number)
            self._uses.append(0)
            self._size.append(1)
        while self._parent[number] != number:
            self._parent[number] = number = self._parent[self._parent[number]]
        return number

    def is_well_used(self, group: int) -> bool:
        """Tell whether a group's links occurred often enough."""
        return self._uses[group] >= WELL_USED

    def _union(self, one: int, other: int) -> int:
        if one == other:
            return one
        large, small = (one, other) if self._size[one] >= self._size[other] else (other, one)
        self._parent[small] = large
        self._size[large] += self._size[small]
        self._uses[large] += self._uses[small]
        return large


def find_bridges(groups: Groups, weak: Sequence[LinkUse]) -> frozenset[Pair]:
    """Give the weak links that must stay, so that no two well-used groups are separated.

    Of the weak links a forest is made over the groups that all other links form, the newest first.
    What is not in it closes a ring and separates nothing. An edge of a tree stays where both of its
    sides have a well-used group; so each bridge of the whole graph (Tarjan 1974) between two such
    groups stays, and of several links that only together connect them, the newest.

    Args:
        groups: The tags, joined by every link that is not weak.
        weak: The links that may be deleted.
    """
    edges = _forest(groups, weak)
    near: dict[int, list[tuple[int, Pair]]] = {}
    for one, other, pair in edges:
        near.setdefault(one, []).append((other, pair))
        near.setdefault(other, []).append((one, pair))
    seen: set[int] = set()
    found: set[Pair] = set()
    for start in near:
        if start not in seen:
            found.update(_between(groups, _walk(near, start, seen)))
    return frozenset(found)


def _forest(groups: Groups, weak: Iterable[LinkUse]) -> list[tuple[int, int, Pair]]:
    """Give a spanning forest of the weak links over the groups (Kruskal 1956), the newest first."""
    joined: dict[int, int] = {}

    def root(group: int) -> int:
        while joined.setdefault(group, group) != group:
            joined[group] = group = joined[joined[group]]
        return group

    edges = []
    for link in sorted(weak, key=lambda link: (-link.last_day, link.pair)):
        one, other = groups.of(link.first), groups.of(link.second)
        if root(one) != root(other):
            joined[root(one)] = root(other)
            edges.append((one, other, link.pair))
    return edges


_Step = tuple[int, int, Pair | None]
"""A group, the one it was reached from (-1 for the first), and by which link."""


def _walk(near: dict[int, list[tuple[int, Pair]]], start: int, seen: set[int]) -> list[_Step]:
    """Give a tree's groups, each behind the one that it is reached from; no recursion, for it may be deep."""
    order: list[_Step] = [(start, -1, None)]
    seen.add(start)
    for group, _, _ in order:  # grows while it is read
        for other, pair in near[group]:
            if other not in seen:
                seen.add(other)
                order.append((other, group, pair))
    return order


def _between(groups: Groups, order: list[_Step]) -> Iterator[Pair]:
    """Give the edges of one tree that have well-used groups on both sides."""
    below = {group: int(groups.is_well_used(group)) for group, _, _ in order}
    total = sum(below.values())
    for group, parent, pair in reversed(order):
        if pair is not None:
            below[parent] += below[group]
            if 0 < below[group] < total:
                yield pair

"""Sets that are joined two at a time (union-find with path halving: Tarjan 1975)."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class DisjointSets(Generic[Item]):
    """Items in sets; each is known by one of its items, its root."""

    __slots__ = ("_parents", "count")

    def __init__(self) -> None:
        """Begin with no items; ``count`` is how many sets there are."""
        self._parents: dict[Item, Item] = {}
        self.count = 0

    def root(self, item: Item) -> Item:
        """Return the root of an item's set; a new item is a set of its own."""
        parents = self._parents
        if item not in parents:
            parents[item] = item
            self.count += 1
        while (parent := parents[item]) != item:
            parents[item] = item = parents[parent]
        return item

    def join(self, one: Item, other: Item) -> bool:
        """Make one set of two, known by the first one's root; tell whether they were apart."""
        one, other = self.root(one), self.root(other)
        self._parents[other] = one
        self.count -= one != other
        return one != other

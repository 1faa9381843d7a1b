"""A mapping whose values are made when they are first looked at.

Invariant: it never changes: keys and their order are those of what it is made from, and a
key gives the same value each time.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

V = TypeVar("V")


class LazyMap(Mapping[str, V]):
    """Values by name, made one at a time; a log of many years holds thousands that nobody asks for."""

    __slots__ = ("_made", "_make", "_raw")

    def __init__(self, raw: Mapping[str, Any], make: Callable[[Any], V]) -> None:
        """Take what the values are made from, and how.

        Args:
            raw: By name; must not be changed any more.
            make: Gives the value for what stands under a name.
        """
        self._raw = raw
        self._make = make
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:  # type: ignore[explicit-override]  # typing.override is newer than 3.11
        """Give the value; KeyError where there is none."""
        if name not in self._made:
            self._made[name] = self._make(self._raw[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:  # type: ignore[explicit-override]  # as above
        """Give the names, in their order; nothing is made."""
        return iter(self._raw)

    def __len__(self) -> int:  # type: ignore[explicit-override]  # as above
        """Count the names; nothing is made."""
        return len(self._raw)

    def __contains__(self, name: object) -> bool:  # type: ignore[explicit-override]  # as above
        """Tell whether there is such a name; nothing is made."""
        return name in self._raw

"""Seeded choices, the same on every Python version.

Invariant: only ``Random.random()`` is drawn from, whose sequence for a seed Python
promises to keep; the algorithms of ``choice`` and ``sample`` carry no such promise.
"""

import random  # noqa: TID251 - the demo's randomness comes from its seed alone
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices derived from a seed and a name.

    Two dice of one seed and different names are independent, so that a further draw
    in one part of a home leaves all other parts as they were.
    """

    def __init__(self, seed: int, name: str) -> None:
        """Start the sequence that belongs to ``seed`` and ``name``."""
        self._seed = seed
        self._name = name
        self._random = random.Random(f"{seed}/{name}")

    def child(self, name: str) -> "Dice":
        """Give dice of their own for the part called ``name``."""
        return Dice(self._seed, f"{self._name}/{name}")

    def between(self, low: int, high: int) -> int:
        """Give a whole number from ``low`` to ``high``, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """Give True in ``share`` (0..1) of the cases."""
        return self._random.random() < share

    def pick(self, options: Sequence[T]) -> T:
        """Give one of the options; there must be one."""
        return options[self.between(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[T, int]]) -> T:
        """Give one of the options, each as often as its weight says."""
        at = self.between(1, sum(weight for _, weight in options))
        for option, weight in options:
            at -= weight
            if at <= 0:
                return option
        raise AssertionError("unreachable: the draw is within the sum of the weights")

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Give ``count`` different options in random order, or all where there are fewer."""
        left = list(options)
        return [left.pop(self.between(0, len(left) - 1)) for _ in range(min(count, len(left)))]

    def letters(self, alphabet: str, count: int) -> str:
        """Give ``count`` characters of the alphabet."""
        return "".join(self.pick(alphabet) for _ in range(count))

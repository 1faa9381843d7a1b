"""How many of something, in words.

Invariant: one is told as one; what is counted stands behind its number.
"""

from collections.abc import Sequence


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with what it counts: ``1 change waits``, ``2 changes wait``.

    Args:
        number: How many; 0 is told as many are.
        one: What one is called, with a verb where one follows.
        many: What several are called; empty for ``one`` with an ``s``.
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def numbered(numbers: Sequence[int]) -> str:
    """Return the numbers of some changes: ``change 3``, ``changes 1, 2``."""
    return f"change{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"

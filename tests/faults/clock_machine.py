"""A machine whose wall clock is stepped, that sleeps and starts again, and the true time beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hypothesis import strategies as st
from tests.domain.gate_values import START

from nightledger.domain.moment import Moment

DAY_S = 86_400


class Turn(StrEnum):
    """What may befall a machine."""

    PASS = "pass"
    """Time passes, awake or asleep: the boot clock counts both (CLOCK_BOOTTIME, clock_gettime(2))."""
    STEP = "step"
    """Somebody sets the wall clock."""
    BOOT = "boot"
    """It starts again; how long that took is told by the wall clock alone."""


Turns = Sequence[tuple[Turn, int]]


@dataclass(slots=True)
class Machine:
    """Its clocks.

    Attributes:
        true_s: Seconds that really passed.
        ahead_s: By how much the wall clock is ahead of the truth.
        boot: Number of the boot.
        boot_at_s: When that was, in true seconds.
    """

    true_s: int = 0
    ahead_s: int = 0
    boot: int = 1
    boot_at_s: int = -1_000

    def turn(self, kind: Turn, seconds: int) -> None:
        """Let one thing befall it."""
        if kind is Turn.STEP:
            self.ahead_s += seconds
            return
        self.true_s += abs(seconds)
        if kind is Turn.BOOT:
            self.boot, self.boot_at_s = self.boot + 1, self.true_s

    def moment(self) -> Moment:
        """Read its clocks."""
        return Moment(at=self.wall(), boot=f"boot-{self.boot}", boot_s=self.true_s - self.boot_at_s)

    def wall(self) -> datetime:
        """Read the wall clock."""
        return START + timedelta(seconds=self.true_s + self.ahead_s)


def turns(*kinds: Turn, most_s: int = 10 * DAY_S, forward: bool = True) -> st.SearchStrategy[Turns]:
    """Give sequences of what befalls a machine.

    Args:
        kinds: Of these.
        most_s: Longest wait and largest step, in seconds.
        forward: Whether the wall clock may be set forward.
    """

    def one(kind: Turn) -> st.SearchStrategy[tuple[Turn, int]]:
        least = -most_s if kind is Turn.STEP else 0
        most = 0 if kind is Turn.STEP and not forward else most_s
        return st.tuples(st.just(kind), st.integers(least, most))

    return st.lists(st.sampled_from(kinds).flatmap(one), max_size=12)

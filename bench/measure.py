"""Measure CPU time side by side: rounds interleaved, medians, ratios.

The machine may be shared and noisy, so nothing is compared across runs: every round runs
each candidate once, and a ratio is the median of the rounds' own ratios.
"""

import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One candidate's figures.

    Attributes:
        name: What ran.
        cpu_s: Median CPU seconds (user and system).
        ratio: Median of its ratio to the first candidate of the same round.
    """

    name: str
    cpu_s: float
    ratio: float


def compare(candidates: Mapping[str, Callable[[], object]], *, rounds: int = 9) -> tuple[Measured, ...]:
    """Measure calls in this process; the first candidate is what the others are compared with."""
    return _summary(candidates, _cpu_of, rounds)


def compare_commands(candidates: Mapping[str, Sequence[str]], *, rounds: int = 15) -> tuple[Measured, ...]:
    """Measure whole processes, interpreter start included; each must exit with 0."""
    calls = {name: _command(words) for name, words in candidates.items()}
    return _summary(calls, _cpu_of_children, rounds)


def compare_children(
    candidates: Mapping[str, Callable[[], object]], *, rounds: int = 15
) -> tuple[Measured, ...]:
    """Measure calls that start processes: the CPU time of these, interpreter start included."""
    return _summary(candidates, _cpu_of_children, rounds)


def report(title: str, measured: Sequence[Measured], *, aim: str) -> None:
    """Print a table: name, median CPU, ratio; then what was aimed at."""
    print(f"\n{title}")
    for one in measured:
        print(f"  {one.name:<44} {one.cpu_s * 1000:>10.2f} ms {one.ratio:>8.2f}x")
    print(f"  aim: {aim}")


def _summary(
    calls: Mapping[str, Callable[[], object]], cost: Callable[[Callable[[], object]], float], rounds: int
) -> tuple[Measured, ...]:
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(cost(call))
    base = next(iter(times.values()))
    return tuple(
        Measured(
            name=name,
            cpu_s=statistics.median(own),
            ratio=statistics.median(mine / theirs for mine, theirs in zip(own, base, strict=True)),
        )
        for name, own in times.items()
    )


def _cpu_of(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _cpu_of_children(call: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _command(words: Sequence[str]) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, capture_output=True)

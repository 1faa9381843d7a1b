"""Attack a small audit log in every place and print a scorecard: what was tried, found, and rightly named.

Tamper, truncate, delete, reorder and forge are what scorecards of audit logs have in common. The rest is what a chain of hashes alone would not notice. Exit status 1
when anything was missed, or when an untouched log raised an alarm. Run it with ``make scorecard``.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.tamper import Attack, History, judge, make_history, ways, wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What came of one way to attack.

    Attributes:
        name: The way.
        tried: How many attacks.
        found: How many of them were noticed.
        named: How many of those were told by the right name and, where it can be known, line.
        classes: What they are called.
    """

    name: str
    tried: int
    found: int
    named: int
    classes: str


def score(name: str, history: History, attacks: Iterable[Attack]) -> Score:
    """Try the attacks of one way."""
    tried = tuple(attacks)
    pin = history.pin
    told = [wrong(history, pin, attack) for attack in tried]
    missed = sum("nothing was noticed" in one for one in told)
    classes = sorted({damage.value.upper() for attack in tried for damage in attack.classes})
    return Score(
        name=name,
        tried=len(tried),
        found=len(tried) - missed,
        named=told.count(""),
        classes=", ".join(classes),
    )


def false_alarms(now: History, older: History) -> int:
    """Count the findings about logs that nobody touched."""
    return sum(len(judge(one.home, one.pin)) for one in (now, older))


def run(*, every: int = 1) -> tuple[tuple[Score, ...], int]:
    """Make a history, attack it in every way, and give the scores and the number of false alarms."""
    with tempfile.TemporaryDirectory(prefix="nightledger-scorecard-") as folder:
        root = Path(folder)
        now, older = make_history(root)
        alarms = false_alarms(now, older)
        scores = [
            score(name, history, attacks) for name, history, attacks in ways(now, older, root, every=every)
        ]
    return tuple(scores), alarms


def lines_of(scores: Sequence[Score], alarms: int) -> Iterator[str]:
    """Give the scorecard, line by line."""
    yield f"{'attack':<42}{'tried':>7}{'found':>7}{'named':>7}  as"
    for one in scores:
        mark = "" if one.tried == one.named else "   MISSED" if one.found < one.tried else "   MISNAMED"
        yield f"{one.name:<42}{one.tried:>7}{one.found:>7}{one.named:>7}  {one.classes}{mark}"
    tried, found = (sum(getattr(one, name) for one in scores) for name in ("tried", "found"))
    yield f"{'all':<42}{tried:>7}{found:>7}{sum(one.named for one in scores):>7}"
    yield f"false alarms about logs that nobody touched: {alarms}"
    yield "Not found, and by nobody on this machine: home and keys rolled back together. A head kept elsewhere or a witness tells."


def main() -> int:
    """Print the scorecard."""
    scores, alarms = run()
    for line in lines_of(scores, alarms):
        print(line)
    return 1 if alarms or any(one.named < one.tried for one in scores) else 0


if __name__ == "__main__":
    sys.exit(main())

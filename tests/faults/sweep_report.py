"""One row a sweep, for ``make report-faults``: how much was tried, and what did not hold.

A sweep calls :func:`report` at its end; where ``NIGHTLEDGER_FAULTS`` names a folder, the row is kept
there as JSON ``{sweep, points, failed, controls, controls_caught}``.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

Point = TypeVar("Point")

FOLDER = "NIGHTLEDGER_FAULTS"
WHOLE = "only 'make test-faults' runs the whole sweep"


def whole() -> bool:
    """Tell whether all is to be tried, whatever it costs."""
    return bool(os.environ.get(FOLDER))


def sampled(points: Iterable[Point], every: int) -> Iterator[Point]:
    """Return every so many of the points in 'make test', all of them in 'make test-faults'."""
    return islice(points, 0, None, 1 if whole() else every)


def report(
    sweep: str, part: str = "", *, points: int, failed: int = 0, controls: int = 0, caught: int = 0
) -> None:
    """Keep what a sweep, or one part of it, found.

    Args:
        sweep: Its name, as the table shows it; rows of one name are added up.
        part: Which part of it, where it has several.
        points: How many states, kills, errors or attacks were tried.
        failed: After how many of them something was not as it must be.
        controls: How many faults were planted.
        caught: How many of those were found.
    """
    row = {
        "sweep": sweep,
        "points": points,
        "failed": failed,
        "controls": controls,
        "controls_caught": caught,
    }
    print(json.dumps({"part": part, **row}))
    if whole():
        folder = Path(os.environ[FOLDER])
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^a-z0-9]+", "-", f"{sweep} {part}".lower()).strip("-")
        (folder / f"{name}.json").write_text(json.dumps(row, sort_keys=True) + "\n")


def judge(sweep: str, part: str, results: Iterable[Sequence[str]], *, least: int = 1) -> None:
    """Keep and judge what was found wrong at each point of a sweep, or of one part of it.

    Raises:
        AssertionError: Something was wrong at one of them, or there were fewer than ``least``.
    """
    tried = list(results)
    failed = [found for found in tried if found]
    report(sweep, part, points=len(tried), failed=len(failed))
    assert not failed, "\n".join(line for found in failed[:8] for line in found[:3])
    assert len(tried) >= least


def judge_control(sweep: str, control: str, found: object) -> None:
    """Keep that a planted fault was found.

    Raises:
        AssertionError: It was not.
    """
    assert found, f"nothing shows that the program has the fault: {control}"
    report(sweep, control, points=0, controls=1, caught=1)

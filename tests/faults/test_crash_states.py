"""Every state that a crash may leave, by a model of the disk: nothing torn, nothing acknowledged lost."""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.faults.controls import planted
from tests.faults.crash_disk import Crash, crashes
from tests.faults.crash_watch import Watch, same, watching
from tests.faults.sweep_cases import CASES, Case, copy_case, kept_bytes, make_case, problems, run_here
from tests.faults.sweep_report import judge, judge_control, sampled, whole

EVERY, EVERY_KILL = 150, 15
"""Of the states so many are passed over in 'make test' for each that is tried; fewer where only the process died."""
SWEEP = "crash states, by a model of the disk"
CONTROLS = ("no fsync", "no fsync of directories", "truncate in place", "log after apply")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A command's run, step by step."""

    case: Case
    made: str
    watch: Watch
    kept: dict[str, bytes]


def record(case: Case, root: Path, control: str = "") -> Recorded:
    made = make_case(case, root / "made")
    kept = kept_bytes(root / "made")
    work = copy_case(root / "made", root / "work")
    with planted(control) if control else contextlib.nullcontext(), watching(work) as watch:
        ran = run_here(work, *case.words(made))
    assert ran.status == 0, ran.err
    assert same(watch.disk, work), "a change of the disk went by unseen"
    shutil.rmtree(work)
    return Recorded(case=case, made=made, watch=watch, kept=kept)


def found_after(recorded: Recorded, crash: Crash, work: Path) -> list[str]:
    """Materialise a crash, run the command again on it, and name what is wrong."""
    work.mkdir()
    crash.disk.write_to(work)
    with watching(work):  # spares the machine's disk every sync
        found = problems(recorded.case, recorded.made, work, crash.said, recorded.kept, run_here)
    shutil.rmtree(work)
    return [f"step {crash.at}, {crash.how}: {problem}" for problem in found]


def states(recorded: Recorded) -> Iterator[Crash]:
    """Return the states to try: sampled of the power failures and of the kills, so that both occur."""
    found = list(crashes(recorded.watch.start, recorded.watch.steps))
    yield from sampled((crash for crash in found if crash.power), EVERY)
    yield from sampled((crash for crash in found if not crash.power), EVERY_KILL)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.slow] if n % 2 else []) for n, case in enumerate(CASES[:-1])]
    + [CASES[-1]],
    ids=lambda case: case.name,
)
def test_whatever_a_crash_leaves_the_next_run_finishes(case: Case, tmp_path: Path) -> None:
    recorded = record(case, tmp_path)
    tried = [found_after(recorded, crash, tmp_path / "work") for crash in states(recorded)]
    judge(SWEEP, case.name, tried, least=len(recorded.watch.steps) // (2 if whole() else 2 * EVERY_KILL))


@pytest.mark.parametrize(
    "control",
    [pytest.param(one, marks=[pytest.mark.slow] if one in CONTROLS[1:3] else []) for one in CONTROLS],
)
def test_a_planted_fault_is_found_among_the_states_of_a_crash(control: str, tmp_path: Path) -> None:
    judge_control(SWEEP, control, next(_caught(control, tmp_path), None))


def _caught(control: str, root: Path) -> Iterator[list[str]]:
    for number, case in enumerate(CASES):
        recorded = record(case, root / str(number), control)
        every = crashes(recorded.watch.start, recorded.watch.steps)
        for crash in sorted(every, key=lambda crash: crash.power):  # kills are few
            found = found_after(recorded, crash, root / "work")
            if found:
                yield found

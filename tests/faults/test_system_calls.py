"""Kill the real command line at every system call that changes something, and let each meet errors.

'make test' fails the syncs of one record; 'make test-faults' does the rest.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.sweep_cases import CASES, Case
from tests.faults.sweep_report import judge, judge_control
from tests.faults.sweep_strace import CHECKOUT, INTERRUPTED, KILL, Program, met, points_of, why_not
from tests.faults.test_error_sweep import CONTROLS

KILLS = "kill -9 at every system call"
SWEEP = "errors of the disk, at system calls"
ERRORS = ("error=ENOSPC", "error=EIO", "error=EDQUOT", "error=EROFS")
"""One a call, by turns: every error at every call is tried in this process (``test_error_sweep.py``)."""
SYNCS = ("fsync", "fdatasync")
"""Counted by name, so that they stay the same calls where the program is not copied first."""


def named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def killed(program: Program, case: Case, root: Path, control: str = "") -> Iterator[list[str]]:
    """Kill a command at each of its calls; give what is wrong after each."""
    made, calls = points_of(program, case, root, control)
    for point in calls:
        yield met(program, case, made, root, point, how=KILL, control=control)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_kill_at_any_call_leaves_nothing_torn_and_loses_nothing(
    case: Case, program: Program, tmp_path: Path
) -> None:
    judge(KILLS, case.name, killed(program, case, tmp_path))


@pytest.mark.parametrize("control", ["truncate in place", "log after apply"])
def test_a_planted_fault_is_found_by_a_kill(control: str, program: Program, tmp_path: Path) -> None:
    """What a killed process can show; what was not synced outlives it."""
    judge_control(KILLS, control, any(killed(program, named("apply"), tmp_path, control)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_error_of_any_call_is_told_and_nothing_is_lost(
    case: Case, program: Program, tmp_path: Path
) -> None:
    made, calls = points_of(program, case, tmp_path)
    results = (
        met(program, case, made, tmp_path, point, how=how)
        for index, point in enumerate(calls)
        for how in (ERRORS[index % len(ERRORS)], INTERRUPTED)
    )
    judge(SWEEP, case.name, results)


def failing(
    program: Program, case: Case, root: Path, control: str = "", *, syncs: bool = False
) -> Iterator[list[str]]:
    """Fail each call of a command, or each sync; give what is wrong after each."""
    made, calls = points_of(program, case, root, control)
    for point in calls:
        if not syncs or point.call in SYNCS:
            yield met(program, case, made, root, point, how="error=EIO", control=control)


@pytest.mark.parametrize("control", CONTROLS)
def test_a_planted_fault_is_found_by_failing_system_calls(
    control: str, program: Program, tmp_path: Path
) -> None:
    first, telling = CONTROLS[control]
    results = failing(program, named(first), tmp_path, control)
    judge_control(SWEEP, control, any(telling in problem for found in results for problem in found))


# ---------------------------------------------------------------- the syncs of one record
@pytest.mark.parametrize("control", ["", "failed fsync ignored", "failed fsync of a directory ignored"])
def test_no_sync_of_a_record_fails_unheard_and_one_that_does_is_found(control: str, tmp_path: Path) -> None:
    if why_not():
        pytest.skip(why_not())
    results = list(failing(Program(folder=CHECKOUT), CASES[0], tmp_path, control, syncs=True))
    problems = [problem for found in results for problem in found]
    assert len(results) > 1
    assert any(CONTROLS[control][1] in problem for problem in problems) if control else not problems

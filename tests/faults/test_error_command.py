"""Errors at every system call of the real command line, an interrupted call among them.

'make test' fails the syncs of one record; 'make test-faults' every call.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.receive_case import RECEIVE
from tests.faults.sweep_cases import CASES, Case, copy_case, kept_bytes, make_case, problems, remove, run_here
from tests.faults.sweep_report import WHOLE, report, whole
from tests.faults.sweep_strace import (
    CHECKOUT,
    Point,
    Program,
    broken_off,
    copy_program,
    trace,
    why_not,
)
from tests.faults.test_error_sweep import CONTROLS, wrong_about

SWEEP = "errors of the disk, at system calls"
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS")
"""One a call, by turns: every error at every call is tried in this process (``test_error_sweep.py``)."""
INTERRUPTED = "EINTR"
SYNCS = ("fsync", "fdatasync")
"""Counted by name, so that they stay the same calls where the program is not copied first."""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    if not whole():
        pytest.skip(WHOLE)
    if why_not():
        pytest.skip(why_not())
    return copy_program(tmp_path_factory.mktemp("program"))


def met(
    program: Program, case: Case, made: str, root: Path, point: Point, *, error: str, control: str = ""
) -> list[str]:
    """Let a call meet an error, then look and run the command again."""
    work = copy_case(root / "made", root / "work")
    ran = broken_off(program, case, made, work, point, how=f"error={error}", control=control)
    found = [] if error == INTERRUPTED and ran.status == 0 else list(wrong_about(ran, _path(point)))
    found += problems(case, made, work, ran.out.encode(), kept_bytes(root / "made"), run_here)
    remove(work)
    return [f"{point.call} {point.number} {point.shown}, {error}: {problem}" for problem in found]


def _path(point: Point) -> str:
    """Give the path of a call, as far as it tells whether anybody needs what lies there."""
    return "home/.nightledger/" if "/home/.nightledger/" in point.shown else point.shown


def points(program: Program, case: Case, root: Path, control: str = "") -> tuple[str, list[Point]]:
    """Make the home of a case; give what must be said there, and the calls of a whole run."""
    made = make_case(case, root / "made")
    found = trace(program, case, made, copy_case(root / "made", root / "work"), control)
    remove(root / "work")
    return made, found


@pytest.mark.parametrize("case", [*CASES, RECEIVE], ids=lambda case: case.name)
def test_an_error_of_any_call_is_told_and_nothing_is_lost(
    case: Case, program: Program, tmp_path: Path
) -> None:
    made, calls = points(program, case, tmp_path)
    results = [
        met(program, case, made, tmp_path, point, error=error)
        for index, point in enumerate(calls)
        for error in (ERRORS[index % len(ERRORS)], INTERRUPTED)
    ]
    failed = [found for found in results if found]
    report(SWEEP, case.name, points=len(results), failed=len(failed))
    assert not failed, "\n".join(line for found in failed[:8] for line in found[:2])
    assert results


@pytest.mark.parametrize("control", CONTROLS)
def test_a_planted_fault_is_found_by_failing_system_calls(
    control: str, program: Program, tmp_path: Path
) -> None:
    first, telling = CONTROLS[control]
    (case,) = (case for case in CASES if case.name == first)
    made, calls = points(program, case, tmp_path, control)
    assert any(
        telling in problem
        for point in calls
        for problem in met(program, case, made, tmp_path, point, error="EIO", control=control)
    ), f"no failing call shows that the program has the fault: {control}"
    report(SWEEP, control, points=0, controls=1, caught=1)


# ---------------------------------------------------------------- the syncs of one record
def failing_syncs(root: Path, control: str = "") -> Iterator[list[str]]:
    """Fail each sync of the first record, in the program as it stands; give what is wrong after each."""
    if why_not():
        pytest.skip(why_not())
    program, case = Program(folder=CHECKOUT), CASES[0]
    made, calls = points(program, case, root, control)
    for point in calls:
        if point.call in SYNCS:
            yield met(program, case, made, root, point, error="EIO", control=control)


def test_no_sync_of_a_record_fails_unheard(tmp_path: Path) -> None:
    results = list(failing_syncs(tmp_path))
    assert len(results) > 1
    assert not any(results), "\n".join(line for found in results for line in found)


@pytest.mark.parametrize("control", ["failed fsync ignored", "failed fsync of a directory ignored"])
def test_a_failed_sync_that_is_not_heard_is_found(control: str, tmp_path: Path) -> None:
    _, telling = CONTROLS[control]
    assert any(telling in problem for found in failing_syncs(tmp_path, control) for problem in found)

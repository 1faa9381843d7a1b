"""Kill the real command line at every system call that changes something (make test-faults)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.receive_case import RECEIVE
from tests.faults.sweep_cases import CASES, Case, copy_case, kept_bytes, make_case, problems, remove, run_here
from tests.faults.sweep_report import WHOLE, report, whole
from tests.faults.sweep_strace import Point, Program, broken_off, copy_program, trace, why_not

SWEPT = (*CASES, RECEIVE)
SWEEP = "kill -9 at every system call"
KILLED = 128 + 9
CONTROLS = ("truncate in place", "log after apply")
"""What a killed process can show; what was not synced outlives it."""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    if not whole():
        pytest.skip(WHOLE)
    if why_not():
        pytest.skip(why_not())
    return copy_program(tmp_path_factory.mktemp("program"))


def killed(program: Program, case: Case, made: str, root: Path, point: Point, control: str = "") -> list[str]:
    """Kill a run at a point, then look and run it again."""
    source = root / "made"
    work = copy_case(source, root / "work")
    ran = broken_off(program, case, made, work, point, how="signal=SIGKILL", control=control)
    found = [] if ran.status == KILLED else [f"it was not killed: {ran.status}"]
    found += problems(case, made, work, ran.out.encode(), kept_bytes(source), run_here)
    remove(work)
    return [f"{point.call} {point.number} {point.shown}: {problem}" for problem in found]


def sweep(program: Program, case: Case, root: Path, control: str = "") -> Iterator[list[str]]:
    made = make_case(case, root / "made")
    points = trace(program, case, made, copy_case(root / "made", root / "work"), control)
    remove(root / "work")
    for point in points:
        yield killed(program, case, made, root, point, control)


@pytest.mark.parametrize("case", SWEPT, ids=lambda case: case.name)
def test_a_kill_at_any_call_leaves_nothing_torn_and_loses_nothing(
    case: Case, program: Program, tmp_path: Path
) -> None:
    results = list(sweep(program, case, tmp_path))
    failed = [found for found in results if found]
    report(SWEEP, case.name, points=len(results), failed=len(failed))
    assert not failed, "\n".join(line for found in failed[:8] for line in found[:2])
    assert results


@pytest.mark.parametrize("control", CONTROLS)
def test_a_planted_fault_is_found_by_a_kill(control: str, program: Program, tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case.name == "apply")
    assert any(sweep(program, case, tmp_path, control)), (
        f"no kill shows that the program has the fault: {control}"
    )
    report(SWEEP, control, points=0, controls=1, caught=1)

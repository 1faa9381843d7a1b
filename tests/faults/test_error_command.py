"""Errors at every system call of the real command line, an interrupted call among them (make test-faults)."""

from pathlib import Path

import pytest
from tests.faults.receive_case import RECEIVE
from tests.faults.sweep_cases import CASES, Case, copy_case, kept_bytes, make_case, problems, remove, run_here
from tests.faults.sweep_report import WHOLE, report, whole
from tests.faults.sweep_strace import Point, Program, broken_off, copy_program, trace, why_not
from tests.faults.test_error_sweep import wrong_about

SWEEP = "errors of the disk, at system calls"
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS")
"""One a call, by turns: every error at every call is tried in this process (``test_error_sweep.py``)."""
INTERRUPTED = "EINTR"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    if not whole():
        pytest.skip(WHOLE)
    if why_not():
        pytest.skip(why_not())
    return copy_program(tmp_path_factory.mktemp("program"))


def met(program: Program, case: Case, made: str, root: Path, point: Point, error: str) -> list[str]:
    """Let a call meet an error, then look and run the command again."""
    work = copy_case(root / "made", root / "work")
    ran = broken_off(program, case, made, work, point, how=f"error={error}")
    found = [] if error == INTERRUPTED and ran.status == 0 else list(wrong_about(ran, _path(point)))
    found += problems(case, made, work, ran.out.encode(), kept_bytes(root / "made"), run_here)
    remove(work)
    return [f"{point.call} {point.number} {point.shown}, {error}: {problem}" for problem in found]


def _path(point: Point) -> str:
    """Give the path of a call, as far as it tells whether anybody needs what lies there."""
    return "home/.nightledger/" if "/home/.nightledger/" in point.shown else point.shown


@pytest.mark.parametrize("case", [*CASES, RECEIVE], ids=lambda case: case.name)
def test_an_error_of_any_call_is_told_and_nothing_is_lost(
    case: Case, program: Program, tmp_path: Path
) -> None:
    made = make_case(case, tmp_path / "made")
    points = trace(program, case, made, copy_case(tmp_path / "made", tmp_path / "work"))
    remove(tmp_path / "work")
    results = [
        met(program, case, made, tmp_path, point, error)
        for index, point in enumerate(points)
        for error in (ERRORS[index % len(ERRORS)], INTERRUPTED)
    ]
    failed = [found for found in results if found]
    report(SWEEP, case.name, points=len(results), failed=len(failed))
    assert not failed, "\n".join(line for found in failed[:8] for line in found[:2])
    assert results

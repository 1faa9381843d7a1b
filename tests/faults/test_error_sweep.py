"""Errors of the disk at every call that changes it: an honest exit status, and nothing lost."""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults import sweep_cases
from tests.faults.controls import planted
from tests.faults.crash_disk import Crash, crashes
from tests.faults.crash_watch import Fault, Watch, watching
from tests.faults.sweep_report import judge, judge_control, report, whole

from nightledger.demo.shell import Ran

SWEEP = "errors of the disk, in this process"
EVERY = 6
"""After every sixth call that fails the power fails, too."""
SAMPLED = 41
"""In 'make test' so many calls are passed over for each that fails, with one error after the other."""
CONTROLS = {
    "truncate in place": ("apply", "MEMORY.md is torn"),
    "log after apply": ("apply", "verify before the second run: 4"),
    "failed fsync ignored": ("log, the first record", "it ends with 0 although"),
    "failed fsync of a directory ignored": ("log, the first record", "it ends with 0 although"),
    "failed fsync tried again": ("log, the first record", "it ends with 0 although"),
}
"""Faults that are planted: the command that shows each soonest, and what is said when it is found.

A sync that is missing meets no error; one whose error is not heard is the same fault, as it shows here.
"""
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS)
"""EINTR is tried by the command line under strace: below ``os`` Python itself calls again (PEP 475)."""
STAYS = ("open", "write", "mkdir", "link", "rename", "renameat2")
"""A disk that is full refuses these again and again; to remove something helps."""


def once(at: int, code: int) -> Fault:
    """Fail one call."""
    return lambda number, _call, _path: code if number == at else 0


def from_then_on(at: int, code: int) -> Fault:
    """Fail a call and every later one that wants room."""
    return lambda number, call, _path: code if number == at or (number > at and call in STAYS) else 0


def run_with(case: sweep_cases.Case, made: str, work: Path, fault: Fault | None) -> tuple[Ran, Watch]:
    with watching(work, fault) as watch:
        return sweep_cases.run_here(work, *case.words(made)), watch


def whole_run(case: sweep_cases.Case, made: str, source: Path, work: Path) -> Watch:
    """Run a case with no error at all."""
    ran, watch = run_with(case, made, sweep_cases.copy_case(source, work), None)
    assert ran.status == 0, ran.err
    shutil.rmtree(work)
    return watch


def tried(case: sweep_cases.Case, made: str, source: Path, work: Path, fault: Fault, at: int) -> list[str]:
    """Fail a call, then look; after every sixth call also when the power fails directly after the run."""
    kept = sweep_cases.kept_bytes(source)
    ran, watch = run_with(case, made, sweep_cases.copy_case(source, work), fault)
    met = watch.calls[at - 1][1]
    found = list(sweep_cases.wrong_about(ran, met))
    with watching(work):
        found += sweep_cases.problems(case, made, work, ran.out.encode(), kept, sweep_cases.run_here)
    shutil.rmtree(work)
    for crash in [] if at % EVERY else _last(watch):
        work.mkdir()
        crash.disk.write_to(work)
        with watching(work):
            found += sweep_cases.problems(case, made, work, crash.said, kept, sweep_cases.run_here)
        shutil.rmtree(work)
    return [f"call {at}, {watch.calls[at - 1]}: {problem}" for problem in found]


def _last(watch: Watch) -> list[Crash]:
    """Give what a power failure directly after the run leaves when all is lost that was not synced."""
    return [crash for crash in crashes(watch.start, watch.steps) if crash.at == len(watch.steps)][:1]


def points(calls: int) -> Iterator[tuple[int, Fault]]:
    """Give the calls to fail and how: each with every error, and with one of them for good; in 'make test' a few."""
    for at in range(1, calls + 1):
        lasting = ERRORS[at // (EVERY if whole() else SAMPLED) % len(ERRORS)]
        if whole():
            yield from ((at, once(at, code)) for code in ERRORS)
            yield at, from_then_on(at, lasting)
        elif at % SAMPLED == 1:
            yield at, (once, from_then_on)[at // SAMPLED % 2](at, lasting)


@pytest.mark.parametrize("case", sweep_cases.CASES, ids=lambda case: case.name)
def test_an_error_at_any_call_is_told_and_nothing_is_lost(case: sweep_cases.Case, tmp_path: Path) -> None:
    made = sweep_cases.make_case(case, tmp_path / "made")
    watch = whole_run(case, made, tmp_path / "made", tmp_path / "work")
    results = [
        tried(case, made, tmp_path / "made", tmp_path / "work", fault, at)
        for at, fault in points(len(watch.calls))
    ]
    judge(SWEEP, case.name, results)


SLOW_CONTROLS = ("truncate in place", "failed fsync of a directory ignored", "failed fsync tried again")


@pytest.mark.parametrize(
    "control",
    [pytest.param(one, marks=[pytest.mark.slow] if one in SLOW_CONTROLS else []) for one in CONTROLS],
)
def test_a_planted_fault_is_found_by_failing_calls(control: str, tmp_path: Path) -> None:
    with planted(control):
        found = next(_found_with_errors(control, tmp_path), None)
    judge_control(SWEEP, control, found)


def _found_with_errors(control: str, root: Path) -> Iterator[str]:
    """Give what is said that only this fault can bring about."""
    first, telling = CONTROLS[control]
    for case in sorted(sweep_cases.CASES, key=lambda case: case.name != first):
        source = root / case.name
        made = sweep_cases.make_case(case, source)
        watch = whole_run(case, made, source, root / "work")
        for at in range(1, len(watch.calls) + 1):
            found = tried(case, made, source, root / "work", once(at, errno.EIO), at)
            yield from (problem for problem in found if telling in problem)


def test_a_write_whose_error_is_not_heard_is_found_by_a_disk_that_stays_full(tmp_path: Path) -> None:
    """What 'make test-faults' does on a small disk (``test_small_disk.py``), without root."""
    control, case, source = "failed write ignored", sweep_cases.CASES[0], tmp_path / "made"
    made = sweep_cases.make_case(case, source)
    calls = len(whole_run(case, made, source, tmp_path / "work").calls)

    def found() -> list[str]:
        faults = ((at, from_then_on(at, errno.ENOSPC)) for at in range(1, calls + 1))
        return [
            problem
            for at, fault in faults
            for problem in tried(case, made, source, tmp_path / "work", fault, at)
        ]

    assert not found()
    with planted(control):
        assert any("acknowledged and lost" in problem for problem in found())
    report(SWEEP, control, points=0, controls=1, caught=1)


# ---------------------------------------------------------------- short writes
@contextlib.contextmanager
def writing_at_most(size_bytes: int) -> Iterator[None]:
    """Let the system take only a few bytes with each write."""
    real = os.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, content: real(descriptor, content[:size_bytes]))
        yield


def short(case: sweep_cases.Case, root: Path, size_bytes: int) -> list[str]:
    made = sweep_cases.make_case(case, root / "made")
    work = sweep_cases.copy_case(root / "made", root / "work")
    with writing_at_most(size_bytes), watching(work):
        ran = sweep_cases.run_here(work, *case.words(made))
    with watching(work):
        found = sweep_cases.problems(
            case, made, work, ran.out.encode(), sweep_cases.kept_bytes(root / "made"), sweep_cases.run_here
        )
    return found if ran.status == 0 else [*found, f"it ends with {ran.status}: {ran.err}"]


@pytest.mark.parametrize("size_bytes", [pytest.param(1, marks=pytest.mark.slow), 7])
@pytest.mark.parametrize("case", sweep_cases.CASES, ids=lambda case: case.name)
def test_a_system_that_takes_few_bytes_at_a_time_gets_them_all(
    case: sweep_cases.Case, size_bytes: int, tmp_path: Path
) -> None:
    found = short(case, tmp_path, size_bytes)
    report("short writes", f"{case.name}, {size_bytes}", points=1, failed=int(bool(found)))
    assert not found


def test_a_write_that_is_not_repeated_for_its_rest_is_found(tmp_path: Path) -> None:
    with planted("short write ignored"):
        found = [short(case, tmp_path / case.name, 7) for case in sweep_cases.CASES]
    report("short writes", "planted", points=0, controls=1, caught=int(any(found)))
    assert all(found)

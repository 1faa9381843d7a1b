"""Every state that a crash may leave, by a model of the disk: nothing torn, nothing acknowledged lost."""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.faults.controls import planted
from tests.faults.crash_disk import Crash, Disk, Kind, Node, Step, crashes
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


# ---------------------------------------------------------------- the model itself
def small() -> tuple[Disk, list[Step]]:
    """Give a disk with one file, and the steps of writing a new one beside it."""
    start = Disk({0: Node(mode=0o700, names={"a": 1}), 1: Node(mode=0o600, content=b"old")})
    steps = [
        Step(kind=Kind.MAKE, path="t", node=2, parent=0, name="t", at=0o600),
        Step(kind=Kind.WRITE, path="t", node=2, content=b"new!"),
        Step(kind=Kind.SYNC, path="t", node=2),
        Step(kind=Kind.RENAME, path="a", node=2, parent=0, name="t", to_parent=0, to_name="a"),
        Step(kind=Kind.SYNC, path="", node=0),
    ]
    return start, steps


def seen(start: Disk, steps: list[Step]) -> set[bytes]:
    """Give what ``a`` may hold after a crash."""
    found = set()
    for crash in crashes(start, steps):
        number = crash.disk.find("a")
        found.add(crash.disk.nodes[number].content if number >= 0 else b"no file")
    return found


def test_a_file_that_is_written_aside_synced_and_renamed_is_the_old_one_or_the_new_one() -> None:
    assert seen(*small()) == {b"old", b"new!"}


def test_a_rename_before_the_sync_of_its_bytes_may_leave_an_empty_or_a_half_file() -> None:
    start, steps = small()
    del steps[2]
    assert seen(start, steps) == {b"old", b"new!", b"", b"ne", bytes(4)}


def test_what_was_synced_stays_and_a_rename_without_a_sync_of_its_directory_may_go() -> None:
    start, steps = small()
    last = [crash for crash in crashes(start, steps) if crash.at == len(steps)]
    assert not last  # nothing is at risk any more: the state is that of the step before
    after = [crash.disk.find("t") for crash in crashes(start, steps[:4]) if crash.at == 4]
    assert after
    kept = Step(kind=Kind.SAY, path="", content=b"done")
    told = [crash for crash in crashes(start, [*steps[:4], kept]) if crash.said]
    assert {crash.disk.nodes[crash.disk.find("a")].content for crash in told} == {b"old", b"new!"}
    told = [crash for crash in crashes(start, [*steps, kept]) if crash.said]
    assert {crash.disk.nodes[crash.disk.find("a")].content for crash in told} == {b"new!"}

"""A disk that is really full: 64 KiB of room in memory, filled up, or with a few pages left (make test-faults, root)."""

import contextlib
import dataclasses
import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults import sweep_cases
from tests.faults.controls import planted
from tests.faults.sweep_report import WHOLE, judge, judge_control, report, whole
from tests.gate.forgetting_desk import ARCHIVE
from tests.gate.homes import MEMORY, addition, make_desk
from tests.second_verifier import disagreement

from nightledger.demo.shell import Ran

SWEEP = "a disk of 64 KiB"
ROOM_BYTES = 64 << 10
"""What is free beside the home."""
PAGE_BYTES = 4096
"""tmpfs gives room by the page (Documentation/filesystems/tmpfs.rst)."""
BALLAST = "ballast"


@contextlib.contextmanager
def small_disk(place: Path, size_bytes: int) -> Iterator[Path]:
    """Mount a file system of this size, in memory."""
    if not whole():
        pytest.skip(WHOLE)
    if os.geteuid():
        pytest.skip("only root may mount a file system")
    place.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes},mode=700", "nightledger-test", str(place)]
    mounted = subprocess.run(command, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"cannot mount a file system here: {mounted.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def used_bytes(root: Path) -> int:
    """Give the room that the files below a directory take, by the page."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return sum(-(-path.stat().st_size // PAGE_BYTES) * PAGE_BYTES for path in files)


# ---------------------------------------------------------------- filled up
def test_a_disk_of_64_kib_that_fills_up_keeps_every_record_that_was_acknowledged(tmp_path: Path) -> None:
    sweep_cases.make_case(sweep_cases.CASES[0], tmp_path / "made")
    with small_disk(tmp_path / "disk", used_bytes(tmp_path / "made") + ROOM_BYTES) as disk:
        root = sweep_cases.copy_case(tmp_path / "made", disk / "made")
        told, refused = _fill(root)
        assert refused.status == 1
        assert "error: " in refused.err
        assert "hint: free some room" in refused.err or "hint: the disk is full" in refused.err
        assert set(told) <= set(sweep_cases.outcome_ids(root))
        assert sweep_cases.run_here(root, "verify").status == 0
        assert disagreement(root, 0) == []
        (disk / BALLAST).unlink()
        assert sweep_cases.run_here(root, *sweep_cases.OUTCOME, "--session", "later").status == 0
        assert set(told) <= set(sweep_cases.outcome_ids(root))
    report(SWEEP, points=len(told) + 1)


def _fill(root: Path) -> tuple[list[str], Ran]:
    """Log until the disk is full; give what was acknowledged, and the refusal."""
    (root.parent / BALLAST).write_bytes(bytes(8192))
    told: list[str] = []
    for number in itertools.count():
        ran = sweep_cases.run_here(root, *sweep_cases.OUTCOME, "--session", f"s{number}", "--note", "n" * 900)
        if ran.status:
            return told, ran
        told += ran.out.split()
    raise AssertionError("unreachable")


# ---------------------------------------------------------------- a few pages left
WORDY = "- " + "Keep the backups of the relay for a month. " * 90
"""An item that takes most of a page."""
LONG = MEMORY.replace("## Lessons\n", f"{WORDY.strip()}\n\n## Lessons\n", 1)
ADDED = "Ask before the relay is started again. " * 60
GROWN = LONG.replace("an upgrade.\n", f"an upgrade.\n- {ADDED.strip()}\n")


def _make_grown(root: Path) -> str:
    desk = make_desk(root, memory=LONG.encode())
    proposal = desk.proposal(addition(ADDED.strip()))
    desk.approve(proposal)
    return proposal.id


GROWING = dataclasses.replace(
    next(case for case in sweep_cases.CASES if case.name == "apply"),
    name="apply, to a page more",
    make=_make_grown,
    memory=(LONG, GROWN),
    told=sweep_cases.holds("Applied change", GROWN),
)
"""What is cut first wants more room anew than the cut gave."""


SWEPT = (*sweep_cases.CASES, GROWING)


@pytest.mark.parametrize("case", SWEPT, ids=lambda case: case.name)
def test_with_any_room_left_a_run_ends_whole_or_is_told_to_have_failed(
    case: sweep_cases.Case, tmp_path: Path
) -> None:
    judge(SWEEP, case.name, with_each_room(case, tmp_path), least=2)


def with_each_room(case: sweep_cases.Case, root: Path) -> Iterator[list[str]]:
    """Run a case with no page left, with one, with two, until all of them go well; give what is wrong after each."""
    place = root / "disk"
    place.mkdir()
    made = sweep_cases.make_case(
        case, place / "made"
    )  # where it says that it lies: a case names its spool by the whole path
    source = Path(shutil.move(place / "made", root / "made"))
    with small_disk(place, 2 * used_bytes(source) + ROOM_BYTES):
        for pages in range(ROOM_BYTES // PAGE_BYTES + 1):
            work = sweep_cases.copy_case(source, place / sweep_cases.WORK)
            _leave(place, pages)
            ran = sweep_cases.run_here(work, *case.words(made))
            (place / BALLAST).unlink()
            found = [] if ran.status == 0 else list(sweep_cases.wrong_about(ran, ""))
            found += sweep_cases.problems(
                case, made, work, ran.out.encode(), sweep_cases.kept_bytes(source), sweep_cases.run_here
            )
            sweep_cases.remove(work)
            yield [f"{pages} pages left: {problem}" for problem in found]


def _leave(place: Path, pages: int) -> None:
    """Fill a disk up to so many pages."""
    (place / BALLAST).touch()
    free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
    (place / BALLAST).write_bytes(bytes(max(0, free - pages * PAGE_BYTES)))


CONTROLS = {
    "failed write ignored": ("log, the first record", "acknowledged and lost"),
    "truncate in place": (GROWING.name, "MEMORY.md is torn"),
    "log after apply": ("archive", f"{ARCHIVE} is not as the command leaves it"),
}
"""Faults that are planted, each with a command that shows it and what is said then; no sync fails here."""


@pytest.mark.parametrize("control", CONTROLS)
def test_a_planted_fault_is_found_by_a_full_disk(control: str, tmp_path: Path) -> None:
    name, telling = CONTROLS[control]
    (case,) = (case for case in SWEPT if case.name == name)
    with planted(control):
        found = any(telling in problem for found in with_each_room(case, tmp_path) for problem in found)
    judge_control(SWEEP, control, found)

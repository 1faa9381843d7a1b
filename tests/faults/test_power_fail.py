"""Take the power from ext4 and XFS while a command runs (make test-faults, root).

``FS_IOC_SHUTDOWN`` (include/uapi/linux/fs.h; ext4, XFS and others) stops a file system where it is:
nothing more reaches its device. Mounted again, it holds what a power cut would have left.
"""

import fcntl
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import pytest
from tests.faults.sweep_cases import CASES, Case, copy_case, kept_bytes, make_case, problems, remove, run_here
from tests.faults.sweep_report import judge, judge_control
from tests.faults.sweep_strace import KILL, WAIT_S, Point, Program, broken_off, trace

SHUTDOWN = 0x8004587D
SIZE_BYTES = 320 << 20
"""XFS wants 300 MB; the file is sparse."""
OPTIONS = {"ext4": "loop,noauto_da_alloc,commit=300", "xfs": "loop"}
"""ext4 would else put bytes on disk before a rename of its own accord, and its journal every 5 s."""
_TRIES = 50


class Cut(IntEnum):
    """How the file system goes down."""

    WITH_LOG = 1
    """The journal is written out first: names may be newer than bytes."""
    WITHOUT_LOG = 2
    """Nothing is written any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerDisk:
    """One file system, and where it is mounted."""

    kind: str
    image: Path
    place: Path

    def make(self) -> None:
        """Make it new and mount it."""
        self.place.mkdir()
        with self.image.open("wb") as stream:
            stream.truncate(SIZE_BYTES)
        run(f"mkfs.{self.kind}", "-q", str(self.image))
        self.mount()

    def mount(self) -> None:
        """Mount it; what a cut left in its journal is carried out."""
        run("mount", "-t", self.kind, "-o", OPTIONS[self.kind], str(self.image), str(self.place))

    def unmount(self) -> None:
        """Unmount it, once nobody uses it any more."""
        for _ in range(_TRIES):
            if subprocess.run(["umount", str(self.place)], capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.1)
        run("umount", str(self.place))

    def cut(self, how: Cut) -> None:
        """Take the power."""
        descriptor = os.open(self.place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", how))
        finally:
            os.close(descriptor)

    def restart(self) -> None:
        """Mount it again after a cut."""
        self.unmount()
        self.mount()

    def settle(self) -> None:
        """Put all that it holds on disk: from here on what is lost is the program's."""
        run("sync", "-f", str(self.place))


def run(*command: str) -> None:
    """Run a system command.

    Raises:
        AssertionError: It failed.
    """
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{' '.join(command)}: {ran.stderr}"


def why_no_disk(kind: str) -> str:
    """Say why no such file system can be mounted here; empty where it can."""
    if os.geteuid() or not os.path.exists("/dev/loop-control"):
        return "only root, on Linux with loop devices, may mount a file system"
    return "" if shutil.which(f"mkfs.{kind}") else f"mkfs.{kind} is not installed"


SWEEP = "power failures on ext4 and XFS"
KINDS = ("ext4", "xfs")
CONTROLS = ("no fsync", "truncate in place", "log after apply")
"""On both file systems a sync of any file puts every name made before on disk too, so that a missing sync
of a directory hardly shows: the model of the disk finds that one."""
MOMENTS = 40


@pytest.fixture
def disk(program: Program, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PowerDisk]:
    del program  # first of all it says whether anything can be tried here
    if missing := why_no_disk(request.param):
        pytest.skip(missing)
    disk = PowerDisk(kind=request.param, image=tmp_path / "image", place=tmp_path / "disk")
    disk.make()
    yield disk
    disk.unmount()


class Trial:
    """A case on a disk: run, cut, mounted again, looked at."""

    def __init__(self, program: Program, case: Case, disk: PowerDisk, control: str = "") -> None:
        self.program, self.case, self.disk, self.control = program, case, disk, control
        self.source = disk.place / "made"
        self.made = make_case(case, self.source)
        self.work = disk.place / "work"
        self.points = trace(program, case, self.made, self.fresh(), control)
        remove(self.work)

    def fresh(self) -> Path:
        """Give a home of its own, all of it on disk."""
        copy_case(self.source, self.work)
        self.disk.settle()
        return self.work

    def after(self, said: str) -> list[str]:
        """Mount the disk again after the power was taken, and look."""
        self.disk.restart()
        found = problems(self.case, self.made, self.work, said.encode(), kept_bytes(self.source), run_here)
        remove(self.work)
        return found

    def at_call(self, point: Point, how: Cut) -> list[str]:
        """Kill the command at a call, and take the power."""
        work = self.fresh()
        ran = broken_off(self.program, self.case, self.made, work, point, how=KILL, control=self.control)
        self.disk.cut(how)
        return [
            f"{point.call} {point.number} {point.shown}, {how!r}: {found}" for found in self.after(ran.out)
        ]

    def at_time(self, delay_s: float, how: Cut) -> list[str]:
        """Take the power while the command runs; it goes on without a disk."""
        work = self.fresh()
        argv = self.program.argv(self.case, self.made, work, self.control)
        with subprocess.Popen(
            argv, env=dict(self.program.environment(work)), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        ) as running:  # fmt: skip
            time.sleep(delay_s)
            self.disk.cut(how)
            out, err = running.communicate(timeout=WAIT_S)
        wrong = [] if running.returncode in (0, 1) else [f"it ended with {running.returncode}: {err}"]
        return [f"after {delay_s:.3f} s, {how!r}: {found}" for found in [*wrong, *self.after(out)]]

    def done(self, how: Cut) -> list[str]:
        """Let the command end, and take the power at once."""
        work = self.fresh()
        ran = self.program.run(
            self.program.argv(self.case, self.made, work, self.control), self.program.environment(work)
        )
        self.disk.cut(how)
        wrong = [] if ran.status == 0 else [f"it ended with {ran.status}: {ran.err}"]
        return [f"directly after the run, {how!r}: {found}" for found in [*wrong, *self.after(ran.out)]]

    def everywhere(self) -> Iterator[list[str]]:
        """Take the power at each call, the two ways by turns, and after the run both ways."""
        for how in Cut:
            yield self.done(how)
        for index, point in enumerate(self.points):
            yield self.at_call(point, list(Cut)[(index + KINDS.index(self.disk.kind)) % len(Cut)])


@pytest.mark.parametrize("disk", KINDS, indirect=True)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_power_failure_at_any_call_loses_nothing(case: Case, disk: PowerDisk, program: Program) -> None:
    results = Trial(program, case, disk).everywhere()
    judge(SWEEP, f"{disk.kind}, {case.name}", results)


@pytest.mark.parametrize("disk", KINDS, indirect=True)
def test_a_power_failure_at_any_moment_loses_nothing(disk: PowerDisk, program: Program) -> None:
    (case,) = (case for case in CASES if case.name == "apply")
    trial = Trial(program, case, disk)
    started = time.monotonic()
    assert not trial.done(Cut.WITHOUT_LOG)
    whole_s = time.monotonic() - started
    results = [trial.at_time(whole_s * n / MOMENTS, list(Cut)[n % len(Cut)]) for n in range(1, MOMENTS + 1)]
    judge(SWEEP, f"{disk.kind}, by time", results)


@pytest.mark.parametrize("disk", KINDS, indirect=True)
@pytest.mark.parametrize("control", CONTROLS)
def test_a_planted_fault_is_found_by_a_power_failure(control: str, disk: PowerDisk, program: Program) -> None:
    (case,) = (case for case in CASES if case.name == "apply")
    trial = Trial(program, case, disk, control)
    judge_control(SWEEP, f"{disk.kind}, {control}", any(trial.everywhere()))

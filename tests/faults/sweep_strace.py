"""Run the real command line under strace, break it off at one of its system calls, and look.

strace counts calls by name, so a point is a name and a number. The program is copied first and
compiled, with hashing and paths fixed: every run then makes the same calls in the same order.
"""

import compileall
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.sweep_cases import (
    NOW,
    Case,
    copy_case,
    kept_bytes,
    make_case,
    problems,
    remove,
    run_here,
    wrong_about,
)

from nightledger.demo.shell import Ran

CHECKOUT = Path(__file__).resolve().parents[2]
PROGRAM = ("scripts", "config", "schemas", "tests/faults/controls.py")
CALLS = (
    "openat", "write", "pwrite64", "writev", "fsync", "fdatasync", "sync_file_range", "rename", "renameat",
    "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "ftruncate", "truncate",
    "chmod", "fchmod", "fchmodat", "chown", "fchown", "utimensat", "symlink", "fallocate", "flock",
)  # fmt: skip
"""Every call that changes a file or directory, and flock; which of them a run makes, its trace tells."""
LINE = re.compile(r"^(?:\[pid +)?(?P<pid>\d+)?\]? *(?P<call>\w+)\((?P<words>.*)$")
WAIT_S = 300
KILL, KILLED = "signal=SIGKILL", 128 + 9
INTERRUPTED = "error=EINTR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A system call of a run.

    Attributes:
        call: Its name.
        number: Which of that name, from 1.
        shown: How strace shows it.
    """

    call: str
    number: int
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A copy of the program, and how it is called on the home of a case."""

    folder: Path

    def argv(self, case: Case, made: str, root: Path, control: str = "") -> list[str]:
        """Give the command line of a case."""
        planted = ["tests/faults/controls.py", control] if control else ["scripts/command.py"]
        words = [*case.words(made), "--home", str(root / "home"), "--now", NOW.isoformat()]
        return [sys.executable, "-B", str(self.folder / planted[0]), *planted[1:], *words]

    def environment(self, root: Path) -> Mapping[str, str]:
        """Give the environment: keys, and nothing that differs from run to run."""
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{self.folder / 'scripts'}:{self.folder}",
            "PYTHONHASHSEED": "0",
            "NIGHTLEDGER_KEYS": str(root / "keys"),
            "LANG": "C.UTF-8",
        }

    def run(self, argv: Sequence[str], environment: Mapping[str, str]) -> Ran:
        """Run a command; the status is 128 and the signal's number where it was killed."""
        ran = subprocess.run(
            argv, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        status = ran.returncode if ran.returncode >= 0 else 128 - ran.returncode
        return Ran(words=tuple(argv), status=status, out=ran.stdout, err=ran.stderr)


def why_not() -> str:
    """Say why no program can be traced here; empty where it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    probe = subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if probe.returncode == 0 else f"strace may not trace here: {probe.stderr.decode().strip()}"


def copy_program(folder: Path) -> Program:
    """Copy the program as it is now, so that nobody's editing changes it during a sweep."""
    for name in PROGRAM:
        source, target = CHECKOUT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    compileall.compile_dir(folder, quiet=2)
    return Program(folder=folder)


def trace(program: Program, case: Case, made: str, root: Path, control: str = "") -> list[Point]:
    """Run a case whole; give its calls that change something below ``root``."""
    log = root.with_name("trace")
    argv = ["strace", "-f", "-qq", "-y", "-s", "16", "-o", str(log), "-e", f"trace={','.join(CALLS)}"]
    ran = program.run([*argv, *program.argv(case, made, root, control)], program.environment(root))
    assert ran.status == 0, ran.err
    lines = log.read_text(errors="replace").splitlines()
    first = lines[0].split(maxsplit=1)[0]
    counts: Counter[str] = Counter()
    points = []
    for line in lines:
        found = LINE.match(line)
        if found is None or found["pid"] != first:
            continue  # another thread of the process; it does not touch files
        counts[found["call"]] += 1
        if str(root) in line and _changes(found["call"], line):
            shown = line.replace(str(root), "").split(maxsplit=1)[1]
            points.append(Point(call=found["call"], number=counts[found["call"]], shown=shown))
    return points


def _changes(call: str, line: str) -> bool:
    return (
        call != "openat" or "O_CREAT" in line or "O_TRUNC" in line or "O_WRONLY" in line or "O_RDWR" in line
    )


def broken_off(
    program: Program, case: Case, made: str, root: Path, point: Point, *, how: str, control: str = ""
) -> Ran:
    """Run a case and let one call meet something: ``signal=SIGKILL`` or ``error=ENOSPC``.

    Raises:
        AssertionError: The run did not come to that call: it is not the one that was traced.
    """
    log = root.with_name("trace")
    inject = f"inject={point.call}:{how}:when={point.number}"
    argv = ["strace", "-f", "-qq", "-y", "-s", "16", "-o", str(log)]
    argv += ["-e", f"trace={point.call}", "-e", inject]
    ran = program.run([*argv, *program.argv(case, made, root, control)], program.environment(root))
    met = "= ?" if "SIGKILL" in how else "(INJECTED)"
    lines = [line for line in log.read_text(errors="replace").splitlines() if met in line]
    assert lines, f"{point} was not met: {ran.status} {ran.err}"
    assert str(root) in lines[0], f"{point} was to be met, and this was: {lines[0]}"
    return ran


def points_of(program: Program, case: Case, root: Path, control: str = "") -> tuple[str, list[Point]]:
    """Make the home of a case in ``root/made``; return what must be said there, and the calls of a whole run."""
    made = make_case(case, root / "made")
    found = trace(program, case, made, copy_case(root / "made", root / "work"), control)
    remove(root / "work")
    return made, found


def met(
    program: Program, case: Case, made: str, root: Path, point: Point, *, how: str, control: str = ""
) -> list[str]:
    """Let a call meet something, run the command again, and name what is wrong."""
    work = copy_case(root / "made", root / "work")
    ran = broken_off(program, case, made, work, point, how=how, control=control)
    if how == KILL:
        found = [] if ran.status == KILLED else [f"it was not killed: {ran.status}"]
    elif how == INTERRUPTED and ran.status == 0:
        found = []
    else:  # of the path it matters only whether anybody needs what lies there
        found = list(
            wrong_about(ran, "home/.nightledger/" if "/home/.nightledger/" in point.shown else point.shown)
        )
    found += problems(case, made, work, ran.out.encode(), kept_bytes(root / "made"), run_here)
    remove(work)
    return [f"{point.call} {point.number} {point.shown}, {how}: {problem}" for problem in found]

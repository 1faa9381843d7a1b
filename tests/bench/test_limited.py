import os
import sys
import threading
import time
from pathlib import Path

import pytest
from bench.limited import End, Limits, Runner

WIDE = Limits(memory_bytes=2 << 30, cpu_s=30, wall_s=30)
LEAVES_A_CHILD = """
import os, sys, time
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, b"x")
    time.sleep(600)
os.read(read, 1)
print(os.getpgrp(), flush=True)
"""


def run(tmp_path: Path, program: str, limits: Limits = WIDE, runner: Runner | None = None) -> tuple[End, str]:
    output = tmp_path / "output"
    end = (runner or Runner()).run(
        [sys.executable, "-c", program],
        folder=tmp_path,
        environment={"NAMED": "here"},
        limits=limits,
        output=output,
    )
    return end, output.read_text()


def test_a_program_runs_in_its_folder_and_its_end_is_told(tmp_path: Path) -> None:
    end, said = run(tmp_path, "import os; print(os.getcwd(), os.environ['NAMED'])")
    assert (end, said) == (End.PASSED, f"{tmp_path} here\n")
    assert run(tmp_path, "raise SystemExit(3)")[0] is End.FAILED


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no limit of address space")
def test_what_asks_for_too_much_memory_fails(tmp_path: Path) -> None:
    limits = Limits(memory_bytes=256 << 20, cpu_s=30, wall_s=30)
    end, said = run(tmp_path, "b'x' * (512 << 20)", limits)
    assert end is End.FAILED
    assert "MemoryError" in said


def test_what_spins_is_stopped_by_its_time(tmp_path: Path) -> None:
    end, _ = run(tmp_path, "while True: pass", Limits(memory_bytes=1 << 30, cpu_s=1, wall_s=30))
    assert end is End.LIMIT


def is_empty(group: int) -> bool:
    """Tell whether a process group has no member that still runs; the dead may wait to be reaped."""
    states = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            states.append(fields[0])
    return all(state in "ZX" for state in states)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("after", ["", "time.sleep(600)"])
def test_nothing_of_it_runs_on(tmp_path: Path, after: str) -> None:
    end, said = run(tmp_path, LEAVES_A_CHILD + after, Limits(memory_bytes=1 << 30, cpu_s=30, wall_s=2))
    assert end is (End.LIMIT if after else End.PASSED)
    assert int(said) != os.getpgrp()
    looks = 0
    while not is_empty(int(said)):  # the kernel takes a moment
        looks += 1
        assert looks < 1000
        time.sleep(0.01)


def test_a_stopped_runner_ends_what_runs_and_starts_nothing(tmp_path: Path) -> None:
    runner = Runner()
    ends: list[End] = []
    pipe = tmp_path / "started"
    os.mkfifo(pipe)
    program = f"open({str(pipe)!r}, 'w').close(); import time; time.sleep(600)"
    thread = threading.Thread(target=lambda: ends.append(run(tmp_path, program, runner=runner)[0]))
    thread.start()
    pipe.read_text()
    runner.stop()
    thread.join(20)
    assert ends == [End.FAILED]
    assert run(tmp_path, "print('never')", runner=runner) == (End.FAILED, "")

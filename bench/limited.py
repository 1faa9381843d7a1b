"""Run a program under limits of memory and time, and end it wholly.

Invariant: when ``Runner.run`` returns, or ``Runner.stop`` was called, all of the program's
process group has been killed.
"""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

_KIBIBYTE = 1024
_SHELL = 'ulimit -v "$1" 2>/dev/null; ulimit -S -t "$2"; shift 2; exec nice -n 10 "$@"'
"""macOS knows no limit of address space; there only time is limited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program may use.

    Attributes:
        memory_bytes: Address space of each of its processes.
        cpu_s: Processor time of each of its processes.
        wall_s: Time until all of them are killed.
    """

    memory_bytes: int
    cpu_s: int
    wall_s: int


class End(StrEnum):
    """How a program ended."""

    PASSED = "passed"
    FAILED = "failed"
    LIMIT = "out of time"


class Runner:
    """Runs programs, several at a time from as many threads, until it is stopped."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal may come while this thread holds it, and stop
        self._children: set[int] = set()
        self._stopped = False

    def run(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        limits: Limits,
        output: Path,
    ) -> End:
        """Run a program in a process group of its own and wait for it.

        Args:
            command: Program and arguments.
            folder: Where it runs.
            environment: Added to ours.
            limits: What it may use.
            output: File that takes what it prints.
        """
        with output.open("wb") as sink, self._lock:
            if self._stopped:
                return End.FAILED
            child = _start(command, folder, {**os.environ, **environment}, limits, sink)
            self._children.add(child.pid)
        try:
            child.wait(limits.wall_s)
        except subprocess.TimeoutExpired:
            return End.LIMIT
        finally:
            with self._lock:
                self._children.discard(child.pid)
                _kill_group(child.pid)
            child.wait()
        if child.returncode in {-signal.SIGXCPU, 128 + signal.SIGXCPU}:
            return End.LIMIT
        return End.FAILED if child.returncode else End.PASSED

    def stop(self) -> None:
        """Kill all that runs, and start nothing more."""
        with self._lock:
            self._stopped = True
            for pid in self._children:
                _kill_group(pid)


def _start(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], limits: Limits, sink: BinaryIO
) -> "subprocess.Popen[bytes]":
    shell = ["/bin/sh", "-c", _SHELL, "limited", str(limits.memory_bytes // _KIBIBYTE), str(limits.cpu_s)]
    return subprocess.Popen(
        [*shell, *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=sink,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)

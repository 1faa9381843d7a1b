"""The command line in tests: in this process, or on a pseudo-terminal in a process of its own."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.gate.homes import Desk

from nightledger.demo.shell import Ran, Shell
from nightledger.surfaces import cli

WAIT_S = 60.0
"""Far more than any answer takes; reached only when a prompt never comes."""


@dataclass(slots=True, kw_only=True)
class Console:
    """A home and what a person or a script does with it."""

    desk: Desk

    def run(self, *words: str, stdin: str = "", typed: Sequence[str] | None = None) -> Ran:
        """Run a command at the desk's time; ``typed`` lines come from a person at a terminal."""
        shell = Shell(home=self.desk.memory.parent, keys=self.desk.ring.directory)
        return shell.run(*words, now=self.desk.moment.at, stdin=stdin, typed=typed)

    def out(self, *words: str, typed: Sequence[str] | None = None) -> str:
        """Run a command that succeeds, and give what it printed."""
        ran = self.run(*words, typed=typed)
        assert ran.status == 0, ran.err
        return ran.out

    def record(self, *words: str) -> Any:
        """Run a command with ``--json`` and give the document, whatever its status."""
        return json.loads(self.run(*words, "--json").out)

    def terminal(self, *words: str, columns: int = 80) -> "Terminal":
        """Start a command on a pseudo-terminal."""
        argv = [*words, "--home", self.desk.home.root, "--now", self.desk.moment.at.isoformat()]
        return Terminal.start(argv, columns)


@dataclass(slots=True, kw_only=True)
class Terminal:
    """A command at work on a pseudo-terminal."""

    process: int
    descriptor: int
    seen: str = ""
    read_to: int = 0
    typed: list[str] = field(default_factory=list)

    @classmethod
    def start(cls, argv: list[str], columns: int) -> "Terminal":
        process, descriptor = pty.fork()
        if process == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            for name in ("COLUMNS", "LINES", "NO_COLOR"):
                os.environ.pop(name, None)
            _become(argv)
        return cls(process=process, descriptor=descriptor)

    def expect(self, text: str) -> str:
        """Wait for a text; give what came before it."""
        deadline = time.monotonic() + WAIT_S
        while (at := self.seen.find(text, self.read_to)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not come in {self.seen!r}"
            assert self._read(), f"it ended before {text!r}: {self.seen!r}"
        before = self.seen[self.read_to : at]
        self.read_to = at + len(text)
        return before

    def type(self, *lines: str) -> "Terminal":
        """Type lines, each with its Enter."""
        for line in lines:
            os.write(self.descriptor, f"{line}\n".encode())
        return self

    def end(self) -> int:
        """Wait for the command's end; give its exit status."""
        while self._read():
            pass
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def rows(self) -> list[str]:
        """Give what stands on the screen, without colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.seen).replace("\r\n", "\n").split("\n")

    def _read(self) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], WAIT_S)
        chunk = b""
        with contextlib.suppress(OSError):  # Linux: EIO when the other side has closed
            chunk = os.read(self.descriptor, 65536) if ready else b""
        self.seen += chunk.decode("utf-8", "replace")
        return bool(chunk)


def _become(argv: list[str]) -> None:
    import sys

    status = 99
    try:
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - until exit
        status = cli.main(argv)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)

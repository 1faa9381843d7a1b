"""The command on a pseudo-terminal, as a fork of this process, with a person's keys."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Mapping

from tests.blackbox.world import PROGRAM, become

WAIT_S = 60.0
"""Far more than any answer takes; reached only when a prompt never comes."""


class Terminal:
    """A command at work; ``seen`` is all that it has shown."""

    def __init__(self, *words: str, env: Mapping[str, str], columns: int = 80) -> None:
        self.seen, self._read_to = "", 0
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            become((sys.executable, str(PROGRAM), *words), env)

    def expect(self, *texts: str) -> None:
        """Wait until each text came behind the one before."""
        deadline = time.monotonic() + WAIT_S
        for text in texts:
            while (at := self.seen.find(text, self._read_to)) < 0:
                assert time.monotonic() < deadline, f"{text!r} did not come in {self.seen!r}"
                assert self._read(), f"it ended before {text!r}: {self.seen!r}"
            self._read_to = at + len(text)

    def type(self, *lines: str) -> None:
        """Type lines, each with its Enter."""
        os.write(self.descriptor, "".join(f"{line}\n" for line in lines).encode())

    def end(self) -> int:
        """Wait for the end; give the exit status."""
        while self._read():
            pass
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def rows(self) -> list[str]:
        """Give what stands on the screen, without colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.seen).split("\n")

    def _read(self) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], WAIT_S)
        chunk = b""
        with contextlib.suppress(OSError):  # Linux: EIO when the other side has closed
            chunk = os.read(self.descriptor, 65536) if ready else b""
        self.seen += chunk.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(chunk)

"""A host at a terminal, with a person's keys."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

WAIT_S = 60.0
"""Far more than any screen takes."""
DOWN, ENTER = b"\x1b[B", b"\r"
_CONTROL = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b[=>78M]|\x1b\(B")
_QUERIES = {
    b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?1;2c", b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}  # fmt: skip
"""What a program asks of its terminal, and what a dark one answers."""


@dataclass(slots=True)
class Keyboard:
    """A host at work.

    Attributes:
        descriptor: The terminal's other side.
        wait_s: How long anything is waited for.
        seen: What it has shown so far.
        has_ended: Whether it has closed its side.
    """

    descriptor: int
    wait_s: float = WAIT_S
    seen: bytes = b""
    has_ended: bool = False

    def press(self, *keys: bytes) -> None:
        """Press keys, with the time between them that a person takes."""
        for key in keys:
            self.watch(0.5)
            os.write(self.descriptor, key)

    def expect(self, text: str) -> None:
        """Wait until a text stands on the screen, however it is spaced."""
        wanted = "".join(text.split())
        self.until(lambda: wanted in "".join(_CONTROL.sub(b"", self.seen).decode(errors="replace").split()))

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        end = time.monotonic() + self.wait_s
        while not holds():
            assert time.monotonic() < end, _CONTROL.sub(b" ", self.seen)[-3000:].decode(errors="replace")
            self.watch(0.1)

    def watch(self, seconds: float) -> None:
        """Look at the screen for a while, and answer what the program asks of a terminal."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.descriptor], [], [], left)
            shown = b""
            with suppress(OSError):  # Linux: EIO when the other side has closed
                shown = os.read(self.descriptor, 65536) if ready else b""
            if ready and not shown:
                self.has_ended = True
                return
            self.seen += shown
            for query, answer in _QUERIES.items():
                if query in shown:
                    os.write(self.descriptor, answer)


@contextmanager
def at_keyboard(
    argv: Sequence[str], cwd: Path, environment: Mapping[str, str], *, wait_s: float = WAIT_S
) -> Iterator[Keyboard]:
    """Start a host on a terminal of 120 columns; it ends with the block."""
    process, descriptor = pty.fork()
    if process == 0:
        try:
            os.chdir(cwd)
            os.execve(argv[0], list(argv), {**environment, "TERM": "xterm-256color"})  # noqa: S606 - no shell is wanted
        finally:
            os._exit(99)
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    keyboard = Keyboard(descriptor, wait_s)
    try:
        yield keyboard
    finally:
        if not keyboard.has_ended:
            os.kill(process, signal.SIGTERM)
            keyboard.watch(0.5)
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(descriptor)

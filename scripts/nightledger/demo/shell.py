"""Call the real command line in this process, as a user would call it in theirs, and tell it, readable in 80 columns.

Invariant: a call sees only its own standard streams and the demo's key folder; both are put back afterwards, so that
nothing of the user's is read or changed. What a command printed is shown whole or with the number of lines left out,
never reworded, and plain where the output is not a terminal.
"""

import contextlib
import io
import itertools
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO, cast

from msgspec import Struct

from nightledger.surfaces import cli

WIDTH = 80


class Narrator:
    """Writes to one stream."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``."""
        self._stream = stream

    def heading(self, text: str) -> None:
        """Begin a part of the walk."""
        self._write("")
        self._write(f"# {text}")

    def say(self, text: str) -> None:
        """Say a paragraph."""
        self._write(textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False))

    def item(self, label: str, text: str, *, width: int = 23) -> None:
        """Say one line of a list: a label, then text, cut to one line of the page."""
        line = f"  {label:<{width}} {text}".rstrip()
        self._write(line if len(line) <= WIDTH else line[: WIDTH - 3] + "...")

    def command(self, words: tuple[str, ...]) -> None:
        """Show a command before what it said."""
        self._write("")
        self._fold("$ nightledger " + " ".join(words))

    def output(self, text: str, *, limit: int = 40, tail: int = 0) -> None:
        """Show what a command printed, folded to the width: ``limit`` lines of it and the last ``tail``."""
        lines = text.rstrip("\n").split("\n") if text.strip() else []
        left_out = len(lines) - limit - tail
        for number, line in enumerate(lines):
            if left_out <= 0 or number < limit or number >= limit + left_out:
                self._fold(line)
            elif number == limit:
                self._write(f"  ... {left_out} more lines ...")

    def _fold(self, line: str) -> None:
        """Write a line, broken at the width where there is a blank."""
        self._write(textwrap.fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False))

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")


class Ran(Struct, frozen=True, kw_only=True):
    """One finished command.

    Attributes:
        words: The verb and its arguments, without ``--home`` and ``--now``.
        status: Exit status.
        out: Standard output.
        err: Standard error.
    """

    words: tuple[str, ...]
    status: int
    out: str
    err: str


class Shell(Struct, frozen=True, kw_only=True):
    """A home and its keys, and the way to call ``nightledger`` on them.

    Attributes:
        home: The home.
        keys: The folder of its keys.
    """

    home: Path
    keys: Path

    @property
    def host(self) -> Path:
        """Claude Code's own directory in this world."""
        return self.keys / "claude"

    def run(self, *words: str, now: datetime, stdin: str = "", typed: Sequence[str] | None = None) -> Ran:
        """Run one command at the simulated time ``now`` and give what it said.

        Args:
            words: The verb and its arguments.
            now: The time it is, aware.
            stdin: What it may read.
            typed: Lines that a person types instead, on a terminal 80 columns wide; they
                are echoed into the output as a terminal would.
        """
        argv = [*words, "--home", str(self.home), "--now", now.isoformat()]
        screen = {"COLUMNS": str(WIDTH), "LINES": os.environ.get("LINES", "24"), "NO_COLOR": "1"}
        given = {"NIGHTLEDGER_KEYS": str(self.keys), "CLAUDE_CONFIG_DIR": str(self.host), **screen}
        with _streams(stdin, typed) as (out, err), _environment(given):
            try:
                status = cli.main(argv)
            except SystemExit as leaving:  # argparse ends so on a wrong option
                status = leaving.code if isinstance(leaving.code, int) else 1
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(words=words, status=status, out=_text(out), err=_text(err))

    def on(self, home: Path) -> "Shell":
        """Give the shell of another home with the same keys."""
        return Shell(home=home, keys=self.keys)


class _Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:  # type: ignore[explicit-override]  # typing.override is newer than Python 3.11
        return True


class _Keyboard:
    """What a person types: each line that is read appears on the screen."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = iter(lines)

    def isatty(self) -> bool:
        return True

    def readline(self, _size: int = -1, /) -> str:
        line = "".join(f"{line}\n" for line in itertools.islice(self._lines, 1))
        sys.stdout.write(line)
        return line


@contextlib.contextmanager
def _streams(stdin: str, typed: Sequence[str] | None) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    kind = io.TextIOWrapper if typed is None else _Terminal
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    sys.stdin = given if typed is None else cast("TextIO", _Keyboard(typed))
    sys.stdout = kind(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextlib.contextmanager
def _environment(given: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _text(stream: io.BytesIO) -> str:
    return stream.getvalue().decode("utf-8", "replace")

"""Tell the walk: headings, prose and commands, readable in 80 columns.

Invariant: plain text when the output is not a terminal; what a command printed is shown
whole or with the number of lines left out, never reworded.
"""

import re
import textwrap
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 80
_CHANGE = re.compile(r"^(?=\[\d+/\d+\] )", re.MULTILINE)
"""Before each change of a review."""
_ANSWERED = re.compile(r"(.* quit > [^\n]*\n(?: *reason > [^\n]*\n)?)(.*)", re.DOTALL)
"""The last change with its answer, then how the review ended."""
_STYLES = {"+": "green", "-": "red", "@": "cyan", "$": "bold", "#": "bold magenta"}


class Narrator:
    """Writes to one stream; colours only on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``; rich is imported only where it is a terminal."""
        self._stream = stream
        self._console = _console(stream) if stream.isatty() else None

    def heading(self, text: str) -> None:
        """Begin a part of the walk."""
        self._write("")
        self._write(f"# {text}", "#")

    def say(self, text: str) -> None:
        """Say a paragraph."""
        for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False):
            self._write(line)

    def item(self, label: str, text: str) -> None:
        """Say one line of a list: a label, then text, cut to one line of the page."""
        line = " ".join(f"  {label:<23} {text}".rstrip().splitlines())
        self._write(line if len(line) <= WIDTH else line[: WIDTH - 3] + "...")

    def command(self, words: tuple[str, ...], note: str = "") -> None:
        """Show a command before what it said."""
        self._write("")
        line = "$ nightledger " + " ".join(words)
        self._fold(line if not note else f"{line}   ({note})", "$")

    def output(self, text: str, *, limit: int = 40, tail: int = 0) -> None:
        """Show what a command printed, folded to the width: ``limit`` lines of it and the last ``tail``."""
        lines = text.rstrip("\n").split("\n") if text.strip() else []
        left_out = len(lines) - limit - tail
        if left_out <= 0:
            limit, tail = len(lines), 0
        for line in lines[:limit]:
            self._fold(line)
        if left_out > 0:
            self._write(f"  ... {left_out} more lines ...")
        for line in lines[len(lines) - tail :]:
            self._fold(line)

    def questions(self, text: str, *, limit: int) -> None:
        """Show a review: whole changes within ``limit`` lines, how many more were asked, and its end."""
        head, *changes = _CHANGE.split(text)
        last = _ANSWERED.match(changes[-1]) if changes else None
        if last is None:
            self.output(text, limit=limit)
            return
        changes[-1], end = last.groups()
        shown = _whole(changes, limit - head.count("\n"))
        self.output(head + "".join(changes[:shown]), limit=limit)
        if shown < len(changes):
            self._write(f"  ... and {len(changes) - shown} more, each asked in the same way ...")
        self.output(end)

    def _fold(self, line: str, kind: str = "") -> None:
        kind = kind or (line[:1] if line[:1] in "+-@" else "")
        rest = line
        while len(rest) > WIDTH:
            space = rest.rfind(" ", WIDTH // 2, WIDTH)
            cut = space + 1 or WIDTH
            self._write(rest[:cut].rstrip(), kind)
            rest = "    " + rest[cut:]
        self._write(rest, kind)

    def _write(self, line: str, kind: str = "") -> None:
        if self._console is None:
            self._stream.write(line + "\n")
            return
        from rich.text import Text

        self._console.print(Text(line, style=_STYLES.get(kind, "")))


def _whole(changes: list[str], limit: int) -> int:
    """Count the first changes that fit into ``limit`` lines, at least one."""
    for number in range(1, len(changes)):
        if sum(change.count("\n") for change in changes[: number + 1]) > limit:
            return number
    return len(changes)


def _console(stream: TextIO) -> "Console":
    from rich.console import Console

    return Console(file=stream, highlight=False, soft_wrap=True)

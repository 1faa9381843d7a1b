"""Tell the walk: headings, prose and commands, readable in 80 columns.

Invariant: plain text when the output is not a terminal; what a command printed is shown
whole or with the number of lines left out, never reworded.
"""

import os
import textwrap
from typing import TextIO

WIDTH = 80
# By the first character of a line: green, red, cyan, bold, magenta (ECMA-48, select graphic rendition).
_COLOURS = {"+": 32, "-": 31, "@": 36, "$": 1, "#": 35}


class Narrator:
    """Writes to one stream; colours only on a terminal, and where NO_COLOR does not say otherwise."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``."""
        self._stream = stream
        self._coloured = stream.isatty() and not os.environ.get("NO_COLOR")

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

    def questions(self, text: str) -> None:
        """Show a review: its first change with the answer, and how it ended."""
        first, more, _ = text.partition("\n[2/")
        self.output(first)
        if more:
            self._write("  ... the others are asked in the same way ...")
            self.output(text.rpartition(" quit > ")[2].partition("\n")[2])

    def _fold(self, line: str) -> None:
        while len(line) > WIDTH:
            cut = line.rfind(" ", WIDTH // 2, WIDTH) + 1 or WIDTH
            self._write(line[:cut].rstrip())
            line = "    " + line[cut:]
        self._write(line)

    def _write(self, line: str) -> None:
        colour = _COLOURS.get(line[:1]) if self._coloured else None
        self._stream.write(f"\x1b[{colour}m{line}\x1b[0m\n" if colour else f"{line}\n")

"""A file while it is written: lines, and on which of them the planted sentences stand."""

import re
from dataclasses import dataclass

from bench.worlds.plot import Mark

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A planted sentence and where it came to stand."""

    mark: Mark
    path: str
    line: int
    text: str


class Page:
    """Collects lines; a line number counts from 1."""

    def __init__(self, path: str) -> None:
        """Start an empty file at ``path``, relative to the home."""
        self.path = path
        self.marked: list[Marked] = []
        self._lines: list[str] = []

    def add(self, line: str = "", mark: Mark | None = None, text: str = "") -> None:
        """Append one line; ``text`` is the planted sentence within it, where there is a mark."""
        self._lines.append(line)
        if mark is not None:
            found = Marked(mark=mark, path=self.path, line=len(self._lines), text=text)
            self.marked.append(found)

    def gap(self) -> None:
        """Append an empty line, unless the last one is."""
        if self._lines and self._lines[-1]:
            self.add()

    def content(self) -> str:
        """Give the file's text, each line closed."""
        return "".join(f"{line}\n" for line in self._lines)


def slug(title: str) -> str:
    """Give the anchor of a heading: lower case, words joined by ``-``."""
    return _NOT_SLUG.sub("-", title.lower()).strip("-")

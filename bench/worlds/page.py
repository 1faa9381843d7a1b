"""A file while it is written."""

import re

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


class Page:
    """Collects lines."""

    def __init__(self, path: str) -> None:
        """Start an empty file at ``path``, relative to the home."""
        self.path = path
        self._lines: list[str] = []

    def add(self, line: str = "") -> None:
        """Append one line."""
        self._lines.append(line)

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

"""A leaked text and the forms in which files hold it.

Invariant: a form is whole: where the text has several lines, each line that is long enough
is looked for by itself, because diffs and lists break lines apart.
"""

import json

from msgspec import Struct

from nightledger.domain.errors import UsageError

LEAST_CHARACTERS = 6
"""A shorter text stands in too many places that have nothing to do with it. Our choice."""


class Needle(Struct, frozen=True):
    """What must go.

    Attributes:
        forms: Bytes to look for: as text, and as JSON writes it; the longest first.
        lines: Its lines that are long enough; all of it where none is.
    """

    forms: tuple[bytes, ...]
    lines: tuple[str, ...] = ()

    def held_by(self, content: bytes) -> bool:
        """Tell whether a file's bytes hold it."""
        return any(form in content for form in self.forms)

    def lines_in(self, content: bytes) -> tuple[int, ...]:
        """Give the numbers of the lines that hold it, from 1."""
        return tuple(n for n, line in enumerate(content.split(b"\n"), 1) if self.held_by(line))

    def cut_from(self, content: bytes, mark: bytes) -> bytes:
        """Give the content with a mark in its place."""
        for form in self.forms:
            content = content.replace(form, mark)
        return content


def needle_of(text: str) -> Needle:
    """Make a needle.

    Args:
        text: The leaked text; white space around it does not count.

    Raises:
        UsageError: It is too short to be looked for.
    """
    whole = text.strip()
    lines = [line for line in map(str.strip, whole.split("\n")) if len(line) >= LEAST_CHARACTERS]
    pieces = [whole, *lines] if len(whole) >= LEAST_CHARACTERS else []
    if not pieces:
        raise UsageError(
            f"a text of fewer than {LEAST_CHARACTERS} characters stands in too many places",
            hint="give more of the line that it stands in",
        )
    forms = {form for piece in pieces for form in _forms(piece)}
    ordered = sorted(forms, key=lambda form: (-len(form), form))
    return Needle(tuple(ordered), lines=tuple(lines or [whole]))


def _forms(text: str) -> tuple[bytes, ...]:
    written = (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
    return tuple(form.encode("utf-8", "surrogateescape") for form in written)

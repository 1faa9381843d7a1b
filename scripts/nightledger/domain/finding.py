"""What a scanner saw in a text, what a check-up doubts, and a leaked text with the forms in which files hold it.

Invariant: a finding carries places and words of ours, never the text itself, so that
it can be logged, shown and sent without leaking a secret.

Invariant: a form of a leaked text is whole: where the text has several lines, each line that is long enough
is looked for by itself, because diffs and lists break lines apart.
"""

import json
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.errors import UsageError
from nightledger.domain.proposal import Op


class Severity(StrEnum):
    """What a finding asks for; the gate, not the scanner, decides."""

    BLOCK = "block"
    """A secret: the text must not be copied anywhere, and is shown masked."""
    QUARANTINE = "quarantine"
    """Hidden or steering text: held back, and shown to the operator with its reason."""
    FLAG = "flag"
    """Often harmless: shown beside the change."""


class Finding(Struct, frozen=True, kw_only=True):
    """One place in a text that a rule matched.

    Attributes:
        rule: Enumerated word, class before kind: ``secret.github``, ``unicode.bidi``.
        severity: What it asks for.
        start: First character, from 0.
        end: One past the last character.
        message: One line for the operator; never the secret itself.
    """

    rule: str
    severity: Severity
    start: int
    end: int
    message: str


class DoubtLabel(StrEnum):
    """What is wrong with an item, the gravest first."""

    SECRET = "secret"  # noqa: S105 - a word, not one
    INJECTION = "injection"
    GENERATED = "generated"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    CLOSED = "closed"
    STALE = "stale"
    JUNK = "junk"


class Doubt(Struct, frozen=True, kw_only=True):
    r"""One item of a memory file that its owner might want out.

    Attributes:
        lines: First and last line, from 1, split on ``\n`` only; a whole item, row or sentence.
        section: Heading texts from the outermost to the item's own.
        label: What is wrong with it.
        reason: Why, in one or two sentences; never the item's text.
        signs: Enumerated words for what was seen, the strongest first: ``tick``, ``last_run``.
        confidence: 0..1, rounded to 4 decimals.
        op: What is proposed: remove, archive or replace.
        after: What takes the item's place where it is replaced, with its line end; else empty.
        other: First line of the item that it repeats or contradicts; 0 where there is none.
        characters: How many characters the file gets shorter by.
        rank: Higher is shown earlier.
    """

    lines: tuple[int, int]
    section: tuple[str, ...]
    label: DoubtLabel
    reason: str
    signs: tuple[str, ...]
    confidence: float
    op: Op
    after: str = ""
    other: int = 0
    characters: int = 0
    rank: float = 0.0


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

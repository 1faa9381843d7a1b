"""What a scanner saw in a text, and what a check-up doubts: values, never a verdict.

Invariant: a finding carries places and words of ours, never the text itself, so that
it can be logged, shown and sent without leaking a secret.
"""

from enum import StrEnum

from msgspec import Struct

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

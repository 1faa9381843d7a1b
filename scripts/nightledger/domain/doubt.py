"""What in an existing memory is doubtful: a value for one item of the file.

Invariant: a doubt names whole lines of whole items, and carries reasons of ours, never
the text itself, so that a doubt about a secret can be logged and shown.
"""

from enum import StrEnum

from msgspec import Struct

from nightledger.domain.proposal import Op


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

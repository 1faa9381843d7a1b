"""What a scanner saw in a text: a value, never a verdict.

Invariant: a finding carries places and words of ours, never the text itself, so that
it can be logged, shown and sent without leaking a secret.
"""

from enum import StrEnum

from msgspec import Struct


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

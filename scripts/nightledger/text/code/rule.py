"""What the code auditor's rows and findings are.

Invariant: a finding carries a place and words of ours; names that it tells are identifiers of
the standard library and of packages, never text of the snippet.
"""

from dataclasses import dataclass
from enum import StrEnum


class CodeSeverity(StrEnum):
    """How much a finding asks for; a note is no finding and leaves a snippet clean."""

    HIGH = "high"
    """Runs what is not shown, destroys, hides, steals or stays."""
    MEDIUM = "medium"
    """May be right for this snippet; somebody has to have read it."""
    NOTE = "note"
    """The published list denies the name; what is done with it here does no harm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRow:
    """One row of the auditor's table.

    Attributes:
        name: Enumerated word, ``code.process``.
        severity: What a match asks for; the most, where the place counts.
        why: One line for the operator.
        catches: Snippets that it must find; tests and ``audit-code --test`` run them.
        spares: Snippets that it must not find.
    """

    name: str
    severity: CodeSeverity
    why: str
    catches: tuple[str, ...]
    spares: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class CodeFinding:
    """One place in a snippet that a row matched.

    Attributes:
        line: From 1, in the text as it was given.
        column: From 1, in characters.
        rule: Name of the row.
        severity: What this place asks for.
        what: Which name it is about: ``os.system``; "" where the row says enough.
    """

    line: int
    column: int
    rule: str
    severity: CodeSeverity
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What the auditor says of one snippet.

    Attributes:
        language: ``python``; another one's name; "unknown".
        audited: Whether all of it was read as Python; nothing else is ever clean.
        findings: In order of place; no notes.
        notes: What the published list denies and is used harmlessly.
    """

    language: str
    audited: bool
    findings: tuple[CodeFinding, ...] = ()
    notes: tuple[CodeFinding, ...] = ()

    @property
    def clean(self) -> bool:
        """Tell whether all of it was audited and nothing was found."""
        return self.audited and not self.findings

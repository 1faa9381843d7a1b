"""What the code auditor's rows and findings are, and the shipped table of them (``config/code-auditor.json``).

Invariant: a finding carries a place and words of ours; names that it tells are identifiers of
the standard library and of packages, never text of the snippet.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property

import msgspec
from msgspec import Struct

from nightledger.files.home import shipped_config


class CodeSeverity(StrEnum):
    """How much a finding asks for; a note is no finding and leaves a snippet clean."""

    HIGH = "high"
    """Runs what is not shown, destroys, hides, steals or stays."""
    MEDIUM = "medium"
    """May be right for this snippet; somebody has to have read it."""
    NOTE = "note"
    """The published list denies the name; what is done with it here does no harm."""


class CodeRow(Struct, frozen=True, kw_only=True):
    """One row of the auditor's table.

    Attributes:
        name: Enumerated word, ``code.process``.
        severity: What a match asks for.
        why: One line for the operator.
        names: Dotted names that match, however they were imported; a star stands for any ending,
            ``()`` for a call.
        catches: Snippets that it must find; the tests run them.
        spares: Snippets that it must not find.
    """

    name: str
    severity: CodeSeverity
    why: str
    names: tuple[str, ...]
    catches: tuple[str, ...]
    spares: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """All that the auditor knows.

    Attributes:
        published: The published denylist, to the letter: ``imports``, ``calls``, ``builtins``
            (source: the code auditor of Vidurai).
        rules: Our rows, in the order in which they are shown.
        methods: Row of a method's name that says enough on any object.
        keywords: Row of a keyword argument that is ``True``.
        walks: Attributes that lead from an object to what is hidden behind it.
        telltale: Words that nobody builds from pieces but to hide them.
        startup: Expression for places that are run or read again.
        secret: Expression for places of keys, passwords and cookies.
        data_endings: Endings of files that nothing runs.
        environment: Variables that change how programs started later work.
        languages: Words of fences and files' endings by the language that they name.
        of_browsers: Names that only a browser or Node has.
    """

    published: dict[str, tuple[str, ...]]
    rules: tuple[CodeRow, ...]
    methods: dict[str, str]
    keywords: dict[str, str]
    walks: frozenset[str]
    telltale: frozenset[str]
    startup: str
    secret: str
    data_endings: frozenset[str]
    environment: frozenset[str]
    languages: dict[str, frozenset[str]]
    of_browsers: frozenset[str]

    @cached_property
    def rows(self) -> dict[str, CodeRow]:
        """Give the rows by name."""
        return {row.name: row for row in self.rules}

    @cached_property
    def _exact(self) -> dict[str, str]:
        named = [(name, row.name) for row in self.rules for name in row.names]
        return {name: rule for name, rule in named if not name.endswith("*")}

    @cached_property
    def _starred(self) -> tuple[tuple[str, str], ...]:
        return tuple((n[:-1], row.name) for row in self.rules for n in row.names if n.endswith("*"))

    def rule_of(self, dotted: str) -> str:
        """Give the row that a dotted name belongs to; "" for none."""
        if rule := self._exact.get(dotted):
            return rule
        return next((rule for stem, rule in self._starred if dotted.startswith(stem)), "")

    @cached_property
    def modules(self) -> frozenset[str]:
        """Give the top-level modules that rows and the published list name."""
        named = (name.split(".")[0] for row in self.rules for name in row.names)
        return frozenset({*named, *self.published["imports"]} - {"builtins"})


@cache
def code_table() -> Table:
    """Give the shipped table."""
    return msgspec.json.decode(shipped_config("code-auditor.json"), type=Table)


NOT_READ = frozenset({"code.unparsable", "code.too_deep", "code.too_large", "code.unaudited"})
"""Rows that say that something was not audited."""


class CodeFinding(Struct, frozen=True, kw_only=True, order=True):
    """One place in a snippet that a row matched.

    Attributes:
        line: From 1, in the text as it was given.
        rule: Name of the row.
        severity: What this place asks for.
        what: Which name it is about: ``os.system``; "" where the row says enough.
    """

    line: int
    rule: str
    severity: CodeSeverity
    what: str = ""


class Audited(Struct, frozen=True, kw_only=True):
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

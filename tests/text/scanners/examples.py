"""What each row of the scanners must find and what it must not."""

from dataclasses import dataclass
from functools import cache

from nightledger.domain.finding import Severity
from nightledger.text.code_source import CodeSeverity, code_table
from nightledger.text.scanners.rule import written

_LONG = "x = 1\n" * 50_000
_BY_HAND = {
    "unicode.not_utf8": ("a\udcffb",),  # which no file can hold
    "code.unaudited": ("```sh\nid\n```\n",),
    "code.too_large": (f"```python\n{_LONG}\n```\n",),
}


@dataclass(frozen=True, kw_only=True)
class Examples:
    name: str
    severity: Severity
    message: str
    catches: tuple[str, ...]
    spares: tuple[str, ...]


@cache
def examples(*files: str) -> tuple[Examples, ...]:
    """Return the rows of files of ``config/scanners``; a command's order is one of its own."""
    found = list[Examples]()
    for texts in map(written, files):
        for row in texts.rules:
            catches, spares = (tuple(map(texts.text, listed)) for listed in (row.catches, row.spares))
            catches = catches or _BY_HAND[row.name]
            found.append(_row(row.name, row.severity, row.why, catches, spares))
            if row.ordered:
                why = f"orders {row.why}"
                found.append(_row(row.name, Severity.QUARANTINE, why, row.ordered, (*spares, *catches)))
    return tuple(found)


def of_code() -> tuple[Examples, ...]:
    """Return the rows of the code auditor, their snippets in fences."""
    rows = [row for row in code_table().rules if row.severity is not CodeSeverity.NOTE]
    return tuple(
        _row(
            row.name,
            Severity.FLAG,
            row.why,
            _BY_HAND.get(row.name) or _fenced(row.catches),
            _fenced(row.spares),
        )
        for row in rows
    )


def _row(
    name: str, severity: Severity, message: str, catches: tuple[str, ...], spares: tuple[str, ...]
) -> Examples:
    return Examples(name=name, severity=severity, message=message, catches=catches, spares=spares)


def _fenced(snippets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"```python\n{code}\n```\n" for code in snippets)

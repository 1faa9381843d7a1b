"""What each row of the scanners must find and what it must not."""

from functools import cache
from typing import NamedTuple

from nightledger.domain.finding import Severity
from nightledger.text.code_source import CodeSeverity, code_table
from nightledger.text.scanners.rule import written

TOKEN = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
_LONG = "x = 1\n" * 50_000
_BY_HAND = {
    "unicode.not_utf8": ("a\udcffb",),  # which no file can hold
    "code.unaudited": ("```sh\nid\n```\n",),
    "code.too_large": (f"```python\n{_LONG}\n```\n",),
}


class Examples(NamedTuple):
    """A row: what it must find, and what it must not."""

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
            found.append(Examples(row.name, row.severity, row.why, catches, spares))
            if row.ordered:
                spared = (*spares, *catches)
                found.append(
                    Examples(row.name, Severity.QUARANTINE, f"orders {row.why}", row.ordered, spared)
                )
    return tuple(found)


def of_code() -> tuple[Examples, ...]:
    """Return the rows of the code auditor, their snippets in fences."""
    rows = [row for row in code_table().rules if row.severity is not CodeSeverity.NOTE]
    return tuple(
        Examples(row.name, Severity.FLAG, row.why, _BY_HAND.get(row.name) or _fenced(row.catches), _fenced(row.spares))
        for row in rows
    )  # fmt: skip


def _fenced(snippets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"```python\n{code}\n```\n" for code in snippets)

"""Secrets that only their place gives away: a column, a file beside them, a line elsewhere.

Invariant: a table's heading or the text's own label says what a value is; nothing is guessed from
a value alone. Linear in the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from nightledger.text.scanners.rule import Passage
from nightledger.text.scanners.secret_value import is_no_secret, is_password, is_random, is_strong
from nightledger.text.scanners.shipped import fragment, written

Span = tuple[int, int]

_TABLE = re.compile(
    r"^(?P<head>[^\n]*)\n[ \t]{0,12}\|?[ \t]{0,4}:?-{2,200}:?[ \t]{0,4}(?:\|[ \t]{0,4}:?-{2,200}:?[ \t]{0,4}){1,60}\|?[ \t]{0,4}\r?\n"
    r"(?P<rows>(?:[^\n|]*\|[^\n]*(?:\n|\Z))*)",
    re.MULTILINE,
)
"""Heading, a line of dashes with bars, and the lines with bars behind it."""
_CELL = r"(?<!\\)\|"
_WORD = r"[^\s`\"'|<>,;()\[\]「」『』，。；：·]+"  # noqa: RUF001 - marks of East Asia
_PIN = r"(?:^|[=:][ \t]?)(\d{4,8})"
_PINS = r"[\w=:,; \t-]*[=:][ \t]?\d{4,8}"
_CLOSING = ".:*_~`,;"
"""What closes a sentence or a mark behind a value, as the rows take it off."""
REPEATED = "secret.repeated"
SHORTEST_REPEATED = 5
"""Characters of a told value that is looked for elsewhere; a shorter one is too often something else."""


def telling(lines: Sequence[str]) -> set[int]:
    """Return the indices of lines that may tell a secret of other lines, and of the table rows below them.

    Who scans some lines of a text only scans these along, lest a value passes that is told elsewhere.
    """
    passage = Passage("\n".join(lines))
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: set[int] = set()
    for place in (place for hint in written("secrets").words(("{hints}",)) for place in passage.places(hint)):
        at = bisect_right(starts, place) - 1
        while at not in found:
            found.add(at)
            at += 1 if "|" in lines[at] and at + 1 < len(lines) and "|" in lines[at + 1] else 0
    return found


def tabled(text: str) -> Iterator[Span]:
    """Yield the cells of tables that hold a password or key by their heading or the file beside them."""
    if "|" not in text or "--" not in text:
        return
    for table in _TABLE.finditer(text):
        kinds = [_kind(_bare(cell)) for _, cell in _cells(table["head"])]
        at = table.start("rows")
        for row in table["rows"].split("\n"):
            beside = fragment("secrets", "vault_file").search(row) is not None
            if beside or any(kinds):
                for kind, (place, cell) in zip(kinds, _cells(row), strict=False):
                    if _is_held(_bare(cell), kind, beside=beside):
                        start = at + place + cell.index(_bare(cell))
                        yield start, start + len(_bare(cell))
            at += len(row) + 1


def _cells(row: str) -> Iterator[tuple[int, str]]:
    """Yield where each cell of a row begins in it, and its text."""
    edges = [match.start() for match in re.finditer(_CELL, row)]
    if not row.lstrip().startswith("|"):
        edges.insert(0, -1)
    for left, right in pairwise([*edges, len(row)]):
        yield left + 1, row[left + 1 : right]


def _bare(cell: str) -> str:
    return cell.strip(" \t\r*_`\"'")


def _kind(title: str) -> str:
    kinds = (kind for kind in ("password", "key") if fragment("secrets", f"{kind}_column").search(title))
    return next(kinds, "")


def _is_held(value: str, kind: str, *, beside: bool) -> bool:
    if not value or is_no_secret(value):
        return False
    if kind and (is_random(value) or is_strong(value)):
        return True
    told = kind == "password" and is_password(value, quoted=True)
    return told or (beside and is_strong(value) and "/" not in value)


def values_of(text: str, told: Iterable[Span]) -> frozenset[str]:
    """Return the values that stand at ``told``, those that can be looked for elsewhere."""
    values = {value for start, end in told for value in _values(text[start:end])}
    return frozenset(value for value in values if len(value) >= SHORTEST_REPEATED and " " not in value)


def repeated(text: str, values: frozenset[str]) -> Iterator[Span]:
    """Return the places of values that were told as secrets.

    A value of letters only may be an ordinary word elsewhere: it counts between quotes alone.
    """
    if not any(value in text for value in values):
        return
    for match in re.finditer(_WORD, text):
        value = match[0].rstrip(_CLOSING).lstrip("*_~")
        if value in values and (not value.isalpha() or _is_quoted(text, match)):
            start = match.start() + match[0].index(value)
            yield start, start + len(value)


def _values(told: str) -> Iterator[str]:
    """Return what was told: one value, or those of a list of names with PINs."""
    pins = re.findall(_PIN, told) if re.fullmatch(_PINS, told) else []
    yield from pins or [told.rstrip(_CLOSING)]


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    marks = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return all(mark in {"`", '"', "'", "「", "」"} for mark in marks)

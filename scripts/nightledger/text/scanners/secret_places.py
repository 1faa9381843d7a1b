"""Secrets that only their place gives away: a column, a file beside them, a line elsewhere.

Invariant: a table's heading or the text's own label says what a value is; nothing is guessed from
a value alone. Linear in the text.
"""

# ruff: noqa: RUF001 - text in other scripts is part of these patterns
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import Passage, Row
from nightledger.text.scanners.secret_value import is_no_secret, is_password, is_random, is_strong
from nightledger.text.scanners.secret_words import TOLD, TOLD_ANCHORS

Span = tuple[int, int]

_DELIMITER = r"\n[ \t]{0,12}\|?[ \t]{0,4}:?-{2,200}:?[ \t]{0,4}(?:\|[ \t]{0,4}:?-{2,200}:?[ \t]{0,4}){1,60}\|?[ \t]{0,4}(?=\r?\n|\Z)"
_PASSWORDS = rf"(?i)^(?:\w+ ){{0,2}}(?:{TOLD}|pw|pass|pin)s?(?: ?[/&+] ?[\w ]{{2,16}}| \([\w ]{{1,20}}\))?$"
_KEYS = r"(?i)^(?:\w+ ){0,2}(?:api[ -]?key|secret|token|access[ -]?key|credentials?|password ?/ ?key|密钥|密鑰|ключ|凭证)s?(?: \([\w ]{1,20}\))?$"
_VAULT_FILE = r"(?i)\.(?:enc|kdbx|gpg|p12|pfx|jks|keystore)\b"
_CELL = r"(?<!\\)\|"
_WORD = r"[^\s`\"'|<>,;()\[\]「」『』，。；：·]+"
_PIN = r"(?:^|[=:][ \t]?)(\d{4,8})"
_PINS = r"[\w=:,; \t-]*[=:][ \t]?\d{4,8}"
_CLOSING = ".:*_~`,;"
"""What closes a sentence or a mark behind a value, as the rows take it off."""
_HINTS = (
    *TOLD_ANCHORS,
    "pw",
    "pass:",
    "_pass",
    "token",
    "secret",
    "pin:",
    "pins ",
    "pin=",
    "pin is",
    " / ",
    "codeword",
    "pairing",
)
SHORTEST_REPEATED = 5
"""Characters of a told value that is looked for elsewhere; a shorter one is too often something else."""


TABLED = Row(
    name="secret.table", severity=Severity.BLOCK, message="a secret by its column or the file beside it",
    catches=("| host | password |\n|---|---|\n| relay | Blau" + "kraut7! |\n", "| file | note |\n|---|---|\n| keys.kdbx | Wq8" + "!tzLm4x |\n"),
    spares=("| host | password |\n|---|---|\n| relay | in the keyring |\n", "| host | port |\n|---|---|\n| relay | Blau" + "kraut7! |\n"),
)  # fmt: skip
REPEATED = Row(
    name="secret.repeated", severity=Severity.BLOCK, message="a value told as a secret elsewhere in the text",
    catches=("the gate password is `Blau" + "kraut7`\n\nIt opens with Blau" + "kraut7 again.",),
    spares=("the gate password is in the keyring\n\nIt opens again.",),
)  # fmt: skip
PLACE_RULES = (TABLED, REPEATED)


def telling(lines: Sequence[str]) -> set[int]:
    """Give the indices of lines that may tell a secret of other lines, and of the table rows below them.

    Who scans some lines of a text only scans these along, lest a value passes that is told elsewhere.
    """
    passage = Passage("\n".join(lines))
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: set[int] = set()
    for place in (place for hint in _HINTS for place in passage.places(hint)):
        at = bisect_right(starts, place) - 1
        while at not in found:
            found.add(at)
            at += 1 if "|" in lines[at] and at + 1 < len(lines) and "|" in lines[at + 1] else 0
    return found


def tabled(text: str) -> Iterator[Span]:
    """Give the cells of tables that hold a password or key by their heading or the file beside them."""
    if "|-" not in text and "| -" not in text and "|:" not in text and "| :" not in text:
        return
    done = 0
    for line in re.finditer(_DELIMITER, text):
        if line.start() < done:
            continue
        head = text.rfind("\n", 0, line.start()) + 1
        kinds = [_kind(_bare(text, *span)) for span in _cells(text[head : line.start()], head)]
        first = (text.find("\n", line.end()) + 1) or len(text)
        done = _table_end(text, first)
        yield from _rows(text, first, done, kinds)


def _table_end(text: str, at: int) -> int:
    while at < len(text):
        end = (text.find("\n", at) + 1) or len(text)
        if text.find("|", at, end) < 0:
            return at
        at = end
    return at


def _bare(text: str, start: int, end: int) -> str:
    return text[start:end].strip(" \t*_`\"'")


def _kind(title: str) -> str:
    return "password" if re.match(_PASSWORDS, title) else "key" if re.match(_KEYS, title) else ""


def _rows(text: str, at: int, last: int, kinds: list[str]) -> Iterator[Span]:
    for row in text[at:last].split("\n"):
        beside = bool(re.search(_VAULT_FILE, row))
        if beside or any(kinds):
            for kind, (start, stop) in zip(kinds, _cells(row, at), strict=False):
                yield from _held(text, start, stop, kind, beside=beside)
        at += len(row) + 1


def _cells(row: str, at: int) -> list[Span]:
    edges = [match.start() for match in re.finditer(_CELL, row)]
    if not row.lstrip().startswith("|"):
        edges.insert(0, -1)
    edges.append(len(row))
    return [(at + left + 1, at + right) for left, right in pairwise(edges)]


def _held(text: str, start: int, stop: int, kind: str, *, beside: bool) -> Iterator[Span]:
    value = _bare(text, start, stop)
    if not value or is_no_secret(value):
        return
    told = kind == "password" and is_password(value, quoted=True)
    keyed = kind in {"password", "key"} and (is_random(value) or is_strong(value))
    if told or keyed or (beside and is_strong(value) and "/" not in value):
        place = text.index(value, start)
        yield place, place + len(value)


def values_of(text: str, told: Iterable[Span]) -> frozenset[str]:
    """Give the values that stand at ``told``, those that can be looked for elsewhere."""
    values = {value for start, end in told for value in _values(text[start:end])}
    return frozenset(value for value in values if len(value) >= SHORTEST_REPEATED and " " not in value)


def repeated(text: str, values: frozenset[str]) -> Iterator[Span]:
    """Give the places of values that were told as secrets.

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
    """Give what was told: one value, or those of a list of names with PINs."""
    pins = re.findall(_PIN, told) if re.fullmatch(_PINS, told) else []
    yield from pins or [told.rstrip(_CLOSING)]


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    marks = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return all(mark in {"`", '"', "'", "「", "」"} for mark in marks)

"""What looks like a secret by itself, and what only its place gives away; and the scanners' tables, made when first needed.

Invariant: pure and linear; nothing is looked up. A table's heading or the text's own label says what a value is;
nothing is guessed from a value alone. The entropy thresholds follow detect-secrets (base64 4.5, hex 3.0 bits a
character for long strings), as a share of what a string of that length can reach, so that one threshold fits short
values too. Every name that a finding can carry stands in a file or in the code auditor's table (a test walks them).
Rows name their tests and hold their patterns; the second look at a match here is only what no pattern can say.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate, pairwise

from msgspec.structs import replace

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import (
    Accept,
    Passage,
    Rule,
    Table,
    Written,
    WrittenRow,
    entropy,
    fragment,
    span,
    written,
)
from nightledger.text.similar import is_denied, is_urged

ENTROPY_SHARE = 0.8
"""Random keys of 16 characters and more reach .85 to 1; identifiers made of words stay below or
hold no mixed part. detect-secrets' 4.5 bits are .75 of base64's 6, its 3.0 are .75 of hex's 4."""
_STRONG = 7
"""Fewest characters of what is taken for a password without a label of its own."""
_DRAWN_BITS = 2.5
"""Below this a value is a row of equal letters, drawn by hand to show a shape."""
_DENSE_BITS = 4.5
"""detect-secrets' limit for base64; a random key of 40 characters has about 4.8."""
_HEX = re.compile(r"[0-9a-fA-F-]+")
_MIXED_PART = 6
"""A part of letters and digits this long is no version (``v2``, ``gpt4o``) any more."""


def is_masked(value: str) -> bool:
    """Return whether ``value`` is a mask, a reference or a file instead of a secret."""
    return fragment("secrets", "masked").search(value) is not None


def is_placeholder(value: str) -> bool:
    """Return whether ``value`` is made of words that only hold a place: ``test-token``, ``my_api_key``, ``true``.

    Two digits behind such a word make a weak password that people use.
    """
    if sum(c.isdigit() for c in value) > 1:
        return False
    parts = [part.lower() for part in re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", value) if part]
    return bool(parts) and set(written("secrets").fragments["placeholder"]).issuperset(parts)


def is_no_secret(value: str) -> bool:
    """Return whether ``value`` is a mask, a placeholder, a file, a date, a piece of code or a well-known name."""
    return is_masked(value) or is_placeholder(value) or fragment("secrets", "known").search(value) is not None


def is_random(value: str, *, shortest: int = 16) -> bool:
    """Return whether ``value``, without spaces, looks drawn at random: no words, names, dates or versions."""
    value = value.rstrip("!")
    if len(value) < shortest or is_masked(value) or _is_dated(value) or not _holds_both(value):
        return False
    parts = re.split(r"[^A-Za-z0-9]", value)
    if not any(len(part) >= _MIXED_PART and _holds_both(part) for part in parts):
        return False
    longest = max(parts, key=len)
    body = longest if len(longest) >= shortest else value
    drawn = "-".join(part for part in parts if any(map(str.isdigit, part)))
    if len(drawn) >= shortest and _HEX.fullmatch(drawn):  # an identifier of parts, behind a word
        body = drawn
    alphabet = 16 if _HEX.fullmatch(body) else 64
    return entropy(body) >= ENTROPY_SHARE * math.log2(min(len(body), alphabet))


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Return whether ``value``, told after the word password, is one.

    Args:
        value: What stood there, without its quotes.
        quoted: Whether it stood in quotes or backticks, which a mere word does not.
    """
    if is_masked(value) or _is_dated(value):
        return False
    if re.fullmatch(r"[a-z]{4}([ -][a-z]{4}){3}!?", value):
        return True
    if re.search("[ `]", value) or re.fullmatch(r"[A-Za-z_]+(\.[A-Za-z_]+)+|--?[a-z-]+", value):
        return False
    digits, strange = any(map(str.isdigit, value)), re.search(r"[!@#$%^&*+=?~]", value.rstrip("!?"))
    if any(map(str.isalpha, value)) and (digits or strange):
        return len(value) >= (4 if quoted else 6) and not re.fullmatch(
            r"v?\d{1,5}[a-z]{0,5}|\d+(?:[mun]s|[kmg]i?b)|[a-z]+-\d{1,2}", value
        )
    return quoted and digits and len(value) >= 4  # noqa: PLR2004 - a PIN has four digits


def is_strong(value: str) -> bool:
    """Return whether ``value`` is drawn up like a password, so that it needs no label beside it but a hint.

    Seven characters and more of letters and digits with a sign that names do not hold, or of
    both cases with three digits.
    """
    if len(value) < _STRONG or not re.fullmatch(r"[!-~]+", value) or not _holds_both(value):
        return False
    cased = re.search("[a-z]", value) and re.search("[A-Z]", value) and re.search(r"\d.*\d.*\d", value)
    if not cased and not re.search(r"[!@#$%^&*+?=~}{]", value):  # three digits, for OAuth2 and iPhone15
        return False
    return not re.search(r"@[\w-]+\.[a-z]", value) and not is_no_secret(value)


def _is_drawn(value: str) -> bool:
    return not is_masked(value) and entropy(value) > _DRAWN_BITS


def _is_dense(value: str) -> bool:
    return value.lower() != value != value.upper() and entropy(value) >= _DENSE_BITS


def _holds_both(value: str) -> bool:
    """Return whether ``value`` holds digits and letters."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_dated(value: str) -> bool:
    return fragment("secrets", "digest_or_date").search(value) is not None


TESTS: dict[str, Callable[[str], bool]] = {
    "masked": is_masked,
    "placeholder": is_placeholder,
    "known": is_no_secret,
    "drawn": _is_drawn,
    "dense": _is_dense,
    "strong": is_strong,
    "password": is_password,
    "quoted": partial(is_password, quoted=True),
    **{f"random {n}": partial(is_random, shortest=n) for n in (8, 16, 20, 24)},
}
"""What a row may ask of a value; with ``not`` before it, the contrary."""


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
    hints = map(re.escape, written("secrets").words(("{hints}",)))
    for place in (place for hint in hints for place in passage.spots(hint)):
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


CLASSES = ("unicode", "markup", "instruction", "reviewer", "secret", "code")
"""First parts of the rows' names."""
_BEFORE = 300
"""Characters before a value in which a row may look."""
_AROUND = 200
"""Characters around a command in which its sentence stands."""
_BREAK = re.compile(r"[.!?;](?=\s)|[\n。！？；]")  # noqa: RUF001 - full stops of East Asia
_BELOW = re.compile(r"[.:]?\s*\n\s*(?:```|~~~)[\w-]*[ \t]*\n|:\s*\n")
"""Between a line and what it orders below it, in a fence."""
_OPTION = re.compile(r"(?<!\S)-\S+")


@cache
def shipped_rules(file: str) -> tuple[Rule, ...]:
    """Return the rows of a file of ``config/scanners``, in its order."""
    texts = written(file)
    return tuple(rule for row in texts.rules for rule in _rules(row, texts))


@cache
def named(file: str) -> dict[str, Rule]:
    """Return the rows of a file by the second part of their name, for those that code finds."""
    return {rule.name.partition(".")[2]: rule for rule in shipped_rules(file)}


@cache
def secrets() -> Table:
    """Return the rows about secrets, from exact to wide: a wider one stays silent where an earlier one spoke."""
    return Table(shipped_rules("secrets"))


@cache
def steering() -> Table:
    """Return the rows about what a model reads: markup, and instructions to it."""
    return Table((*shipped_rules("markup"), *shipped_rules("instructions")))


def _rules(row: WrittenRow, texts: Written) -> tuple[Rule, ...]:
    """Return the row's rule, and where commands are meant one more that holds back an order to run it."""
    rule = Rule(
        name=row.name,
        severity=row.severity,
        message=row.why,
        pattern=texts.text(row.pattern),
        anchors=texts.words(row.anchors),
        spots=row.spots,
        also=row.also,
        folded=not row.as_written,
        after=row.after,
        accept=_accept(row, texts),
    )
    if not row.ordered:
        return (rule,)
    order = replace(
        rule,
        severity=Severity.QUARANTINE,
        message=f"orders {rule.message}",
        accept=_is_ordered,
    )
    return rule, order


def _accept(row: WrittenRow, texts: Written) -> Accept | None:
    """Return the second look at a match of ``row``; nothing where its pattern alone decides."""
    tests = [(TESTS[name.removeprefix("not ")], not name.startswith("not ")) for name in row.value]
    like, unlike, before, not_before = map(texts.text, (row.like, row.unlike, row.before, row.not_before))
    if not any((tests, row.whole, like, unlike, before, not_before)):
        return None

    def holds(text: str, match: re.Match[str]) -> bool:
        start, end = span(match)
        value = text[start:end].rstrip(".:*_~`,;").lstrip("*_~")
        if row.whole and re.search(r"\.\.|…", text[end - 2 : end + 2]):
            return False
        if not _fits(value, like, unlike) or any(test(value) is not wanted for test, wanted in tests):
            return False
        if not before and not not_before:
            return True
        return _fits(text[max(0, start - _BEFORE) : start].lower(), before, not_before)

    return holds


def _fits(text: str, like: str, unlike: str) -> bool:
    if like and not _compiled(like).search(text):
        return False
    return not (unlike and _compiled(unlike).search(text))


def _is_ordered(text: str, match: re.Match[str]) -> bool:
    """Return whether the sentence around a command orders it, and says neither ``never`` nor that it is a danger."""
    before = _BREAK.split(_BELOW.sub(": ", text[max(0, match.start() - _AROUND) : match.start()]))[-1].lower()
    after = _BREAK.split(text[match.end() : match.end() + _AROUND])[0]
    sentence = _OPTION.sub(" ", f"{before}{match[0]}{after}".lower())
    if not (_holds("order", sentence) or _holds("imperative", before) or is_urged(before)):
        return False
    return not (_holds("narrated", before) or is_denied(sentence) or _holds("warning", sentence))


def _holds(name: str, text: str) -> bool:
    return fragment("instructions", name).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

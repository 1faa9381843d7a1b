"""The scanners' tables, made of the shipped files when they are first needed.

Invariant: every name that a finding can carry stands in a file or in the code auditor's table (a test walks them).
Rows name their tests and hold their patterns; the second look at a match here is only what no pattern can say.
"""

import re
from functools import cache

from msgspec.structs import replace

from nightledger.domain.finding import Severity
from nightledger.text.scanners.rule import Accept, Rule, Table, Written, WrittenRow, fragment, span, written
from nightledger.text.scanners.secrets import TESTS
from nightledger.text.similar import is_denied, is_urged

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

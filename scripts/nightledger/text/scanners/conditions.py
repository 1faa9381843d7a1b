"""The second look at a match: what its value must be, and what stands before it.

Invariant: rows name their tests and hold their patterns; here is only what no pattern can say.
"""

import re
from functools import cache

from nightledger.text.scanners.rule import Accept, span
from nightledger.text.scanners.secret_value import TESTS
from nightledger.text.scanners.shipped import Written, WrittenRow, fragment
from nightledger.text.similar import is_denied, is_urged

_BEFORE = 300
"""Characters before a value in which a row may look."""
_AROUND = 200
"""Characters around a command in which its sentence stands."""
_BREAK = re.compile(r"[.!?;](?=\s)|[\n。！？；]")  # noqa: RUF001 - full stops of East Asia
_BELOW = re.compile(r"[.:]?\s*\n\s*(?:```|~~~)[\w-]*[ \t]*\n|:\s*\n")
"""Between a line and what it orders below it, in a fence."""
_OPTION = re.compile(r"(?<!\S)-\S+")


def accept(row: WrittenRow, texts: Written) -> Accept | None:
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


def is_ordered(text: str, match: re.Match[str]) -> bool:
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

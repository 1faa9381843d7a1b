"""One row of the scanners' table, and how a row is run in linear time.

Invariant: every pattern has bounded quantifiers and runs only in windows around its
anchors (plain substrings), so that the cost is linear in the text and a text without
anchors costs one substring search each. Patterns are compiled when first needed.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from nightledger.domain.finding import Severity

WINDOW_BEFORE = 120
"""Characters before an anchor in which a match may begin."""
WINDOW_AFTER = 400
"""Characters after an anchor in which a match must end."""

Accept = Callable[[str, re.Match[str]], bool]


def always(_text: str, _match: re.Match[str]) -> bool:
    """Accept every match: the pattern alone decides."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of text that a scanner finds.

    Several rows may share a name: the same kind in another language or notation.

    Attributes:
        name: Enumerated word, class before kind: ``secret.github``.
        severity: What a match asks for.
        message: One line for the operator.
        anchors: Lower-case substrings, one of which every match holds; () runs the
            pattern over the whole text.
        pattern: Regular expression. Its group ``it``, where there is one, is the finding.
        catches: Texts that it must find; tests run them.
        spares: Texts that it must not find; tests run them.
        folded: Match the lower-cased text instead of the text as written.
        accept: Second look at a match, given the text as written.
        after: Characters after an anchor in which a match must end.
    """

    name: str
    severity: Severity
    message: str
    anchors: tuple[str, ...]
    pattern: str
    catches: tuple[str, ...]
    spares: tuple[str, ...]
    folded: bool = False
    accept: Accept = always
    after: int = WINDOW_AFTER


class Passage:
    """A text under scan, with its lower-cased form and where each anchor stands.

    Rows share anchors, so each is searched for once.
    """

    __slots__ = ("_places", "lowered", "text")

    def __init__(self, text: str) -> None:
        """Lower-case ``text`` once for all rows."""
        self.text = text
        self.lowered = lower(text)
        self._places: dict[str, tuple[int, ...]] = {}

    def places(self, anchor: str) -> tuple[int, ...]:
        """Give the first character of each ``anchor``, in order."""
        if anchor not in self._places:
            self._places[anchor] = tuple(_places(self.lowered, anchor))
        return self._places[anchor]


def lower(text: str) -> str:
    """Lower-case ``text`` without moving a character: the few that would grow stay."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def matches(rule: Rule, passage: Passage) -> Iterator[tuple[int, int]]:
    """Give the spans in ``passage`` that ``rule`` finds, in order."""
    text, seen = passage.text, -1
    haystack = passage.lowered if rule.folded else text
    for first, last in _windows(rule, passage):
        for match in _compiled(rule.pattern).finditer(haystack, first, last):
            start, end = match.span("it" if "it" in match.re.groupindex else 0)
            if start > seen and rule.accept(text, match):
                seen = start
                yield start, end


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def _windows(rule: Rule, passage: Passage) -> Iterator[tuple[int, int]]:
    if not rule.anchors:
        yield 0, len(passage.text)
    first = last = -1
    for place in sorted(place for anchor in rule.anchors for place in passage.places(anchor)):
        if place - WINDOW_BEFORE > last:
            if last >= 0:
                yield first, last
            first = max(0, place - WINDOW_BEFORE)
        last = place + rule.after
    if last >= 0:
        yield first, last


def _places(lowered: str, anchor: str) -> Iterator[int]:
    place = lowered.find(anchor)
    while place >= 0:
        yield place
        place = lowered.find(anchor, place + len(anchor))

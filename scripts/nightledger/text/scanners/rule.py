"""One row of the scanners' table, and how a row is run in linear time.

Invariant: every pattern has bounded quantifiers and runs only in windows around its
anchors (plain substrings) or spots, so that the cost is linear in the text and a text
without anchors costs one substring search each. Patterns are compiled when first needed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import AnyStr

from nightledger.domain.finding import Severity

_ASCII = frozenset(map(chr, range(128)))
WINDOW_BEFORE = 120
"""Characters before an anchor in which a match may begin."""
WINDOW_AFTER = 400
"""Characters after an anchor in which a match must end."""
LONG_WORD = 40
"""Characters of a word that may be a key without a name; the shortest that ``scan_secrets`` asks for."""
FOUR = 4
"""Characters of a group, in keys that are shown in groups."""
KEY = 20
"""Characters of the shortest key that tells its kind by its shape (an AWS key id)."""
DASHED = 19
"""Characters of four groups with dashes between them."""

Accept = Callable[[str, re.Match[str]], bool]
Spots = Callable[["Passage"], Sequence[int]]


def always(_text: str, _match: re.Match[str]) -> bool:
    """Accept every match: the pattern alone decides."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the scanners' table: a kind of text that they find, however they find it.

    Several rows may share a name: the same kind in another language or notation.

    Attributes:
        name: Enumerated word, class before kind: ``secret.github``.
        severity: What a match asks for; the most, where its surroundings count.
        message: One line for the operator.
        catches: Texts that it must find; tests run them.
        spares: Texts that it must not find; tests run them.
    """

    name: str
    severity: Severity
    message: str
    catches: tuple[str, ...]
    spares: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Row):
    """A row that a regular expression finds.

    Attributes:
        anchors: Lower-case substrings, one of which every match holds; () without
            ``spots`` runs the pattern over the whole text.
        pattern: Regular expression. Its group ``it``, where there is one, is the finding.
        folded: Match the lower-cased text instead of the text as written.
        accept: Second look at a match, given the text as written.
        after: Characters after an anchor in which a match must end.
        spots: Further places near which to look, for what has no substring of its own.
        unbroken: Every match is one word of ``KEY`` characters and more, without a blank.
    """

    anchors: tuple[str, ...]
    pattern: str
    folded: bool = False
    accept: Accept = always
    after: int = WINDOW_AFTER
    spots: Spots | None = None
    unbroken: bool = False


class Passage:
    """A text under scan, with its lower-cased form and where each anchor stands.

    Rows share anchors, so each is searched for once; in one byte a character, because one
    emoji makes a string four times as wide, and a search in it as slow.
    """

    def __init__(self, text: str) -> None:
        """Lower-case ``text`` once for all rows."""
        self.text = text
        self.lowered = lower(text)
        self.narrow = self.lowered.encode("ascii", "replace")
        self._places: dict[str, tuple[int, ...]] = {}
        self.found: dict[tuple[str, bool, tuple[str, ...]], list[re.Match[str]]] = {}

    def places(self, anchor: str) -> tuple[int, ...]:
        """Give the first character of each ``anchor``, in order."""
        if anchor not in self._places:
            self._places[anchor] = tuple(self._search(anchor))
        return self._places[anchor]

    def _search(self, anchor: str) -> Iterator[int]:
        if _is_narrow(anchor):
            return _places(self.narrow, anchor.encode("ascii"))
        return _places(self.lowered, anchor) if self.characters.issuperset(anchor) else iter(())

    @cached_property
    def characters(self) -> frozenset[str]:
        """Give the characters of the text, and all of ASCII: an anchor with another one is not in it."""
        return frozenset(self.lowered) | _ASCII

    def may_hold(self, anchor: str) -> bool:
        """Say whether one of the words of ``KEY`` characters and more holds ``anchor``, which is ASCII."""
        return anchor.encode("ascii") in self.keys

    @cached_property
    def keys(self) -> bytes:
        """Give the words of ``KEY`` characters and more, lower-cased, with blanks between them."""
        return b" ".join(word for _, word in self._words if len(word) >= KEY)

    @cached_property
    def _words(self) -> tuple[tuple[int, bytes], ...]:
        """Give where the words begin that the questions here are about, and the words.

        A word is what stands between two spaces, so that places are sums of lengths; it may go over
        a line's end.
        """
        found, at = [], 0
        for word in self.narrow.split(b" "):
            length = len(word)
            if length == FOUR or length >= DASHED:
                found.append((at, word))
            at += length + 1
        return tuple(found)

    @cached_property
    def long_words(self) -> tuple[int, ...]:
        """Give places in all words of ``LONG_WORD`` characters and more, so close that windows cover them."""
        return tuple(
            place
            for at, word in self._words
            if len(word) >= LONG_WORD
            for place in range(at, at + len(word), WINDOW_AFTER // 2)
        )

    def groups(self, inner: int) -> tuple[int, ...]:
        """Give where ``inner`` words of four characters follow each other, or four are joined by dashes."""
        four = [at for at, word in self._words if len(word) == FOUR]
        step = (inner - 1) * (FOUR + 1)
        runs = (at for at, last in zip(four, four[inner - 1 :], strict=False) if last == at + step)
        return (*self._dashed, *runs)

    @cached_property
    def _dashed(self) -> tuple[int, ...]:
        return tuple(at for at, word in self._words if FOUR < len(word) < LONG_WORD and word.count(b"-") >= 3)  # noqa: PLR2004 - between four groups


class Table:
    """Rows in their order, and which of them a text can hold anything for.

    A row costs a few microseconds even where none of its anchors is in the text, and most texts
    are short and hold none: their presence is asked once for all rows, in C.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Index the rows by their anchors."""
        self._rules = tuple(rules)
        numbered = tuple(enumerate(rules))
        plain = [(n, rule) for n, rule in numbered if not rule.unbroken]
        self._whole = frozenset(n for n, rule in numbered if rule.spots is None and not rule.anchors)
        self._spots = [(rule.spots, n) for n, rule in numbered if rule.spots]
        self._narrow = _index((a, n) for n, rule in plain for a in rule.anchors if _is_narrow(a))
        self._wide = _index((a, n) for n, rule in plain for a in rule.anchors if not _is_narrow(a))
        self._keys = _index((a, n) for n, rule in numbered if rule.unbroken for a in rule.anchors)

    def possible(self, passage: Passage) -> list[Rule]:
        """Give the rows that may find something in ``passage``, in their order; no other one can."""
        found = {*self._whole, *(n for spots, n in self._spots if spots(passage))}
        narrow, keys = passage.narrow.decode(), passage.keys.decode()
        found.update(*[rows for anchor, rows in self._narrow if anchor in narrow])
        if keys:
            found.update(*[rows for anchor, rows in self._keys if anchor in keys])
        if not passage.lowered.isascii() or "?" in narrow:
            present = passage.characters  # most texts beyond ASCII hold an emoji or two and no other script
            possible = [(anchor, rows) for anchor, rows in self._wide if present.issuperset(anchor)]
            found.update(*[rows for anchor, rows in possible if anchor in passage.lowered])
        return [self._rules[n] for n in sorted(found)]


def _index(anchored: Iterable[tuple[str, int]]) -> list[tuple[str, list[int]]]:
    rows: dict[str, list[int]] = {}
    for anchor, n in anchored:
        rows.setdefault(anchor, []).append(n)
    return list(rows.items())


def _is_narrow(anchor: str) -> bool:
    """Tell whether an anchor is searched for in one byte a character, where all others are ``?``."""
    return anchor.isascii() and "?" not in anchor


def lower(text: str) -> str:
    """Lower-case ``text`` without moving a character: the few that would grow stay."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    lows = {ord(letter): low for letter in set(text) if len(low := letter.lower()) == 1}
    return text.translate(lows)


def matches(rule: Rule, passage: Passage) -> Iterator[tuple[int, int]]:
    """Give the spans in ``passage`` that ``rule`` finds, in order."""
    seen = -1
    for match in _found(rule, passage):
        start, end = match.span("it" if "it" in match.re.groupindex else 0)
        if start > seen and rule.accept(passage.text, match):
            seen = start
            yield start, end


def _found(rule: Rule, passage: Passage) -> list[re.Match[str]]:
    """Give where the pattern matches, found once for the rows that share it."""
    key = (rule.pattern, rule.folded, rule.anchors)
    if key not in passage.found:
        haystack = passage.lowered if rule.folded else passage.text
        windows = _windows(rule, passage)
        passage.found[key] = [
            m for window in windows for m in _compiled(rule.pattern).finditer(haystack, *window)
        ]
    return passage.found[key]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def _windows(rule: Rule, passage: Passage) -> Iterator[tuple[int, int]]:
    if not rule.anchors and rule.spots is None:
        yield 0, len(passage.text)
    first = last = -1
    anchors = filter(passage.may_hold, rule.anchors) if rule.unbroken else rule.anchors
    places = [place for anchor in anchors for place in passage.places(anchor)]
    for place in sorted([*places, *(rule.spots(passage) if rule.spots else ())]):
        if place - WINDOW_BEFORE > last:
            if last >= 0:
                yield first, last
            first = max(0, place - WINDOW_BEFORE)
        last = place + rule.after
    if last >= 0:
        yield first, last


def _places(text: AnyStr, anchor: AnyStr) -> Iterator[int]:
    place = text.find(anchor)
    while place >= 0:
        yield place
        place = text.find(anchor, place + len(anchor))

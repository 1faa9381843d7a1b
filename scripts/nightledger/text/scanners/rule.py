"""One row of the scanners' table, as it is written in ``config/scanners/`` and as it is run in linear time.

Patterns and lists of words are data. A name in braces stands for the fragment of that name; where a list is written
for a pattern, any one of its alternatives matches, and a list's name among anchors stands for all of them.
``{split}`` is nothing: it keeps examples from being whole tokens.

Invariant: every pattern has bounded quantifiers and runs only in windows around its
anchors (plain substrings) or spots (short patterns), so that the cost is linear in the text and a
text without anchors costs one search for each of them. Patterns are compiled when first needed.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import msgspec
from msgspec import Struct, field

from nightledger.domain.finding import Finding, Severity
from nightledger.files.home import shipped_config

WINDOW_BEFORE = 120
"""Characters before an anchor in which a match may begin."""
WINDOW_AFTER = 400
"""Characters after an anchor in which a match must end."""

Accept = Callable[[str, re.Match[str]], bool]


class Rule(Struct, frozen=True, kw_only=True):
    """One row of the scanners' table: a kind of text that they find.

    Several rows may share a name: the same kind in another language or notation.

    Attributes:
        name: Enumerated word, class before kind: ``secret.github``.
        severity: What a match asks for; the most, where its surroundings count.
        message: One line for the operator.
        pattern: Regular expression. Its group ``it``, where there is one, is the finding; "" for what
            code finds.
        anchors: Lower-case substrings, one of which every match holds; () without
            ``spots`` runs the pattern over the whole text.
        spots: Patterns of further places near which to look, for what has no substring of its own.
        folded: Match the lower-cased text instead of the text as written.
        after: Characters after an anchor in which a match must end.
        accept: Second look at a match, given the text as written.
    """

    name: str
    severity: Severity
    message: str
    pattern: str = ""
    anchors: tuple[str, ...] = ()
    spots: tuple[str, ...] = ()
    folded: bool = False
    after: int = WINDOW_AFTER
    accept: Accept | None = None

    def finding(self, start: int, end: int) -> Finding:
        """Return a finding of this row."""
        return Finding(rule=self.name, severity=self.severity, start=start, end=end, message=self.message)


class Passage:
    """A text under scan, with its lower-cased form and where each anchor stands: rows share anchors."""

    def __init__(self, text: str) -> None:
        """Lower-case ``text`` once for all rows."""
        self.text = text
        self.lowered = lower(text)
        self._places: dict[str, tuple[int, ...]] = {}
        self._found: dict[tuple[str, bool, tuple[str, ...]], list[re.Match[str]]] = {}

    def spots(self, pattern: str) -> tuple[int, ...]:
        """Return where ``pattern``, or an anchor with its signs escaped, begins to match, in order."""
        if pattern not in self._places:
            self._places[pattern] = tuple(
                found.start() for found in _compiled(pattern).finditer(self.lowered)
            )
        return self._places[pattern]

    def found(self, rule: Rule) -> list[re.Match[str]]:
        """Return where the pattern matches, found once for the rows that share it."""
        key = (rule.pattern, rule.folded, rule.anchors)
        if key not in self._found:
            text, pattern = self.lowered if rule.folded else self.text, _compiled(rule.pattern)
            self._found[key] = [m for window in self._windows(rule) for m in pattern.finditer(text, *window)]
        return self._found[key]

    def _windows(self, rule: Rule) -> Iterator[tuple[int, int]]:
        if not rule.anchors and not rule.spots:
            yield 0, len(self.text)
        first = last = -1
        near = (*map(re.escape, rule.anchors), *rule.spots)
        for place in sorted(place for pattern in near for place in self.spots(pattern)):
            if place - WINDOW_BEFORE > last:
                if last >= 0:
                    yield first, last
                first = max(0, place - WINDOW_BEFORE)
            last = place + rule.after
        if last >= 0:
            yield first, last


class Table:
    """Rows in their order, and which of them a text can hold anything for.

    Most texts are short and hold no anchor: the presence of each is asked once for all rows.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        """List the anchors of the rows."""
        self.rules = tuple(rules)
        self._anchors = frozenset(anchor for rule in rules for anchor in rule.anchors)

    def possible(self, passage: Passage) -> list[Rule]:
        """Return the rows that may find something in ``passage``, in their order; no other one can."""
        there = {anchor for anchor in self._anchors if anchor in passage.lowered}
        return [
            rule
            for rule in self.rules
            if rule.pattern
            and (
                not there.isdisjoint(rule.anchors)
                or any(map(passage.spots, rule.spots))
                or not (rule.anchors or rule.spots)
            )
        ]

    def find(self, text: str) -> Iterator[Finding]:
        """Return what the rows find in ``text``, row by row."""
        passage = Passage(text)
        for rule in self.possible(passage):
            for start, end in matches(rule, passage):
                yield rule.finding(start, end)


def matches(rule: Rule, passage: Passage) -> Iterator[tuple[int, int]]:
    """Return the spans in ``passage`` that ``rule`` finds, in order."""
    seen = -1
    for match in passage.found(rule):
        start, end = span(match)
        if start > seen and (rule.accept is None or rule.accept(passage.text, match)):
            seen = start
            yield start, end


def span(match: re.Match[str]) -> tuple[int, int]:
    """Return the finding's place in a match: its group ``it``, where it has one."""
    return match.span("it" if "it" in match.re.groupindex else 0)


def lower(text: str) -> str:
    """Lower-case ``text`` without moving a character: the few that would grow stay."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


Pattern = str | tuple[str, ...]
_NAME = re.compile(r"\{([a-z][a-z_]+)\}")


class WrittenRow(Struct, frozen=True, kw_only=True):
    """A row as it is written, its fragments put in; most fields are those of ``Rule``.

    Attributes:
        why: One line for the operator.
        catches: Texts that it must find; tests run them.
        spares: Texts that it must not find; tests run them.
        as_written: Match the text as written instead of the lower-cased one.
        value: Tests that the value must pass (``secret_value.TESTS``): ``random 16``, ``not masked``.
        whole: Whether no dots may follow that stand for the rest of a shortened value.
        like: Pattern that stands in the value.
        unlike: Pattern that does not.
        before: Pattern that stands in the lower-cased text before the value.
        not_before: Pattern that does not.
        ordered: Texts for a second row of the same pattern, which holds back a command that is ordered.
    """

    name: str
    severity: Severity
    why: str
    catches: tuple[str, ...]
    spares: tuple[str, ...]
    pattern: Pattern = ""
    anchors: tuple[str, ...] = ()
    spots: tuple[str, ...] = ()
    as_written: bool = False
    after: int = WINDOW_AFTER
    value: tuple[str, ...] = ()
    whole: bool = False
    like: str = ""
    unlike: str = ""
    before: str = ""
    not_before: str = ""
    ordered: tuple[str, ...] = ()


class Written(Struct, frozen=True, kw_only=True):
    """One file: rows, the fragments of their patterns, and lists of rows by name."""

    rules: tuple[WrittenRow, ...]
    fragments: dict[str, Pattern] = field(default_factory=dict)
    wide: frozenset[str] = frozenset()
    """Rows that stay silent inside what a row before them found."""
    told: frozenset[str] = frozenset()
    """Rows whose value nothing but its label gives away."""

    def text(self, written: Pattern) -> str:
        """Return a pattern or example with its fragments put in."""
        if not isinstance(written, str):
            return "|".join(map(self.text, written))
        return _NAME.sub(self._fragment, written) if "{" in written else written

    def words(self, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return a list of words with the lists that it names put in."""
        found = list[str]()
        for word in written:
            named = self.fragments.get(word[1:-1]) if _NAME.fullmatch(word) else None
            found += self.words(named) if isinstance(named, tuple) else (word,)
        return tuple(found)

    def _fragment(self, name: re.Match[str]) -> str:
        fragment = self.fragments.get(name[1], name[0])
        return f"(?:{self.text(fragment)})" if isinstance(fragment, tuple) else self.text(fragment)


@cache
def written(name: str) -> Written:
    """Return the file ``config/scanners/<name>.json``."""
    return msgspec.json.decode(shipped_config(f"scanners/{name}.json"), type=Written)


@cache
def fragment(file: str, name: str) -> re.Pattern[str]:
    """Return one fragment of a file, for what code looks for by itself."""
    return re.compile(written(file).text(f"{{{name}}}"))

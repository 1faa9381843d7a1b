"""One row of the scanners' table, as it is written in ``config/scanners/`` or an operator's rule file, and as it is run in linear time.

Patterns and lists of words are data. A name in braces stands for the fragment of that name; where a list is written
for a pattern, any one of its alternatives matches, and a list's name among anchors stands for all of them.
``{split}`` is nothing: it keeps examples from being whole tokens.

Invariant: every pattern has bounded quantifiers and runs only in windows around its
anchors (plain substrings) or spots (short patterns), so that the cost is linear in the text and a
text without anchors costs one search for each of them at most. Patterns are compiled when first needed.

A rule file has gitleaks' format, for secrets of the operator's own making; it is kept by others and read by path, and what
it says only ever blocks more. Its patterns are RE2's: they are carried over into Python's syntax, where they mean the same
but for ``$``, which here ends a line too. It is used whole or not at all, every rule that cannot be used named; its rows,
too, run only near their keywords, so a pattern that backtracks does so in a short stretch.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct, field

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.finding import Finding, Severity
from nightledger.files.home import shipped_config

WINDOW_BEFORE = 120
"""Characters before an anchor in which a match may begin."""
WINDOW_AFTER = 400
"""Characters after an anchor in which a match must end."""

_COMMON = "+=@zq?_#*`j(:/k-0123456789gxvf.wbhyupimclrtadse on"
"""Signs that many texts hold, the rarer ones first: a text without the rarest of an anchor is not searched for it."""

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
        also: Lower-case substrings, one of which every match holds, too, and few texts.
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
    also: tuple[str, ...] = ()
    folded: bool = False
    after: int = WINDOW_AFTER
    accept: Accept | None = None

    def finding(self, start: int, end: int) -> Finding:
        """Return a finding of this row."""
        return Finding(rule=self.name, severity=self.severity, start=start, end=end, message=self.message)


class Passage:
    """A text under scan, with its lower-cased form and what stands where in it: rows share anchors.

    Attributes:
        text: As written.
        lowered: Its lower-cased form.
        standing: The anchors that stand in it, of the tables that were asked about it: near these their rows look.
    """

    def __init__(self, text: str) -> None:
        """Lower-case ``text`` once for all rows."""
        self.text = text
        self.lowered = lower(text)
        self.standing: set[str] = set()
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
        near = (*map(re.escape, self.standing.intersection(rule.anchors)), *rule.spots)
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
        """List which rows an anchor is of; one that needs neither anchor nor spot is of the empty one."""
        self.rules = tuple(rules)
        self._spotted = [(n, rule.spots) for n, rule in enumerate(rules) if rule.pattern and rule.spots]
        self._anchored: dict[str, list[int]] = {}
        for n, rule in enumerate(rules):
            for anchor in (rule.anchors or ("",) * (not rule.spots)) if rule.pattern else ():
                self._anchored.setdefault(anchor, []).append(n)
        self._by_sign: dict[str, list[str]] = {}
        for anchor in self._anchored:
            self._by_sign.setdefault(min(anchor, key=_COMMON.find, default=""), []).append(anchor)

    def possible(self, passage: Passage) -> list[Rule]:
        """Return the rows that may find something in ``passage``, in their order; no other one can."""
        lowered = passage.lowered
        found = {
            one for sign, some in self._by_sign.items() if sign in lowered for one in some if one in lowered
        }
        passage.standing |= found
        fits = {n for anchor in found for n in self._anchored[anchor]}
        fits |= {n for n, spots in self._spotted if n not in fits and any(map(passage.spots, spots))}
        rules = (self.rules[n] for n in sorted(fits))
        return [rule for rule in rules if not rule.also or any(map(lowered.__contains__, rule.also))]

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


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters of ``value``, in bits a character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


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
    also: tuple[str, ...] = ()
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


AFTER = 4000
"""Characters after a keyword in which a match must end: a private key's length."""
_UNUSABLE = (re.error, ValueError, KeyError, OverflowError, RecursionError)
"""What a rule raises that cannot be used; the last two are by Python's reader of patterns."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]|\(\?[ims]*-?[ims]+\)|.", re.DOTALL)
"""An escape, a class of characters, flags, or a character."""
_NAMED = re.compile(r"\[:([a-z]+):\]")
_SET_SIGNS = re.compile(r"(\\.)|\[|(?<=&)&|(?<=~)~|(?<=\|)\||(?<=-)-")
"""What Python may come to read as a set inside a set; an escaped character is left as it is."""
_POSIX = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "space": r"\s", "word": r"\w",
    "xdigit": "0-9a-fA-F", "punct": r"!-/:-@\[-`{-~", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f",
}  # fmt: skip
"""Named classes of RE2 (its syntax page) as ranges."""


_Excuse = Callable[[str, re.Match[str], str], bool]
_HINT = "rule_files in operator.yaml names files in gitleaks' format: [[rules]] with id, regex and keywords"


class _Allowlist(Struct, rename="camel"):
    """What is no secret, by gitleaks' names."""

    condition: str = "OR"
    regex_target: str = "secret"
    regexes: tuple[str, ...] = ()
    stopwords: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class _Owner(Struct, kw_only=True, rename="camel"):
    """A rule or the file, with its exceptions."""

    allowlists: tuple[_Allowlist, ...] = ()
    allowlist: _Allowlist | None = None


class _File(_Owner):
    rules: tuple[dict[str, Any], ...] = ()


class _WrittenRule(_Owner, kw_only=True, rename="camel"):
    regex: str
    id: str = ""
    keywords: tuple[str, ...] = ()
    entropy: float = 0
    secret_group: int = 0


def parse_rule_file(raw: bytes, *, where: str) -> tuple[Rule, ...]:
    """Return the rows of a rule file; rules about file names only are left out.

    Args:
        raw: TOML, as ``gitleaks --config`` reads it.
        where: The file, for messages.

    Raises:
        ConfigurationError: It is no such file, or rules cannot be used; all of them are named.
    """
    import tomllib  # for the few who keep such a file

    try:
        read = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, and deep nests
        raise ConfigurationError(f"{where} is not TOML: {error}", hint=_HINT) from error
    if "extend" in read:
        raise ConfigurationError(f"{where} extends another file", hint="name each file under rule_files")
    found, wrong, rules, shared = list[Rule](), list[str](), tuple[dict[str, Any], ...](), list[_Excuse]()
    try:
        file = msgspec.convert(read, _File)
        rules, shared = file.rules, _excuses(file)
    except _UNUSABLE as error:
        wrong.append(str(error))
    for n, rule in enumerate(rules, 1):
        try:
            found += [_row(msgspec.convert(rule, _WrittenRule), shared)] if "regex" in rule else []
        except _UNUSABLE as error:
            wrong.append(f"rule {n} ({rule.get('id', 'without id')}): {error}")
    if wrong or not found:
        problems = "\n  ".join(wrong or ["it holds no rule"])
        raise ConfigurationError(f"{where} cannot be used:\n  {problems}", hint=_HINT)
    return tuple(found)


def _row(rule: _WrittenRule, shared: Sequence[_Excuse]) -> Rule:
    if not _ID.fullmatch(rule.id):
        raise ValueError("its id is no short word")
    pattern, group = python_pattern(rule.regex), rule.secret_group
    if not 0 <= group <= re.compile(pattern, re.MULTILINE).groups:
        raise ValueError("it has no group of that number")
    excuses = (*shared, *_excuses(rule))

    def is_secret(text: str, match: re.Match[str]) -> bool:
        secret = (match[group] if group else next(filter(None, match.groups()), match[0])) or ""
        return entropy(secret) >= rule.entropy and not any(excuse(text, match, secret) for excuse in excuses)

    return Rule(
        name=f"secret.own.{rule.id.lower()}",
        severity=Severity.BLOCK,
        message=f"matches {rule.id} of the operator's rule file",
        anchors=tuple(word.lower() for word in rule.keywords),
        pattern=pattern,
        accept=is_secret,
        after=AFTER,
    )


def _excuses(owner: _Owner) -> list[_Excuse]:
    """Return the exceptions of a rule or of the file; those that need a path do not hold here, where there is none."""
    lists = (*owner.allowlists, *([owner.allowlist] if owner.allowlist else ()))
    return [_excuse(entry) for entry in lists if not (entry.condition.upper() == "AND" and entry.paths)]


def _excuse(entry: _Allowlist) -> _Excuse:
    patterns = [re.compile(python_pattern(pattern)) for pattern in entry.regexes]
    words = [word.lower() for word in entry.stopwords]
    together = all if entry.condition.upper() == "AND" else any

    def excuses(text: str, match: re.Match[str], secret: str) -> bool:
        looked_at = {"match": match[0], "line": _line(text, match)}.get(entry.regex_target, secret)
        says = [any(pattern.search(looked_at) for pattern in patterns)] if patterns else []
        says += [any(word in secret.lower() for word in words)] if words else []
        return bool(says) and together(says)

    return excuses


def _line(text: str, match: re.Match[str]) -> str:
    end = text.find("\n", match.end())
    return text[text.rfind("\n", 0, match.start()) + 1 : end if end >= 0 else len(text)]


def python_pattern(pattern: str) -> str:
    r"""Carry a pattern over from RE2's syntax.

    A flag in the middle, ``(?i)``, holds to the end of its group there: it becomes a group of its own,
    one for each alternative. ``\z`` is ``\Z`` here, ``[[:alnum:]]`` its ranges.

    Raises:
        ValueError: It is not balanced.
        KeyError: It names a class that there is not.
    """
    out, opened = list[str](), list[list[str]]([[]])
    for piece in _PIECE.findall(pattern):
        if piece.startswith("(?") and piece.endswith(")"):
            opened[-1].append(f"{piece[:-1]}:")
            out.append(opened[-1][-1])
        elif piece == "(":
            opened.append([])
            out.append(piece)
        elif piece == "|":
            out += [")" * len(opened[-1]), piece, *opened[-1]]
        elif piece == ")":
            out.append(")" * (len(opened.pop()) + 1))
            if not opened:
                raise ValueError("its parentheses are not balanced")
        else:
            out.append(_of_python(piece))
    if len(opened) != 1:
        raise ValueError("its parentheses are not balanced")
    return "".join([*out, ")" * len(opened[0])])


def _of_python(piece: str) -> str:
    """Return an escape, a class or a character as Python writes it."""
    if piece == "[":
        raise ValueError("its brackets are not balanced")
    if piece.startswith("["):
        named = _NAMED.sub(lambda name: _POSIX[name[1]], piece[1:-1])
        return "[" + _SET_SIGNS.sub(lambda sign: sign[1] or f"\\{sign[0]}", named) + "]"
    return r"\Z" if piece == r"\z" else piece

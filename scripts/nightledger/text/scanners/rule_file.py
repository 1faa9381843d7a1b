"""Rows from a rule file in gitleaks' format, for secrets of the operator's own making.

A rule file is kept by others and read by path; what it says only ever blocks more. Patterns are
RE2's: they are carried over into Python's syntax, where they mean the same but for ``$``, which
here ends a line too.

Invariant: a file is used whole or not at all, every rule that cannot be used named; like all rows,
these run only near their keywords, so a pattern that backtracks does so in a short stretch.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.finding import Finding, Severity
from nightledger.text.scanners.rule import Passage, Rule, Table, matches
from nightledger.text.scanners.secret_value import entropy

AFTER = 4000
"""Characters after a keyword in which a match must end: a private key's length."""
_UNUSABLE = (re.error, ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""What a rule raises that cannot be used; the last two are by Python's reader of patterns."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_FLAGS = re.compile(r"\(\?(?P<flags>[ims]*-?[ims]+)\)")
_NAMED = re.compile(r"\[:([a-z]+):\]")
_SET_SIGNS = re.compile(r"(\\.)|\[|(?<=&)&|(?<=~)~|(?<=\|)\||(?<=-)-")
"""What Python may come to read as a set inside a set; an escaped character is left as it is."""
_POSIX = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "space": r"\s", "word": r"\w",
    "xdigit": "0-9a-fA-F", "punct": r"!-/:-@\[-`{-~", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f",
}  # fmt: skip
"""Named classes of RE2 (its syntax page) as ranges."""


def parse_rule_file(raw: bytes, *, where: str) -> tuple[Rule, ...]:
    """Give the rows of a rule file; rules about file names only are left out.

    Args:
        raw: TOML, as ``gitleaks --config`` reads it.
        where: The file, for messages.

    Raises:
        ConfigurationError: It is no such file, or rules cannot be used; all of them are named.
    """
    try:
        read = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, and deep nests
        raise ConfigurationError(f"{where} is not TOML: {error}", hint=_HINT) from error
    if "extend" in read:
        raise ConfigurationError(f"{where} extends another file", hint="name each file under rule_files")
    found, wrong = list[Rule](), list[str]()
    for n, rule in enumerate(_tables(read, "rules"), 1):
        if "regex" in rule:
            try:
                found.append(_row(rule, _allowed(read)))
            except _UNUSABLE as error:
                wrong.append(f"rule {n} ({rule.get('id', 'without id')}): {error}")
    if wrong or not found:
        problems = "\n  ".join(wrong or ["it holds no rule"])
        raise ConfigurationError(f"{where} cannot be used:\n  {problems}", hint=_HINT)
    return tuple(found)


def find_own(rules: Table, text: str) -> Iterator[Finding]:
    """Give what rows of rule files find in ``text``."""
    passage = Passage(text)
    for rule in rules.possible(passage):
        for start, end in matches(rule, passage):
            yield Finding(rule=rule.name, severity=rule.severity, start=start, end=end, message=rule.message)


_HINT = "rule_files in operator.yaml names files in gitleaks' format: [[rules]] with id, regex and keywords"


def _row(rule: Mapping[str, Any], allowed: Sequence[Mapping[str, Any]]) -> Rule:
    name = rule.get("id")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise ValueError("its id is no short word")
    pattern = python_pattern(rule["regex"])
    group = rule.get("secretGroup", 0)
    if not 0 <= group <= re.compile(pattern, re.MULTILINE).groups:
        raise ValueError("it has no group of that number")
    excused = [_excuse(entry) for entry in (*allowed, *_allowed(rule))]
    return Rule(
        name=f"secret.own.{name.lower()}",
        severity=Severity.BLOCK,
        message=f"matches {name} of the operator's rule file",
        anchors=tuple(word.lower() for word in _texts(rule, "keywords")),
        pattern=pattern,
        catches=(),
        spares=(),
        accept=partial(_is_secret, group=group, bits=float(rule.get("entropy", 0)), excused=excused),
        after=AFTER,
    )


def _is_secret(
    text: str, match: re.Match[str], *, group: int, bits: float, excused: Sequence["partial[bool]"]
) -> bool:
    secret = match[group] if group else next((part for part in match.groups() if part), match[0])
    return entropy(secret or "") >= bits and not any(excuse(text, match, secret or "") for excuse in excused)


def _allowed(owner: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Give the exceptions of a rule or of the file; those that need a path do not hold here, where there is none."""
    single = {"allowlist": [owner["allowlist"]] if "allowlist" in owner else []}
    entries = [*_tables(owner, "allowlists"), *_tables(single, "allowlist")]
    return [entry for entry in entries if not (_asks_all(entry) and entry.get("paths"))]


def _asks_all(entry: Mapping[str, Any]) -> bool:
    return _text(entry, "condition", "OR").upper() == "AND"


def _excuse(entry: Mapping[str, Any]) -> "partial[bool]":
    return partial(
        _is_excused,
        target=_text(entry, "regexTarget", "secret"),
        every=_asks_all(entry),
        patterns=[re.compile(python_pattern(pattern)) for pattern in _texts(entry, "regexes")],
        words=[word.lower() for word in _texts(entry, "stopwords")],
    )


def _is_excused(  # noqa: PLR0913 - the fields of an exception
    text: str, match: re.Match[str], secret: str, *, target: str, every: bool, patterns: Sequence[re.Pattern[str]], words: Sequence[str],
) -> bool:  # fmt: skip
    looked_at = {"match": match[0], "line": _line(text, match)}.get(target, secret)
    says = []
    if patterns:
        says.append(any(pattern.search(looked_at) for pattern in patterns))
    if words:
        says.append(any(word in secret.lower() for word in words))
    return bool(says) and (all(says) if every else any(says))


def _line(text: str, match: re.Match[str]) -> str:
    end = text.find("\n", match.end())
    return text[text.rfind("\n", 0, match.start()) + 1 : end if end >= 0 else len(text)]


def _tables(owner: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = owner.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise ConfigurationError(f"{key} is no list of tables", hint=_HINT)
    return found


def _text(owner: Mapping[str, Any], key: str, default: str) -> str:
    found = owner.get(key, default)
    if not isinstance(found, str):
        raise ValueError(f"{key} is no text")  # noqa: TRY004 - a mistake in a file, told like all others
    return found


def _texts(owner: Mapping[str, Any], key: str) -> list[str]:
    found = owner.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError(f"{key} is no list of texts")
    return found


def python_pattern(pattern: str) -> str:
    r"""Carry a pattern over from RE2's syntax.

    A flag in the middle, ``(?i)``, holds to the end of its group there: it becomes a group of its own,
    one for each alternative. ``\z`` is ``\Z`` here, ``[[:alnum:]]`` its ranges.

    Raises:
        ValueError: It is not balanced.
    """
    out, opened, at = list[str](), list[list[str]]([[]]), 0
    while at < len(pattern):
        flags = _FLAGS.match(pattern, at)
        if flags:
            opened[-1].append(f"(?{flags['flags']}:")
            out.append(opened[-1][-1])
            at = flags.end()
            continue
        piece = _piece(pattern, at)
        at += len(piece)
        out.append(_carried(piece, opened))
    if len(opened) != 1:
        raise ValueError("its parentheses are not balanced")
    return "".join([*out, ")" * len(opened[0])])


def _piece(pattern: str, at: int) -> str:
    """Give the next escape, character class or character."""
    if pattern[at] == "\\":
        return pattern[at : at + 2]
    if pattern[at] != "[":
        return pattern[at]
    end = at + 2 if pattern[at + 1 : at + 2] == "^" else at + 1
    end += pattern[end : end + 1] == "]"  # a bracket that comes first is one of the characters
    while pattern[end : end + 1] != "]":
        if end >= len(pattern):
            raise ValueError("its brackets are not balanced")
        named = _NAMED.match(pattern, end)
        end += len(named[0]) if named else 2 if pattern[end] == "\\" else 1
    return pattern[at : end + 1]


def _carried(piece: str, opened: list[list[str]]) -> str:
    if piece == "(":
        opened.append([])
    elif piece == ")":
        if len(opened) == 1:
            raise ValueError("its parentheses are not balanced")
        return ")" * (len(opened.pop()) + 1)
    elif piece == "|":
        return ")" * len(opened[-1]) + "|" + "".join(opened[-1])
    elif piece == r"\z":
        return r"\Z"
    elif piece.startswith("["):
        named = _NAMED.sub(lambda name: _POSIX[name[1]], piece[1:-1])
        return "[" + _SET_SIGNS.sub(lambda sign: sign[1] or f"\\{sign[0]}", named) + "]"
    return piece

"""Rows from a rule file in gitleaks' format, for secrets of the operator's own making.

A rule file is kept by others and read by path; what it says only ever blocks more. Patterns are
RE2's: they are carried over into Python's syntax, where they mean the same but for ``$``, which
here ends a line too.

Invariant: a file is used whole or not at all, every rule that cannot be used named; like all rows,
these run only near their keywords, so a pattern that backtracks does so in a short stretch.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.finding import Finding, Severity
from nightledger.text.scanners.rule import Rule, Table
from nightledger.text.scanners.secrets import entropy

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


def find_own(rules: Table, text: str) -> Iterator[Finding]:
    """Yield what rows of rule files find in ``text``."""
    return rules.find(text)


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

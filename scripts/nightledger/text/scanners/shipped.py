"""What the scanners look for, as it is written in ``config/scanners/``.

Invariant: patterns and lists of words are data. A name in braces stands for the fragment of that
name; where a list is written for a pattern, any one of its alternatives matches, and a list's name among
anchors stands for all of them. ``{split}`` is nothing: it keeps examples from being whole tokens.
"""

import re
from dataclasses import dataclass, field
from functools import cache

import msgspec

from nightledger.domain.finding import Severity
from nightledger.files.shipped import shipped_config
from nightledger.text.scanners.rule import WINDOW_AFTER

Pattern = str | tuple[str, ...]
_NAME = re.compile(r"\{([a-z][a-z_]+)\}")


@dataclass(frozen=True, kw_only=True)
class WrittenRow:
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


@dataclass(frozen=True, kw_only=True)
class Written:
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

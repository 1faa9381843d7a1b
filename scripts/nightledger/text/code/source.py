"""From a text that says it is Python to a syntax tree: prompts, magics, indentation, limits.

Invariant: nothing is run, nothing raises; what could not be parsed is named by its line. Lines
keep their numbers, and columns can be told in the text as it was given.
"""

import ast
import re
import warnings
from dataclasses import dataclass, replace

MOST_CHARACTERS = 262_144
"""A longer text is not audited: a snippet that nobody can read is none."""
MOST_LEVELS = 900
"""Levels of a tree that are walked by functions which call themselves."""
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.|In \[\d*\]:|\.{3,}:)(?: |$)")
_FIRST_PROMPT = re.compile(r"\s*(?:>>> |In \[\d*\]: )", re.MULTILINE)
_MAGIC = re.compile(r"(\s*)(?:[\w, ()]+=\s*)?(!{1,2}|%{1,2})([A-Za-z_./~(\"'$\\{-].*)$")
_QUIET_MAGIC = re.compile(r"matplotlib|time|timeit|config|autoreload|load_ext|prun|capture|who|env\b")
_CODING = re.compile(
    r"^[ \t\f]*#.*?coding[:=][ \t]*(?!utf-?8|ascii|latin|iso-8859|cp125)[-\w.]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Something told about a line before there is a tree: a magic, a text that does not parse."""

    line: int
    rule: str
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text as it could be read.

    Attributes:
        tree: What was parsed; None if it is no Python.
        lines: Its lines as parsed, for columns.
        removed: Characters that were taken off the front of each line.
        places: Magics, and why it was not parsed.
    """

    tree: ast.Module | None
    lines: tuple[str, ...] = ()
    removed: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()

    def column(self, line: int, offset_bytes: int) -> int:
        """Give the column, from 1, in the text as given, of a byte offset that the parser tells."""
        if not 1 <= line <= len(self.lines):
            return 1
        inside = self.lines[line - 1].encode("utf-8", "surrogatepass")[:offset_bytes]
        return len(inside.decode("utf-8", "ignore")) + self.removed[line - 1] + 1


def read_source(text: str) -> Source:
    """Parse ``text`` as it stands, then in the forms in which Python is pasted; never raises."""
    if len(text) > MOST_CHARACTERS:
        return Source(tree=None, places=(Place(line=1, rule="code.too_large"),))
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    told = [
        Place(line=n, rule="code.detour", what="coding")
        for n in (1, 2)
        if _CODING.match("".join(lines[n - 1 : n]))
    ]
    tree, source, problem = None, Source(tree=None), Place(line=1, rule="code.unparsable")
    for source in _variants(lines):
        tree, problem = parse("\n".join(source.lines))
        if tree is not None or problem.rule == "code.too_deep":
            break
    places = (*told, *source.places, *(() if tree is not None else (problem,)))
    return replace(source, tree=tree, places=places)


def parse(code: str) -> tuple[ast.Module | None, Place]:
    """Parse, and say why not: too deep, or not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (RecursionError, MemoryError):
        return None, Place(line=1, rule="code.too_deep")
    except SyntaxError as error:
        deep = "too many" in str(error.msg) or "too complex" in str(error.msg)
        return None, Place(line=error.lineno or 1, rule="code.too_deep" if deep else "code.unparsable")
    except ValueError:  # a null byte, half a surrogate
        return None, Place(line=1, rule="code.unparsable")
    level: list[ast.AST] = [tree]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree, Place(line=1, rule="")
    return None, Place(line=1, rule="code.too_deep")


def _variants(lines: list[str]) -> list[Source]:
    margin = min((len(line) - len(line.lstrip(" \t")) for line in lines if line.strip()), default=0)
    plain = [line[margin:] for line in lines]
    given = Source(tree=None, lines=tuple(lines), removed=(0,) * len(lines))
    variants = [given, replace(given, lines=tuple(plain), removed=(margin,) * len(lines))]
    if any(map(_FIRST_PROMPT.match, plain)):  # between prompts stands output
        ends = [match.end() if (match := _PROMPT.match(line)) else len(line) for line in plain]
        plain = [line[end:] for line, end in zip(plain, ends, strict=True)]
        removed = tuple(margin + end for end in ends)
        variants.append(replace(given, lines=tuple(plain), removed=removed))
    if any(map(_MAGIC.match, plain)):
        variants.append(_without_magics(replace(variants[-1], lines=tuple(plain))))
    return variants


def _without_magics(source: Source) -> Source:
    """Name what a notebook hands to the shell, and leave Python in its place."""
    lines, places = list(source.lines), []
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    for at, line in enumerate(lines):
        if (match := _MAGIC.match(line)) is None:
            continue
        indent, mark, rest = match.groups()
        lines[at] = f"{indent}pass"
        if mark[0] == "!" or not _QUIET_MAGIC.match(rest):
            places.append(
                Place(
                    line=at + 1, rule="code.notebook", what=mark if mark[0] == "!" else mark + rest.split()[0]
                )
            )
        if mark == "%%" and at == first and places:
            lines[at + 1 :] = [""] * (len(lines) - at - 1)
            break
    return replace(source, lines=tuple(lines), places=tuple(places))

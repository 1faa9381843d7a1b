"""From a text that says it is Python to a syntax tree: prompts, magics, Python 2, indentation, limits.

Invariant: nothing is run, nothing raises; what could not be parsed is named by its line. Lines keep
their numbers, and columns can be told in the text as it was given.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

MOST_CHARACTERS = 262_144
"""A longer text is not audited: a snippet that nobody can read is none."""
MOST_LEVELS = 2_500
"""What any Python takes: 3.11 parses just below 3,000 levels, fewer from deep in a program, and 3.13 many more."""
MOST_PIECES = 2000
"""Pieces that are tried one by one where the whole does not parse."""
_PROMPT = re.compile(r"(\s*)(>>>|\.\.\.|In \[\d*\]:|\.{3,}:)(?: |$)")
_FIRST_PROMPT = re.compile(r"\s*(?:>>> |In \[\d*\]: )")
_MAGIC = re.compile(r"(\s*)((?:[\w, ()]+=\s*)?)(!{1,2}|%{1,2})([A-Za-z_./~(\"'$\\{-].*)$")
_HELP = re.compile(r"\s*\??\??[\w.]+\?{1,2}\s*$")
_QUIET_MAGIC = frozenset(
    {"matplotlib", "time", "timeit", "pylab", "config", "who", "whos", "precision", "autoreload", "load_ext", "prun", "pinfo", "capture", "reset", "history", "pwd", "ls", "mprun", "lprun", "memit", "memory_profiler", "debug", "pdb", "xmode", "colors", "env"}
)  # fmt: skip
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
_PLAIN_CODINGS = frozenset(
    {
        "utf-8",
        "utf8",
        "utf-8-sig",
        "utf_8",
        "ascii",
        "us-ascii",
        "latin-1",
        "latin1",
        "iso-8859-1",
        "iso-8859-15",
        "cp1252",
        "windows-1252",
        "utf-8-unix",
    }
)
_CONTINUES = re.compile(r"(?:else|elif|except|finally|case)\b|[)\]}]|#")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Something told about a line before there is a tree: a magic, a part that does not parse."""

    line: int
    rule: str
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text, as far as it could be read as Python.

    Attributes:
        tree: What was parsed; None if nothing.
        whole: Whether that is all of it.
        lines: Its lines as parsed, for columns.
        removed: Characters that were taken off the front of each line.
        places: Magics, and where it does not parse.
    """

    tree: ast.Module | None
    whole: bool
    lines: tuple[str, ...] = ()
    removed: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()

    def column(self, line: int, offset_bytes: int) -> int:
        """Give the column, from 1, in the text as given, of a byte offset that the parser tells."""
        if not 1 <= line <= len(self.lines):
            return 1
        inside = self.lines[line - 1].encode("utf-8", "surrogatepass")[:offset_bytes]
        return len(inside.decode("utf-8", "ignore")) + self.removed[line - 1] + 1


@dataclass(slots=True)
class _Draft:
    """Lines on their way to the parser."""

    lines: list[str]
    removed: list[int]
    places: list[Place] = field(default_factory=list)

    def copy(self, change: Callable[["_Draft"], None]) -> "_Draft":
        made = _Draft([*self.lines], [*self.removed], [*self.places])
        change(made)
        return made


def read_source(text: str) -> Source:
    """Parse ``text`` as well as it can be; never raises."""
    if len(text) > MOST_CHARACTERS:
        return Source(tree=None, whole=False, places=(Place(line=1, rule="code.too_large"),))
    coding = _CODING.search("\n".join(text.splitlines()[:2]))
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    draft = _Draft(lines, [0] * len(lines))
    if coding is not None and coding[1].lower() not in _PLAIN_CODINGS:
        draft.places.append(
            Place(line=1, rule="code.detour", what="a coding under which the text reads otherwise")
        )
    problem = Place(line=1, rule="code.unparsable")
    last = draft
    for variant in _variants(draft):
        tree, problem = parse("\n".join(variant.lines))
        last = variant
        if tree is not None:
            return _source(tree, variant, whole=True)
        if problem.rule == "code.too_deep":
            break
    return _in_pieces(last, problem)


def parse(code: str) -> tuple[ast.Module | None, Place]:
    """Parse, and say why not: too deep, or not Python; bounded by the parser's own limits and by :data:`MOST_LEVELS`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
        if _is_deep(tree):
            return None, Place(line=1, rule="code.too_deep")
        return tree, Place(line=1, rule="")
    except (RecursionError, MemoryError):
        return None, Place(line=1, rule="code.too_deep")
    except SyntaxError as error:
        deep = "too many" in str(error.msg) or "too complex" in str(error.msg)
        return None, Place(line=error.lineno or 1, rule="code.too_deep" if deep else "code.unparsable")
    except ValueError:  # a null byte, half a surrogate
        return None, Place(line=1, rule="code.unparsable")


def _is_deep(tree: ast.Module) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _source(tree: ast.Module | None, draft: _Draft, *, whole: bool) -> Source:
    return Source(
        tree=tree,
        whole=whole,
        lines=tuple(draft.lines),
        removed=tuple(draft.removed),
        places=tuple(draft.places),
    )


def _variants(draft: _Draft) -> Iterator[_Draft]:
    """Give the text as it stands, then in the forms in which Python is pasted."""
    yield draft
    plain = draft.copy(_dedent)
    if plain.lines != draft.lines:
        yield plain
    if any(_FIRST_PROMPT.match(line) for line in plain.lines):
        plain = plain.copy(_without_prompts)
        yield plain
    if any(_MAGIC.match(line) or _HELP.match(line) for line in plain.lines):
        plain = plain.copy(_without_magics)
        yield plain
    older = plain.copy(_from_python2)
    if older.lines != plain.lines:
        yield older


def _dedent(draft: _Draft) -> None:
    filled = [line for line in draft.lines if line.strip()]
    margin = min((len(line) - len(line.lstrip(" \t")) for line in filled), default=0)
    for at, line in enumerate(draft.lines):
        draft.lines[at], draft.removed[at] = line[margin:] if line.strip() else "", margin


def _without_prompts(draft: _Draft) -> None:
    """Keep what stands behind prompts; between them is output."""
    for at, line in enumerate(draft.lines):
        match = _PROMPT.match(line)
        draft.removed[at] += match.end() if match else 0
        draft.lines[at] = line[match.end() :] if match else ""


def _without_magics(draft: _Draft) -> None:
    """Name what a notebook hands to the shell, and leave Python in its place."""
    first = next((at for at, line in enumerate(draft.lines) if line.strip()), 0)
    going_on = False
    for at, line in enumerate(draft.lines):
        match = _MAGIC.match(line)
        if going_on:
            draft.lines[at], going_on = "", line.endswith("\\")
        elif match:
            indent, assigned, mark, rest = match.groups()
            word = rest.split()[0]
            going_on = line.endswith("\\")
            draft.lines[at] = f"{indent}{assigned.strip()} None" if assigned.strip() else f"{indent}pass"
            if mark[0] == "!" or word not in _QUIET_MAGIC:
                draft.places.append(
                    Place(line=at + 1, rule="code.notebook", what=mark if mark[0] == "!" else mark + word)
                )
                if mark == "%%" and at == first:
                    draft.lines[at + 1 :] = [""] * (len(draft.lines) - at - 1)
                    return
        elif _HELP.match(line):
            draft.lines[at] = "pass"


_PYTHON2: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^(\s*(?:.*:\s+)?)print\s*>>\s*[\w.]+\s*,?\s*(.*)$"), r"\1print(\2)"),
    (re.compile(r"^(\s*(?:[^\"'#]*:\s+)?)print\s+(?![=(])(.+?),?\s*$"), r"\1print(\2)"),
    (re.compile(r"^(\s*)print\s*$"), r"\1print()"),
    (re.compile(r"^(\s*(?:[^\"'#]*:\s+)?)exec\s+(?![=(])(.+?)(?:\s+in\s+.+)?$"), r"\1exec(\2)"),
    (re.compile(r"^(\s*)except\s+([\w.]+|\([^)]*\))\s*,\s*(\w+)\s*:"), r"\1except \2 as \3:"),
    (re.compile(r"^(\s*)raise\s+([\w.]+)\s*,\s*(.+)$"), r"\1raise \2(\3)"),
    (re.compile(r"(?<![\w.])0([0-7]{2,})(?![\w.])"), r"0o\1"),
    (re.compile(r"(?<![\w])[uU][rR](?=[\"'])"), "r"),
    (re.compile(r"<>"), "!="),
    (re.compile(r"`([^`]+)`"), r"repr(\1)"),
)


def _from_python2(draft: _Draft) -> None:
    """Write the statements of Python 2 that Python 3 cannot parse as calls."""
    for at, line in enumerate(draft.lines):
        for pattern, replacement in _PYTHON2:
            draft.lines[at] = pattern.sub(replacement, draft.lines[at]) if len(line) < 1000 else line  # noqa: PLR2004 - no statement of a person


def _in_pieces(draft: _Draft, problem: Place) -> Source:
    """Parse what parses of a text whose whole does not, and name the first line that does not."""
    kept = ["" for _ in draft.lines]
    failed: list[Place] = []
    for first, last in _pieces(draft.lines):
        piece = draft.lines[first:last]
        tree, wrong = parse("\n".join(piece))
        if tree is None:
            failed.append(Place(line=first + wrong.line, rule=wrong.rule))
        else:
            kept[first:last] = piece
    tree, _ = parse("\n".join(kept))
    deep = next((place for place in failed if place.rule == "code.too_deep"), None)
    told = deep or (problem if problem.rule == "code.too_deep" else failed[0] if failed else problem)
    return _source(tree, _Draft(kept, draft.removed, [*draft.places, told]), whole=False)


def _pieces(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Give the spans of top-level statements, as indentation tells them."""
    starts = [at for at, line in enumerate(lines) if line[:1].strip() and not _CONTINUES.match(line)]
    starts = [at for n, at in enumerate(starts) if n == 0 or not lines[starts[n - 1]].startswith("@")][
        :MOST_PIECES
    ]
    yield from zip(starts, [*starts[1:], len(lines)][: len(starts)], strict=True)

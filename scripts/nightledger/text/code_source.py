"""What the code auditor knows (``config/code-auditor.json``), and a text as it reads it: its language, its syntax tree, what its names stand for.

Invariant: nothing is run, nothing raises; what could not be parsed is named by its line, and lines keep their numbers.
What is not Python is never called clean; when in doubt it is "unknown", which is unaudited, too. A name that is bound in
several ways stands for the first that is known; what cannot be told has no dotted name, "". A finding carries a place and
words of ours; names that it tells are identifiers of the standard library and of packages, never text of the snippet.
"""

import ast
import re
import textwrap
import warnings
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import islice

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.files.home import shipped_config


class CodeSeverity(StrEnum):
    """How much a finding asks for; a note is no finding and leaves a snippet clean."""

    HIGH = "high"
    """Runs what is not shown, destroys, hides, steals or stays."""
    MEDIUM = "medium"
    """May be right for this snippet; somebody has to have read it."""
    NOTE = "note"
    """The published list denies the name; what is done with it here does no harm."""


class CodeRow(Struct, frozen=True, kw_only=True):
    """One row of the auditor's table.

    Attributes:
        name: Enumerated word, ``code.process``.
        severity: What a match asks for.
        why: One line for the operator.
        names: Dotted names that match, however they were imported; a star stands for any ending,
            ``()`` for a call.
        catches: Snippets that it must find; the tests run them.
        spares: Snippets that it must not find.
    """

    name: str
    severity: CodeSeverity
    why: str
    names: tuple[str, ...]
    catches: tuple[str, ...]
    spares: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """All that the auditor knows.

    Attributes:
        published: The published denylist, to the letter: ``imports``, ``calls``, ``builtins``
            (source: the code auditor of Vidurai).
        rules: Our rows, in the order in which they are shown.
        methods: Row of a method's name that says enough on any object.
        keywords: Row of a keyword argument that is ``True``.
        walks: Attributes that lead from an object to what is hidden behind it.
        telltale: Words that nobody builds from pieces but to hide them.
        startup: Expression for places that are run or read again.
        secret: Expression for places of keys, passwords and cookies.
        data_endings: Endings of files that nothing runs.
        environment: Variables that change how programs started later work.
        languages: Words of fences and files' endings by the language that they name.
        of_browsers: Names that only a browser or Node has.
    """

    published: dict[str, tuple[str, ...]]
    rules: tuple[CodeRow, ...]
    methods: dict[str, str]
    keywords: dict[str, str]
    walks: frozenset[str]
    telltale: frozenset[str]
    startup: str
    secret: str
    data_endings: frozenset[str]
    environment: frozenset[str]
    languages: dict[str, frozenset[str]]
    of_browsers: frozenset[str]

    @cached_property
    def rows(self) -> dict[str, CodeRow]:
        """Give the rows by name."""
        return {row.name: row for row in self.rules}

    @cached_property
    def _exact(self) -> dict[str, str]:
        named = [(name, row.name) for row in self.rules for name in row.names]
        return {name: rule for name, rule in named if not name.endswith("*")}

    @cached_property
    def _starred(self) -> tuple[tuple[str, str], ...]:
        return tuple((n[:-1], row.name) for row in self.rules for n in row.names if n.endswith("*"))

    def rule_of(self, dotted: str) -> str:
        """Give the row that a dotted name belongs to; "" for none."""
        if rule := self._exact.get(dotted):
            return rule
        return next((rule for stem, rule in self._starred if dotted.startswith(stem)), "")

    @cached_property
    def modules(self) -> frozenset[str]:
        """Give the top-level modules that rows and the published list name."""
        named = (name.split(".")[0] for row in self.rules for name in row.names)
        return frozenset({*named, *self.published["imports"]} - {"builtins"})


@cache
def code_table() -> Table:
    """Give the shipped table."""
    return msgspec.json.decode(shipped_config("code-auditor.json"), type=Table)


NOT_READ = frozenset({"code.unparsable", "code.too_deep", "code.too_large", "code.unaudited"})
"""Rows that say that something was not audited."""


class CodeFinding(Struct, frozen=True, kw_only=True, order=True):
    """One place in a snippet that a row matched.

    Attributes:
        line: From 1, in the text as it was given.
        rule: Name of the row.
        severity: What this place asks for.
        what: Which name it is about: ``os.system``; "" where the row says enough.
    """

    line: int
    rule: str
    severity: CodeSeverity
    what: str = ""


class Audited(Struct, frozen=True, kw_only=True):
    """What the auditor says of one snippet.

    Attributes:
        language: ``python``; another one's name; "unknown".
        audited: Whether all of it was read as Python; nothing else is ever clean.
        findings: In order of place; no notes.
        notes: What the published list denies and is used harmlessly.
    """

    language: str
    audited: bool
    findings: tuple[CodeFinding, ...] = ()
    notes: tuple[CodeFinding, ...] = ()

    @property
    def clean(self) -> bool:
        """Tell whether all of it was audited and nothing was found."""
        return self.audited and not self.findings


MOST_CHARACTERS = 262_144
"""A longer text is not audited: a snippet that nobody can read is none."""
MOST_LEVELS = 900
"""Levels of a tree that are walked by functions which call themselves."""
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.|In \[\d*\]:|\.{3,}:)(?: |$)")
_FIRST_PROMPT = re.compile(r"\s*(?:>>> |In \[\d*\]: )", re.MULTILINE)
_MAGIC = re.compile(r"(\s*)(?:[\w, ()]+=\s*)?(!{1,2}|%{1,2})([A-Za-z_./~(\"'$\\{-].*)$")
_QUIET_MAGIC = re.compile(r"matplotlib|time|timeit|config|autoreload|load_ext|prun|capture|who|env\b")
_SHEBANG = re.compile(r"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?([a-z]+)[\d.]*(?:\s|$)")
_PYTHON_LINE = re.compile(
    r"^[^\S\n]*(?:>>> |In \[\d*\]: |(?:import|from) [\w.]+|def \w+\s*\(.*:|async def |class \w+\s*[(:].*|@\w[\w.]*$|"
    r"elif .*:$|except\b.*:$|with .*:$|print\b|%%?\w|!\w|if __name__)",
    re.MULTILINE,
)
_ENDS = re.compile(r"^[^\S\n]*end[^\S\n]*$", re.MULTILINE)
_SURE_SIGNS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef)
_SIGNS = (ast.ClassDef, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Lambda, ast.ListComp, ast.Assign,
          ast.AnnAssign, ast.AugAssign, ast.Call, ast.JoinedStr, ast.If, ast.Raise, ast.Assert, ast.Await, ast.Delete)  # fmt: skip
HEAD = 20_000
"""Characters by which a language is told."""
Place = tuple[int, str, str]
"""A line, a row, and what it is about: told before there is a tree."""


class Source(Struct, frozen=True, kw_only=True):
    """A text as it could be read.

    Attributes:
        tree: What was parsed; None if it is no Python.
        lines: Its lines as parsed.
        places: Magics, and why it was not parsed.
    """

    tree: ast.Module | None
    lines: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()


def read_source(text: str) -> Source:
    """Parse ``text`` as it stands, then in the forms in which Python is pasted; never raises."""
    if len(text) > MOST_CHARACTERS:
        return Source(tree=None, places=((1, "code.too_large", ""),))
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    source, problem = Source(tree=None), (1, "code.unparsable", "")
    for source in _variants(lines):
        tree, problem = parse("\n".join(source.lines))
        if tree is not None:
            return replace(source, tree=tree)
        if problem[1] == "code.too_deep":
            break
    return replace(source, places=(*source.places, problem))


def parse(code: str) -> tuple[ast.Module | None, Place]:
    """Parse, and say why not: too deep, or not Python."""
    too_deep = (1, "code.too_deep", "")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (RecursionError, MemoryError):
        return None, too_deep
    except SyntaxError as error:
        deep = "too many" in str(error.msg) or "too complex" in str(error.msg)
        return None, (error.lineno or 1, "code.too_deep" if deep else "code.unparsable", "")
    except ValueError:  # a null byte, half a surrogate
        return None, (1, "code.unparsable", "")
    level: list[ast.AST] = [tree]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree, (1, "", "")
    return None, too_deep


def _variants(lines: list[str]) -> list[Source]:
    plain = textwrap.dedent("\n".join(lines)).split("\n")
    variants = [Source(tree=None, lines=tuple(lines)), Source(tree=None, lines=tuple(plain))]
    if any(map(_FIRST_PROMPT.match, plain)):  # between prompts stands output
        plain = [line[match.end() :] if (match := _PROMPT.match(line)) else "" for line in plain]
        variants.append(Source(tree=None, lines=tuple(plain)))
    if any(map(_MAGIC.match, plain)):
        variants.append(_without_magics(plain))
    return variants


def _without_magics(lines: list[str]) -> Source:
    """Name what a notebook hands to the shell, and leave Python in its place."""
    lines, places = list(lines), list[Place]()
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    for at, line in enumerate(lines):
        if (match := _MAGIC.match(line)) is None:
            continue
        indent, mark, rest = match.groups()
        lines[at] = f"{indent}pass"
        if mark[0] == "!" or not _QUIET_MAGIC.match(rest):
            what = mark if mark[0] == "!" else mark + rest.split()[0]
            places.append((at + 1, "code.notebook", what))
        if mark == "%%" and at == first and places:
            lines[at + 1 :] = [""] * (len(lines) - at - 1)
            break
    return Source(tree=None, lines=tuple(lines), places=tuple(places))


def language_of_info(info: str) -> str:
    """Give the language that a fence's info string or a file's ending names; "" for data and the unknown."""
    word = next(iter(re.findall(r"[^\s,;:{}.()\[\]=~`]+", info.lower())), "")
    return next((name for name, words in code_table().languages.items() if word in words), "")


def guess_language(text: str) -> str:
    """Give the language of a text by its shape: ``python``, what its first line names, or ``unknown``."""
    text = textwrap.dedent(text.removeprefix("\ufeff"))
    if (shebang := _SHEBANG.match(text.lstrip())) is not None:
        return language_of_info(shebang[1]) or "unknown"
    tree, problem = parse(text)
    held = [type(node) for node in ast.walk(tree)] if tree is not None else []
    if tree is not None and (not text.strip() or not tree.body or any(kind in _SURE_SIGNS for kind in held)):
        return "python"
    if tree is not None and any(kind in _SIGNS for kind in held):
        return "unknown" if _is_of_a_browser(tree) else "python"
    looks_so = _PYTHON_LINE.search(text[:HEAD]) and not _ENDS.search(text[:HEAD])
    return "python" if problem[1] == "code.too_deep" or looks_so else "unknown"


def _is_of_a_browser(tree: ast.Module) -> bool:
    """Tell whether calls go to what only a browser or Node has, in a text that Python can parse, too."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return any(name.id in code_table().of_browsers and name.id not in bound for name in names)


_LONGEST = 4000
"""Characters of a text that is put together."""
MOST_PARTS = 100
"""Pieces of one call or value that are looked at; a longer one is read by nobody."""
_DEEP = 60
"""Steps of one chain that are followed."""


class Names:
    """The dotted names of one tree.

    ``os.system`` however it was reached, ``X()`` for what a call of ``X`` gives, ``X[]`` for an item.
    """

    def __init__(self, tree: ast.Module, table: Table) -> None:
        self._table = table
        self._bound: dict[str, str | ast.expr] = {}
        self._dotted: dict[int, str] = {}
        self._parts: dict[str, tuple[ast.AST, ...]] = {}
        self._texts: dict[int, str | None] = {}
        self.own: set[str] = set()
        """Names that the snippet binds itself, by ``def``, ``class``, an argument or a loop."""
        for node in ast.walk(tree):
            self._learn(node)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Import() | ast.ImportFrom(level=0):
                self._learn_import(node)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
                | ast.withitem(optional_vars=ast.Name(id=name), context_expr=value)
            ):
                self._bound.setdefault(name, value)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
            ):
                self.own.add(name)
            case _:
                pass

    def _learn_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                self._bound.setdefault(alias.asname or alias.name, f"{node.module}.{alias.name}")
            else:
                root = alias.name if alias.asname else alias.name.split(".")[0]
                self._bound.setdefault(alias.asname or root, root)

    def dotted(self, node: ast.AST, deep: int = 0) -> str:
        """Give what an expression stands for; "" where only running it would tell."""
        if deep > _DEEP:
            return ""
        if id(node) not in self._dotted:
            self._dotted[id(node)] = ""  # of one that leads back to itself
            self._dotted[id(node)] = self._read_name(node, deep)
        return self._dotted[id(node)]

    def _read_name(self, node: ast.AST, deep: int) -> str:
        match node:
            case ast.Name(id=name):
                return self._name(name, deep)
            case ast.Attribute(value=value, attr=attr):
                of = self.dotted(value, deep + 1)
                return f"{of}.{attr}" if of else ""
            case ast.Call(func=func):
                called = self.dotted(func, deep + 1)
                return f"{called}()" if called else ""
            case ast.Subscript(value=value):
                of = self.dotted(value, deep + 1)
                return f"{of}[]" if of else ""
            case ast.Await(value=value) | ast.NamedExpr(value=value):
                return self.dotted(value, deep + 1)
            case ast.BinOp(left=left, op=ast.Div()):  # a path and what stands under it
                return self.dotted(left, deep + 1)
            case _:
                return ""

    def _name(self, name: str, deep: int) -> str:
        bound = self._bound.get(name)
        if isinstance(bound, str):
            return bound
        if bound is not None:
            return self.dotted(bound, deep + 1)
        if name in self.own:
            return ""
        if name in ("__builtins__", "builtins"):
            return "builtins"
        if name == "Path":
            return "pathlib.Path"
        return name if name in self._table.modules else f"builtins.{name}"

    def parts(self, name: str) -> tuple[ast.AST, ...]:
        """Give the pieces of what a name was bound to first, and of what is named there."""
        if name not in self._parts:
            bound = self._bound.get(name)
            pieces = [*islice(ast.walk(bound), MOST_PARTS)] if isinstance(bound, ast.expr) else []
            named = [self._bound.get(piece.id) for piece in pieces if isinstance(piece, ast.Name)]
            self._parts[name] = (*pieces, *(value for value in named if isinstance(value, ast.expr)))
        return self._parts[name]

    def text(self, node: ast.AST | None, deep: int = 0) -> str | None:
        """Give the text that an expression is, where it is written out; None where it is made."""
        if deep > _DEEP or node is None:
            return None
        if id(node) not in self._texts:
            self._texts[id(node)] = None
            self._texts[id(node)] = self._read_text(node, deep)
        return self._texts[id(node)]

    def _read_text(self, node: ast.AST, deep: int) -> str | None:
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _joined([self.text(left, deep + 1), self.text(right, deep + 1)])
            case ast.JoinedStr(values=values):
                return _joined([self.text(value, deep + 1) for value in values])
            case ast.Name(id=name) if isinstance(bound := self._bound.get(name), ast.expr):
                return self.text(bound, deep + 1)
            case _:
                return None


def _joined(parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    whole = len(known) == len(parts) and sum(map(len, known)) < _LONGEST
    return "".join(known) if whole else None

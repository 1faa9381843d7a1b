"""From a text to its language, and from one that says it is Python to a syntax tree: prompts, magics, indentation, limits.

Invariant: nothing is run, nothing raises; what could not be parsed is named by its line, and lines keep their numbers.
What is not Python is never called clean; when in doubt it is "unknown", which is unaudited, too.
"""

import ast
import re
import textwrap
import warnings

from msgspec import Struct
from msgspec.structs import replace

from nightledger.text.code.rule import code_table

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


_SHEBANG = re.compile(r"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?([a-z]+)[\d.]*(?:\s|$)")
_SHELL_LINE = re.compile(
    r"\s*(?:[$#%]\s+)?(?:\S*/)?(?:sudo|rm|ls|cd|cp|mv|cat|echo|export|curl|wget|git|npm|npx|pip3?|uv|apt|apt-get|brew|"
    r"docker|kubectl|systemctl|ssh|scp|rsync|chmod|chown|kill|pkill|make|python3?|bash|sh|source|mkdir|touch|ln|tar|grep|"
    r"find|sed|awk|crontab|launchctl|openssl|nc|node)(?:\s+(?![=.(\[])\S.*)?$|.*\|\s*(?:sh|bash|zsh|sudo|tee|xargs)\b"
)
_JAVASCRIPT = re.compile(
    r"^[^\S\n]*(?:export\s|const\s|let\s|var\s|(?:async\s+)?function\b|import\s.*\sfrom\s+['\"]|\}\)?;?\s*$)|=>\s*[\w{(\[]|"
    r"\brequire\(\s*['\"]|\bconsole\.\w+\(|===",
    re.MULTILINE,
)
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
    told = [(n, "code.detour", "coding") for n, line in enumerate(lines[:2], 1) if _CODING.match(line)]
    source, problem = Source(tree=None), (1, "code.unparsable", "")
    for source in _variants(lines):
        tree, problem = parse("\n".join(source.lines))
        if tree is not None:
            return replace(source, tree=tree, places=(*told, *source.places))
        if problem[1] == "code.too_deep":
            break
    return replace(source, places=(*told, *source.places, problem))


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
    """Give the language of a text by its shape: ``python``, another one, or ``unknown``."""
    text = textwrap.dedent(text.removeprefix("\ufeff"))
    if (shebang := _SHEBANG.match(text.lstrip())) is not None:
        return language_of_info(shebang[1]) or "unknown"
    tree, problem = parse(text)
    held = [type(node) for node in ast.walk(tree)] if tree is not None else []
    if tree is not None and (not text.strip() or not tree.body or any(kind in _SURE_SIGNS for kind in held)):
        return "python"
    head = text[:HEAD]
    if tree is not None and any(kind in _SIGNS for kind in held):
        return "javascript" if _is_of_a_browser(tree) else "python"
    if problem[1] == "code.too_deep":
        return "python"
    lines = [line for line in head.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if _PYTHON_LINE.search(head) and not _ENDS.search(head) and not (lines and _SHELL_LINE.match(lines[0])):
        return "python"
    if _JAVASCRIPT.search(head):
        return "javascript"
    return "shell" if any(map(_SHELL_LINE.match, lines[:40])) else "unknown"


def _is_of_a_browser(tree: ast.Module) -> bool:
    """Tell whether calls go to what only a browser or Node has, in a text that Python can parse, too."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return any(name.id in code_table().of_browsers and name.id not in bound for name in names)

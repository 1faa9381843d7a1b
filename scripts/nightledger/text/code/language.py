"""Which language a snippet is in: by its fence's info string, its file's ending, or its shape.

Invariant: what is not Python is never called clean; when in doubt it is "unknown", which is
unaudited, too.
"""

import ast
import re
import textwrap

from nightledger.text.code.rule import code_table
from nightledger.text.code.source import parse

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
    if problem.rule == "code.too_deep":
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

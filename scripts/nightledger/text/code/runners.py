"""Rules about who runs a text that is given as an argument: profilers, timers, runners of tests.

Invariant: pure; a text is judged as code of the snippet's own, and one that is not told is a finding.
"""

import ast
from collections.abc import Iterator

from nightledger.text.code.files import stays
from nightledger.text.code.folding import HOLE, Text
from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.rule import CodeSeverity
from nightledger.text.code.value import Items

_PROFILERS = ("cProfile", "profile", "hotshot", "line_profiler")
_STATEMENT: dict[str, int] = {
    **{f"{module}.{name}": 0 for module in _PROFILERS for name in ("run", "runctx")},
    **{f"{module}.{made}().{name}": 0 for module in _PROFILERS for made in ("Profile", "LineProfiler") for name in ("run", "runctx")},
    **{f"{module}.{made}.{name}": 1 for module in _PROFILERS for made in ("Profile", "LineProfiler") for name in ("run", "runctx")},
}  # fmt: skip
"""What runs nothing but a text, with its place; ``pdb``, ``bdb`` and ``trace`` are found by their names."""
_TIMERS = frozenset({"timeit.timeit", "timeit.repeat", "timeit.Timer"})
"""Given a text, they run it; given a function, they call it."""
_TESTS = frozenset(
    {"pytest.main", *(f"unittest.{loader}.{name}" for loader in ("TestLoader()", "defaultTestLoader") for name in ("discover", "loadTestsFromName", "loadTestsFromNames"))}
)  # fmt: skip
"""What imports files of tests and runs them."""
_READING = frozenset({"read", "readline", "readlines", "read_text", "read_bytes", "getvalue", "decode", "get", "getenv", "input", "format", "join", "replace", "strip", "pop", "recv"})  # fmt: skip
"""Names of functions that give a text, and no function to be timed."""


def runner_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a call runs that is given as a text, or lies in files."""
    for path in look.paths(call.func):
        if path in _STATEMENT:
            given = argument(call, _STATEMENT[path], "statement") or argument(call, -1, "cmd")
            yield from _judged([given], path, look, text_only=True)
            yield from _kept(call, path, look)
        elif path in _TIMERS:
            parts = [argument(call, 1, "setup"), argument(call, 0, "stmt")]
            yield from _judged(parts, path, look, text_only=False)
        elif path == "timeit.main":
            yield from _told(_words(call, look), path, look)
        elif path in _TESTS and not any(
            isinstance(n, ast.Name) and n.id == "__file__" for n in ast.walk(call)
        ):
            yield Hit(rule="code.load", severity=CodeSeverity.MEDIUM, what=path)


def handed_hits(node: ast.expr, look: Look) -> Iterator[Hit]:
    """Give runners that are handed on: nobody can tell which texts they are given."""
    above = look.parent(node)
    given = isinstance(above, (ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Dict)) and not (
        isinstance(above, ast.Call) and (above.func is node or "functools.partial" in look.paths(above.func))
    )
    for path in look.paths(node) if given else ():
        if path in _STATEMENT:
            yield _untold(path)


def run_texts(node: ast.AST, look: Look) -> Iterator[ast.AST]:
    """Give the statements of a text that runs among the snippet's own names."""
    if not isinstance(node, ast.Call):
        return
    for path in look.paths(node.func):
        places = (_STATEMENT[path],) if path in _STATEMENT else (0, 1) if path in _TIMERS else ()
        for place in places:
            for text in look.texts(argument(node, place, _KEYWORDS[place])):
                yield from look.statements(text)


_KEYWORDS = ("stmt", "setup")


def _judged(parts: list[ast.expr | None], path: str, look: Look, *, text_only: bool) -> Iterator[Hit]:
    """Judge the parts of one text: a set-up and what comes after it see the same names."""
    known: list[str] = []
    for part in parts:
        texts = look.texts(part)
        unknown = part is not None and not texts and (text_only or _is_read(part, look))
        if unknown or any(HOLE in text for text in texts):
            yield _untold(path)
        known = [
            f"{before}\n{text}" if before else text for before in known or [""] for text in texts
        ] or known
    yield from _told(tuple(known), path, look)


def _told(texts: tuple[str, ...], path: str, look: Look) -> Iterator[Hit]:
    if any(HOLE not in text and look.nested(text) for text in texts):
        yield Hit(rule="code.run", what=path)


def _untold(path: str) -> Hit:
    return Hit(rule="code.run", severity=CodeSeverity.MEDIUM, what=f"{path} of a text that is not told")


def _words(call: ast.Call, look: Look) -> tuple[str, ...]:
    """Give what a command line is made of, each word for itself."""
    lines = look.resolver.values(argument(call, 0, "args"))
    return tuple(
        w.text for line in lines if isinstance(line, Items) for w in line.items if isinstance(w, Text)
    )


def _is_read(node: ast.expr, look: Look) -> bool:
    """Tell whether an argument is a text that comes from somewhere else, and no function."""
    if isinstance(node, ast.Lambda) or (
        isinstance(node, ast.Call) and "functools.partial" in look.paths(node.func)
    ):
        return False
    if isinstance(node, ast.Name):
        found = look.scopes.find(node.id, look.scopes.of(node))
        return any(
            _is_read(b.value, look)
            for b in (found[1] if found else ())
            if isinstance(b.value, (ast.Call, ast.Subscript, ast.BinOp))
        )
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in _READING
    return isinstance(node, ast.BinOp) or (
        isinstance(node, ast.Subscript)
        and any(path in ("sys.argv", "os.environ") for path in look.paths(node.value))
    )


def _kept(call: ast.Call, path: str, look: Look) -> Iterator[Hit]:
    """Judge where a profile is written."""
    texts = look.texts(argument(call, 3 if path.endswith("ctx") else 1, "filename"))
    if "()" not in path and any(map(stays, texts)):
        yield Hit(rule="code.startup", what=path)

"""Rules about texts that somebody else runs: annotations, examples in docstrings, SQL, names in a configuration.

Invariant: pure; a text counts where it is given to what reads it so, and is judged by the rules for
code of the snippet's own.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from nightledger.text.code.files import stays, written
from nightledger.text.code.folding import Text
from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.paths import canonical
from nightledger.text.code.uses import rule_of
from nightledger.text.code.value import Items

_ANNOTATORS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "typing_extensions")
    for name in ("ForwardRef", "NamedTuple", "TypedDict", "TypeVar", "NewType")
)
"""What is given annotations as arguments."""
_EXAMPLES_RUN = frozenset(
    {"doctest.testmod", "doctest.DocTestSuite", "doctest.run_docstring_examples", "doctest.testsource", "doctest.debug", "doctest.DocTestFinder().find"}
)  # fmt: skip
"""What runs the examples in the docstrings of the snippet itself."""
_NAMING = frozenset({"()", "class", "_target_", "factory"})
"""Keys under which a configuration names what a library imports and calls: of ``logging.config``, of Hydra."""
_NAMED = re.compile(
    r"""["']\(\)["']\s*:\s*["']?([\w.]+)|^[ \t]*\(\):[ \t]*["']?([\w.]+)|ext://([\w.]+)""", re.MULTILINE
)
_SQL_METHODS = frozenset({"execute", "executescript", "executemany", "exec_driver_sql", "sql", "query"})
_ATTACHED = re.compile(
    r"\battach\s+(?:database\s+)?(?:(?:if not exists)\s+)?(?:'([^']*)'|[?:$@])", re.IGNORECASE
)
_SQL_WRITES = re.compile(
    r"\bvacuum\s+(?:\w+\s+)?into\s+'([^']*)'|\binto\s+(?:outfile|dumpfile)\s+'([^']*)'|\bcopy\b[^;]{0,1000}\bto\s+'([^']*)'|\blo_export\s*\([^,]{0,100},\s*'([^']*)'",
    re.IGNORECASE,
)
_DATABASE = re.compile(r"(?!/|~|.*\.\.)[^$]*\.(?:db3?|sqlite3?|duckdb|bak|backup)\Z", re.IGNORECASE)
MOST_PLACES = 20
"""Files of one query that are looked at."""
_SQL_RUNS = (
    ("code.process", re.compile(r"\bcopy\b[^;]{0,1000}\b(?:from|to)\s+program\s+'|\bxp_cmdshell\b|\bsys_exec\s*\(", re.IGNORECASE)),
    ("code.native", re.compile(r"\bload_extension\s*\(|\bload\s+'[^'/\\.]*[/\\.][^']*'\s*(?:;|\Z)|\bcreate\s+function\b[^;]{0,1000}\bsoname\b", re.IGNORECASE)),
)  # fmt: skip


def annotation_texts(node: ast.AST, look: Look) -> Iterator[ast.expr]:
    """Give the calls that stand in annotations written as texts: whoever asks for the types evaluates them."""
    for part in _annotations(node, look):
        for inner in _below(part):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and "(" in inner.value:
                told = look.expression(inner.value)
                if told is not None and any(isinstance(n, ast.Call) for n in ast.walk(told)):
                    yield told


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """Give what an annotation is made of; the texts of a ``Literal`` are values."""
    stack = [node]
    while stack:
        at = stack.pop()
        yield at
        if not (isinstance(at, ast.Subscript) and _last_name(at.value) == "Literal"):
            stack += ast.iter_child_nodes(at)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _annotations(node: ast.AST, look: Look) -> Iterator[ast.AST]:
    match node:
        case ast.AnnAssign(annotation=told):
            yield told
        case ast.arg(annotation=ast.expr() as told):
            yield told
        case ast.FunctionDef(returns=ast.expr() as told) | ast.AsyncFunctionDef(returns=ast.expr() as told):
            yield told
        case ast.Assign(targets=targets, value=value) if any(map(_is_annotations, targets)):
            yield value
        case ast.Dict(keys=keys, values=values):
            yield from (
                v
                for k, v in zip(keys, values, strict=True)
                if isinstance(k, ast.Constant) and k.value == "__annotations__"
            )
        case ast.Call() if _ANNOTATORS.intersection(look.paths(node.func)):
            yield node
        case _:
            return


def _is_annotations(target: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        target = target.value
    return _last_name(target) == "__annotations__"


def text_hits(node: ast.AST, look: Look) -> Iterator[Hit]:
    """Give what a text does that a call or a configuration hands to somebody who runs it."""
    match node:
        case ast.Call():
            yield from _examples(node, look)
            yield from _queries(node, look)
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in _NAMING:
                    yield from _names(look.texts(value))
        case ast.Constant(value=str() as text) if "()" in text or "ext://" in text:
            yield from _names(tuple("".join(found) for found in _NAMED.findall(text)))
        case _:
            return


def _names(texts: tuple[str, ...]) -> Iterator[Hit]:
    for text in texts:
        path = canonical(text.removeprefix("ext://").replace(":", "."))
        if "." in path and (rule := rule_of(path)):
            yield Hit(rule=rule, what=path)


def _examples(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Judge the examples of the snippet where it runs them itself."""
    for path in _EXAMPLES_RUN.intersection(look.paths(call.func)):
        if look.bad_example:
            yield Hit(rule="code.run", what=path)


def _queries(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Judge SQL by the files it writes and the programs and libraries it starts."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _SQL_METHODS:
        return
    name = call.func.attr
    for text in look.texts(argument(call, 0, "sql")):
        rules, places, attached = _read_sql(text)
        yield from (Hit(rule=rule, what=name) for rule in rules)
        yield from (written((place,), name) for place in places)
        if any(map(stays, attached)) or ("" in attached and any(map(stays, _given(call, look)))):
            yield Hit(rule="code.startup", what=name)


@lru_cache(maxsize=64)
def _read_sql(text: str) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """Give the rules that a query falls under, the files it writes, those it attaches; "" for a placeholder.

    Remembered, because one text may be run by thousands of calls.
    """
    rules = tuple(rule for rule, pattern in _SQL_RUNS if pattern.search(text))
    places = dict.fromkeys("".join(found) for found in _SQL_WRITES.findall(text))
    return (
        rules,
        tuple(place for place in places if not _DATABASE.match(place))[:MOST_PLACES],
        frozenset(_ATTACHED.findall(text)),
    )


def _given(call: ast.Call, look: Look) -> Iterator[str]:
    """Give the texts that a query is given for its placeholders."""
    for value in look.resolver.values(argument(call, 1, "parameters")):
        if isinstance(value, Items):
            yield from (item.text for item in value.items if isinstance(item, Text))

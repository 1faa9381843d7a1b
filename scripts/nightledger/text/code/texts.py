"""Rules about texts that somebody else runs: annotations, examples in docstrings, names in a configuration.

Invariant: pure; a text counts where it is given to what reads it so, and is judged by the rules for
code of the snippet's own.
"""

import ast
import re
from collections.abc import Iterator

from nightledger.text.code.look import Hit, Look
from nightledger.text.code.paths import canonical
from nightledger.text.code.uses import rule_of

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

"""Rules about attributes looked up one in another, by names in a row: from any module they lead to every other.

Invariant: pure; where the names are told, what they lead to is judged; where not, a chain that
begins at a module of the standard library is a finding. One step from a harmless module is none.
"""

import ast
import sys
from collections.abc import Iterator

from nightledger.text.code.folding import HOLE, Text
from nightledger.text.code.known_names import REDUCERS
from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.uses import rule_of
from nightledger.text.code.value import Items, Ref, Value, named_attributes, reduction

_GETATTR = "builtins.getattr"


def chain_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a chain of lookups by name leads to, or that nobody can tell."""
    for ref in look.refs(call.func):
        if ref.path in REDUCERS:
            looker, names, start = reduction(ref.path, call)
            if _looks_up(looker, look) and not _is_row(look.resolver.values(names)):
                yield from _from_module(start, look)
        elif ref == Ref("operator.attrgetter()"):
            yield from _from_module(argument(call, 0), look)
        elif ref.path == _GETATTR:
            yield from _stepwise(call, look)


def _looks_up(looker: ast.expr | None, look: Look) -> bool:
    if isinstance(looker, ast.Lambda):
        looker = looker.body.func if isinstance(looker.body, ast.Call) else None
    return _GETATTR in look.paths(looker)


def _is_row(values: tuple[Value, ...]) -> bool:
    """Tell whether values are a row of names of which each is told."""
    return bool(values) and all(
        isinstance(value, Items)
        and all(isinstance(i, (Text, Ref)) and HOLE not in (i.text) for i in value.items)
        for value in values
    )


def _from_module(start: ast.expr | None, look: Look) -> Iterator[Hit]:
    modules = {path for path in look.paths(start) if _is_library(path)}
    if modules:
        yield Hit(
            rule="code.detour", what=f"a chain of attributes of {min(modules)} by names that are not told"
        )


def _is_library(path: str) -> bool:
    return (
        path.split(".", maxsplit=1)[0] in sys.stdlib_module_names
        and path.islower()
        and "(" not in path
        and "[" not in path
    )


def _stepwise(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Judge ``getattr`` of what ``getattr`` gave: in a loop that goes on with it, or one within the other."""
    owner, name = argument(call, 0), argument(call, 1)
    if owner is None or name is None:
        return
    texts = look.texts(name)
    untold = not texts or any(HOLE in text for text in texts)
    if isinstance(owner, ast.Name) and _goes_on(look.parent(call), owner.id):
        starts = tuple(ref for ref in look.refs(owner) if "(" not in ref.path)
        if untold:
            yield from _from_module(owner, look)
        for found in named_attributes(starts, () if untold else (Text(".".join(texts)),)):
            if isinstance(found, Ref) and (rule := rule_of(found.path)):
                yield Hit(rule=rule, what=found.path)
    elif isinstance(owner, ast.Call) and untold and _GETATTR in look.paths(owner.func):
        while isinstance(owner, ast.Call) and _GETATTR in look.paths(owner.func):
            owner = argument(owner, 0)
        yield from _from_module(owner, look)


def _goes_on(above: ast.AST | None, name: str) -> bool:
    """Tell whether what is found takes the place of what it was found in."""
    match above:
        case ast.Assign(targets=[ast.Name(id=target)]) | ast.NamedExpr(target=ast.Name(id=target)):
            return target == name
        case _:
            return False

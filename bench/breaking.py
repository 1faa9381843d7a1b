"""The ways to break one line of a program.

Invariant: what is given compiles, and differs from the source in one place inside a function.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """One broken line.

    Attributes:
        line: The line, from 1.
        lines: Lines of the statement that it is part of, first and last.
        what: What was done to it, and the line as it was.
        source: The whole file with it.
    """

    line: int
    lines: tuple[int, int]
    what: str
    source: str


Place = ast.expr | ast.stmt


def break_source(source: str) -> Iterator[Break]:
    """Give every way to break one line; statements marked ``unreachable`` are left alone."""
    tree = ast.parse(source)
    lines = source.encode().split(b"\n")
    for statement in _statements(tree):
        span = _span(statement)
        for node in _own_nodes(statement):
            for place, what, changed in _mutate(node):
                broken = _put(lines, place, changed)
                if _compiles(broken):
                    was = lines[place.lineno - 1].decode().strip()[:90]
                    yield Break(line=place.lineno, lines=span, what=f"{what}: {was}", source=broken)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Give the statements inside functions, each once."""
    seen: set[int] = set()
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for statement in function.body:
                for node in ast.walk(statement):
                    if isinstance(node, ast.stmt) and id(node) not in seen and not _is_unreachable(node):
                        seen.add(id(node))
                        yield node


def _is_unreachable(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Raise) and "unreachable" in ast.unparse(statement)


def _span(statement: ast.stmt) -> tuple[int, int]:
    """Give a statement's lines, of a compound one its head."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, last)


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Give a statement and its expressions, without those of the statements inside it."""
    yield statement
    todo = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    while todo:
        node = todo.pop()
        yield node
        todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _put(lines: list[bytes], place: Place, changed: ast.AST) -> str:
    first, last = place.lineno - 1, (place.end_lineno or place.lineno) - 1
    text = ast.unparse(changed)
    new = f"({text})" if isinstance(place, ast.expr) else text
    line = lines[first][: place.col_offset] + new.encode() + lines[last][place.end_col_offset :]
    return b"\n".join([*lines[:first], line, *lines[last + 1 :]]).decode()


def _compiles(source: str) -> bool:
    try:
        compile(source, "broken", "exec")
    except SyntaxError:
        return False
    return True


_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip


def _mutate(node: ast.AST) -> Iterator[tuple[Place, str, ast.AST]]:
    """Give the ways to break one node of the syntax tree: where, what, and what stands there then."""
    if isinstance(node, (ast.If, ast.IfExp)) and not isinstance(node.test, (ast.Compare, ast.BoolOp)):
        yield node.test, "condition turned round", ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.expr):
        yield from _mutate_expression(node)
    elif isinstance(node, ast.Return) and not _gives_nothing(node):
        yield node, "returns None", ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.AugAssign, ast.Raise)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield node, "statement left out", ast.Pass()


def _gives_nothing(node: ast.Return) -> bool:
    """Tell whether None in its place is the same, or as false; to turn ``False`` round is another way."""
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value in (None, False))


def _mutate_expression(node: ast.expr) -> Iterator[tuple[Place, str, ast.AST]]:
    changed = copy.deepcopy(node)
    if isinstance(changed, ast.Compare) and type(changed.ops[0]) in _COMPARE:
        changed.ops[0] = _COMPARE[type(changed.ops[0])]()
        yield node, "comparison turned round", changed
    elif isinstance(changed, ast.BinOp) and type(changed.op) in _BINARY:
        changed.op = _BINARY[type(changed.op)]()
        yield node, "arithmetic changed", changed
    elif isinstance(changed, ast.BoolOp):
        changed.op = ast.Or() if isinstance(changed.op, ast.And) else ast.And()
        yield node, "and/or exchanged", changed
    elif isinstance(changed, ast.Constant) and isinstance(changed.value, bool):
        changed.value = not changed.value
        yield node, "constant turned round", changed
    elif isinstance(changed, ast.Constant) and isinstance(changed.value, int):
        changed.value += 1
        yield node, "constant plus one", changed

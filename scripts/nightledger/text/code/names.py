"""What the names of a snippet stand for: imports and plain assignments, followed through the whole file.

Invariant: linear; nothing is run. A name that is bound in several ways stands for the first that is
known; what cannot be told has no dotted name, "".
"""

import ast
from itertools import islice

from nightledger.text.code.rule import Table

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

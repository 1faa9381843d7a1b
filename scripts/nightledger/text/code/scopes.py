"""Where the names of a snippet are bound: scopes, and what each name may be bound to.

Invariant: iterative, so that depth costs no stack; a binding that may be skipped at run time
never hides a built-in.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One way in which a name gets its value.

    Attributes:
        line: Where.
        direct: Whether it cannot be skipped: it stands in the scope's own body.
        value: The expression; None where it is not told (a parameter, a handler's error).
        item: Whether the name gets an item of the value and not the value itself.
        imported: Full name of what is imported; "" for other bindings.
        defined: Whether a function or class of the snippet's own is bound.
        gone: Whether the name is deleted here.
        handed: Of a parameter, the decorator whose framework calls the function.
    """

    line: int
    direct: bool
    value: ast.expr | None = None
    item: bool = False
    imported: str = ""
    defined: bool = False
    gone: bool = False
    handed: ast.expr | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """One scope with its bindings by name."""

    node: ast.AST
    outer: "Scope | None"
    names: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, "Scope"] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        """Tell whether functions inside do not see these names."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        """Tell whether a name bound anywhere here is local everywhere here."""
        return isinstance(self.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *_COMPREHENSIONS))


class Scopes:
    """All scopes of a tree.

    Attributes:
        module: The outermost.
        stored: What is assigned to attributes, by the attribute's name: ``self.go = os.system``.
        keyed: What is assigned to items, by the table's name: ``table["go"] = os.system``.
        stars: Modules of which everything is imported.
        parents: The node above each node, by id.
    """

    def __init__(self, tree: ast.Module) -> None:
        """Walk the tree once."""
        self.module = Scope(tree, None)
        self.stars: list[str] = []
        self.keyed: dict[str, list[ast.expr]] = {}
        self.stored: dict[str, list[ast.expr]] = {}
        self.parents: dict[int, ast.AST] = {}
        self._of: dict[int, Scope] = {}
        self._made: list[ast.expr] = []  # kept, because ids of freed nodes come back
        stack: list[tuple[ast.AST, Scope]] = [(tree, self.module)]
        calls: list[ast.Call] = []
        functions: dict[str, list[ast.arguments]] = {}
        while stack:
            node, scope = stack.pop()
            self._of[id(node)] = scope
            if isinstance(node, ast.Call):
                calls.append(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions.setdefault(node.name, []).append(node.args)
            self._bind(node, scope)
            inner = Scope(node, scope) if isinstance(node, _SCOPES) else scope
            if inner is not scope:
                self._bind_parameters(node, inner)
            around = scope.outer if isinstance(node, ast.arguments) and scope.outer is not None else scope
            own = set(map(id, _evaluated_outside(node)))
            for child in ast.iter_child_nodes(node):
                self.parents[id(child)] = node
                stack.append((child, around if id(child) in own else inner))
        self._bind_calls(calls, functions)

    def _bind_calls(self, calls: list[ast.Call], functions: dict[str, list[ast.arguments]]) -> None:
        """Bind the parameters of the snippet's own functions to what its own calls give them."""
        for call in calls:
            if not isinstance(call.func, ast.Name) or any(isinstance(a, ast.Starred) for a in call.args):
                continue
            for told in functions.get(call.func.id, ()):
                plain = [*told.posonlyargs, *told.args]
                given = [(one.arg, value) for one, value in zip(plain, call.args, strict=False)]
                given += [(k.arg, k.value) for k in call.keywords if k.arg is not None]
                inner = self._of[id(told)]
                for name, value in given:
                    if name in inner.names:
                        self._add(inner, name, Binding(line=call.lineno, direct=True, value=value))

    def of(self, node: ast.AST) -> Scope:
        """Give the scope in which ``node`` is evaluated; that of the module for nodes made by others."""
        return self._of.get(id(node), self.module)

    def find(self, name: str, scope: Scope) -> tuple[Scope, list[Binding]] | None:
        """Give the scope that binds ``name`` as seen from ``scope``, and its bindings there."""
        at: Scope | None = scope
        while at is not None:
            at = at.elsewhere.get(name, at)
            if name in at.names and (at is scope or not at.is_class):
                return at, at.names[name]
            at = at.outer
        return None

    def hides_builtin(self, name: str, scope: Scope, line: int) -> bool:
        """Tell whether ``name`` at ``line`` is surely no built-in."""
        found = self.find(name, scope)
        if found is None:
            return False
        where, bindings = found
        if any(binding.gone for binding in bindings):
            return False
        if where.is_function:
            return True
        return any(b.direct and (b.line <= line or where is not scope) for b in bindings)

    def _add(self, scope: Scope, name: str, binding: Binding) -> None:
        scope.elsewhere.get(name, scope).names.setdefault(name, []).append(binding)

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._bind_import(node, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound = Binding(line=node.lineno, direct=self._direct(node, scope), defined=True)
                self._add(scope, node.name, bound)
            case ast.Global() | ast.Nonlocal():
                self._bind_outside(node, scope)
            case ast.Delete() | ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self._bind_statement(node, scope)
            case _:
                self._bind_expression(node, scope)

    def _bind_outside(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        for name in node.names:
            found = self.find(name, scope.outer or scope) if isinstance(node, ast.Nonlocal) else None
            scope.elsewhere[name] = found[0] if found else self.module

    def _bind_statement(
        self, node: ast.Delete | ast.Assign | ast.AnnAssign | ast.AugAssign, scope: Scope
    ) -> None:
        direct = self._direct(node, scope)
        if isinstance(node, ast.Delete):
            for name in (target.id for target in node.targets if isinstance(target, ast.Name)):
                self._add(scope, name, Binding(line=node.lineno, direct=False, gone=True))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, scope, direct=direct)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign(node.target, node.value, scope, direct=direct)
        elif isinstance(node.target, ast.Name):
            before = ast.copy_location(ast.Name(id=node.target.id, ctx=ast.Load()), node)
            joined = ast.copy_location(ast.BinOp(left=before, op=node.op, right=node.value), node)
            self._of[id(before)] = scope
            self._made.append(joined)
            self._assign(node.target, joined, scope, direct=False)

    def _bind_expression(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.NamedExpr():
                while isinstance(scope.node, _COMPREHENSIONS) and scope.outer is not None:
                    scope = scope.outer
                self._assign(node.target, node.value, scope, direct=False)
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                self._assign(node.target, node.iter, scope, direct=False, item=True)
            case ast.withitem(optional_vars=ast.expr() as target):
                self._assign(target, node.context_expr, scope, direct=False)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() | ast.MatchMapping():
                name = node.rest if isinstance(node, ast.MatchMapping) else node.name
                self._add(scope, name or "", Binding(line=getattr(node, "lineno", 1), direct=False))
            case _:
                pass

    def _assign(
        self, target: ast.expr, value: ast.expr, scope: Scope, *, direct: bool, item: bool = False
    ) -> None:
        stack = [(target, value, item)]
        while stack:
            to, source, is_item = stack.pop()
            match to:
                case ast.Name():
                    self._add(
                        scope, to.id, Binding(line=to.lineno, direct=direct, value=source, item=is_item)
                    )
                case ast.Attribute():
                    self.stored.setdefault(to.attr, []).append(source)
                case ast.Subscript(value=ast.Name(id=table)):
                    self.keyed.setdefault(table, []).append(source)
                case ast.Starred():
                    stack.append((to.value, source, False))
                case ast.Tuple() | ast.List():
                    stack += _unpacked(to.elts, source, is_item=is_item)
                case _:
                    pass

    def _bind_import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        direct = self._direct(node, scope)
        module = "" if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(module)
                continue
            full = f"{module}.{alias.name}" if module else alias.name
            seen = full if alias.asname or module else full.split(".")[0]
            name = alias.asname or (alias.name if module else seen)
            self._add(scope, name, Binding(line=node.lineno, direct=direct, imported=seen))

    def _bind_parameters(self, node: ast.AST, scope: Scope) -> None:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return
        told = node.args
        plain = [*told.posonlyargs, *told.args]
        for one in [*plain, *told.kwonlyargs, *(a for a in (told.vararg, told.kwarg) if a is not None)]:
            self._add(scope, one.arg, Binding(line=node.lineno, direct=True))
        for decorator in () if isinstance(node, ast.Lambda) else node.decorator_list:
            for one in plain[:1]:
                self._add(scope, one.arg, Binding(line=node.lineno, direct=True, handed=decorator))
        for one, default in zip(reversed(plain), reversed(told.defaults), strict=False):
            self._add(scope, one.arg, Binding(line=node.lineno, direct=True, value=default))
        for one, kept in zip(told.kwonlyargs, told.kw_defaults, strict=True):
            if kept is not None:
                self._add(scope, one.arg, Binding(line=node.lineno, direct=True, value=kept))

    def _direct(self, node: ast.AST, scope: Scope) -> bool:
        return self.parents.get(id(node)) is scope.node


def _unpacked(
    targets: list[ast.expr], source: ast.expr, *, is_item: bool
) -> Iterator[tuple[ast.expr, ast.expr, bool]]:
    """Pair targets with what they get: one by one where both sides spell it out, else any item."""
    spelled = isinstance(source, (ast.Tuple, ast.List)) and not is_item and len(source.elts) == len(targets)
    if (
        spelled
        and isinstance(source, (ast.Tuple, ast.List))
        and not any(isinstance(e, ast.Starred) for e in (*source.elts, *targets))
    ):
        yield from ((target, value, False) for target, value in zip(targets, source.elts, strict=True))
    else:
        yield from ((target, source, True) for target in targets)


def _evaluated_outside(node: ast.AST) -> list[ast.AST]:
    """Give the parts of a definition that its surroundings evaluate: decorators, defaults, bases."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *([node.returns] if node.returns else [])]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case ast.arguments():
            return [*node.defaults, *(kept for kept in node.kw_defaults if kept is not None)]
        case _:
            return []

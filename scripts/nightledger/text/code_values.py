"""What an expression of a snippet may stand for: canonical names, texts, sequences. Nothing is run.

Invariant: bounded. Depth, the number of alternatives and the length of texts have limits; what
goes over them is unknown, and an unknown name where one is looked up is a finding of its own.
"""

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from nightledger.text.code_folding import HOLE, TEMPORARY, Text, fold_call, fold_operation, fold_subscript
from nightledger.text.code_paths import PATH, canonical
from nightledger.text.code_scopes import Binding, Scopes

DEEPEST = 40
"""Steps from an expression to what it is made of."""
MOST = 8
"""Alternatives that are followed."""
LONGEST = 512
"""Items of a sequence that are followed."""
MOST_STEPS = 300_000
"""Expressions looked at for one snippet; beyond, everything is unknown."""
_BUILTIN_MODULE = ("builtins", "__builtins__")
_TEMPORARY = frozenset({"tmp_path", "tmpdir", "tmp_path_factory"})
_DICTIONARIES = (".__dict__", "builtins.globals()", "builtins.locals()", "builtins.vars()", "sys.modules")
BUILTINS = frozenset(
    {"__import__", "compile", "eval", "exec", "execfile", "input", "open", "getattr", "setattr", "delattr", "hasattr", "globals", "locals", "vars", "dir", "chr", "ord", "str", "bytes", "bytearray",
     "reversed", "map", "filter", "list", "tuple", "dict", "set", "sorted", "type", "object", "super", "print", "isinstance", "iter", "next", "zip", "len", "repr", "get_ipython", "__build_class__", "help", "breakpoint", "int", "id", "any", "all", "sum", "enumerate", "format", "hex"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ref:
    """A thing with a name: canonical, ``X()`` for what a call of ``X`` gives.

    Attributes:
        path: ``os.system``, ``pathlib.Path()``.
        text: What is known of its text: where a path object points; "" if nothing.
    """

    path: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence whose items are told."""

    items: tuple["Value", ...]


Value = Ref | Text | int | Items
Values = tuple[Value, ...]
Given = Mapping[str, Value]
_NOTHING: Given = MappingProxyType({})


class Resolver:
    """Tells what expressions stand for, for one tree."""

    def __init__(self, scopes: Scopes) -> None:
        """Begin with nothing known."""
        self.scopes = scopes
        self._known: dict[int, Values] = {}
        self._open: set[int] = set()
        self._steps = 0

    def values(self, node: ast.AST | None, given: Given = _NOTHING, depth: int = 0) -> Values:
        """Give what ``node`` may stand for; () where that is not told."""
        if node is None or depth > DEEPEST or id(node) in self._open or self._steps > MOST_STEPS:
            return ()
        if not given and id(node) in self._known:
            return self._known[id(node)]
        self._steps += 1
        self._open.add(id(node))
        found = tuple(dict.fromkeys(self._evaluate(node, given, depth + 1)))[:MOST]
        self._open.discard(id(node))
        if not given and not self._open:
            self._known[id(node)] = found
        return found

    def texts(self, node: ast.AST | None) -> tuple[str, ...]:
        """Give the texts that ``node`` may be, with holes where parts are unknown; of a path object where it points."""
        return tuple(
            value.text
            for value in self.values(node)
            if isinstance(value, Text) or (isinstance(value, Ref) and value.path == PATH and value.text)
        )

    def refs(self, node: ast.AST | None) -> tuple[Ref, ...]:
        """Give the named things that ``node`` may be."""
        return tuple(value for value in self.values(node) if isinstance(value, Ref))

    def _evaluate(self, node: ast.AST, given: Given, depth: int) -> Iterator[Value]:
        match node:
            case ast.Constant(value=str() | bytes() as text):
                yield Text(text if isinstance(text, str) else text.decode("latin-1"))
            case ast.Constant(value=int() as number):
                yield number
            case ast.Name():
                yield from self._name(node, given, depth)
            case ast.Attribute():
                yield from self._attribute(node, given, depth)
            case ast.Call():
                yield from self._call(node, given, depth)
            case ast.Subscript():
                yield from self._subscript(node, given, depth)
            case ast.JoinedStr() | ast.BinOp():
                yield from self._text(node, given, depth)
            case (
                ast.Tuple()
                | ast.List()
                | ast.Set()
                | ast.Dict()
                | ast.ListComp()
                | ast.SetComp()
                | ast.GeneratorExp()
            ):
                yield from self._sequence(node, given, depth)
            case _:
                for part in _alternatives(node):
                    yield from self.values(part, given, depth)

    # ------------------------------------------------------------ names

    def _name(self, node: ast.Name, given: Given, depth: int) -> Iterator[Value]:
        if node.id in given:
            yield given[node.id]
            return
        scope = self.scopes.of(node)
        found = self.scopes.find(node.id, scope)
        for binding in found[1][:MOST] if found else ():
            yield from self._bound(binding, node.id, given, depth)
        if found is None and not hasattr(builtins, node.id):
            for module in self.scopes.stars:
                yield Ref(canonical(f"{module}.{node.id}"))
        if node.id in _BUILTIN_MODULE[1:] and found is None:
            yield Ref("builtins")
        elif node.id in BUILTINS and not self.scopes.hides_builtin(node.id, scope, node.lineno):
            yield Ref(f"builtins.{node.id}")
        elif node.id in ("__loader__", "__spec__") and found is None:
            yield Ref(node.id)

    def _bound(self, binding: Binding, name: str, given: Given, depth: int) -> Iterator[Value]:
        if binding.imported:
            yield Ref(canonical(binding.imported))
        elif binding.value is not None:
            for value in self.values(binding.value, given, depth):
                yield from _items_of(value) if binding.item else (value,)
        elif name in _TEMPORARY and not (binding.defined or binding.gone):
            yield Ref(PATH, TEMPORARY)

    # ------------------------------------------------------------ attributes and items

    def _attribute(self, node: ast.Attribute, given: Given, depth: int) -> Iterator[Value]:
        base = self.values(node.value, given, depth)
        for value in base:
            if isinstance(value, Ref):
                yield attribute_of(value, node.attr)
            elif isinstance(value, Text):
                yield Ref(f"<text>.{node.attr}", value.text)
        if not base:
            for stored in self.scopes.stored.get(node.attr, ())[:MOST]:
                yield from (v for v in self.values(stored, given, depth) if isinstance(v, (Ref, Text)))

    def _subscript(self, node: ast.Subscript, given: Given, depth: int) -> Iterator[Value]:
        keys = self.values(node.slice, given, depth)
        for value in self.values(node.value, given, depth):
            if isinstance(value, Ref):
                yield from self.item_of(value, keys, depth)
            elif isinstance(value, Items):
                yield from _chosen(value, node.slice, keys)
            elif isinstance(value, Text):
                yield from fold_subscript(value, node.slice)

    def item_of(self, value: Ref, keys: Values, depth: int = 0) -> Iterator[Value]:
        """Give what a dictionary of names holds under ``keys``: ``vars(os)["system"]`` is ``os.system``."""
        texts = [key.text for key in keys if isinstance(key, Text) and HOLE not in key.text]
        for text in texts if value.path.endswith(_DICTIONARIES) else ():
            if value.path.endswith(".__dict__"):
                yield Ref(canonical(f"{value.path.removesuffix('.__dict__')}.{text}"))
            elif value.path == "sys.modules":
                yield Ref(canonical(text))
            elif text == "__builtins__":
                yield Ref("builtins")
            else:
                named = ast.Name(id=text, ctx=ast.Load(), lineno=1 << 30, col_offset=0)
                yield from self.values(named, _NOTHING, depth)
        if value.path == "builtins":  # __builtins__ is a dictionary in an imported module
            yield from (Ref(canonical(f"builtins.{text}")) for text in texts)
        if not texts or not value.path.endswith(_DICTIONARIES):
            yield Ref(canonical(f"{value.path}[]"))

    # ------------------------------------------------------------ calls

    def _call(self, node: ast.Call, given: Given, depth: int) -> Iterator[Value]:
        arguments = [self.values(argument, given, depth) for argument in node.args]
        for function in self.values(node.func, given, depth):
            if isinstance(function, Ref):
                known = list(self._result(function, node, arguments, given, depth))
                yield from known or [Ref(canonical(f"{function.path}()"), function.text)]

    def _result(
        self, function: Ref, node: ast.Call, arguments: list[Values], given: Given, depth: int
    ) -> Iterator[Value]:
        first = arguments[0] if arguments else ()
        path = function.path
        if path in ("builtins.getattr", "inspect.getattr_static") and len(arguments) > 1:
            yield from _named_attributes(first, arguments[1])
        elif path in ("builtins.__import__", "importlib.import_module", "importlib.__import__"):
            yield from (
                Ref(canonical(_imported(v.text, path, node)))
                for v in first
                if isinstance(v, Text) and HOLE not in v.text
            )
        elif path == "builtins.vars" and first:
            yield from (Ref(f"{value.path}.__dict__") for value in first if isinstance(value, Ref))
        elif path in ("operator.attrgetter()", "operator.methodcaller()"):
            yield from _named_attributes(first, (Text(function.text),))
        elif path in ("operator.attrgetter", "operator.methodcaller", "operator.itemgetter"):
            yield from (Ref(f"{path}()", v.text) for v in first if isinstance(v, Text))
        elif path.endswith((".__getattribute__", ".__getattr__")):
            owner = Ref(path.rpartition(".")[0], function.text)
            yield from _named_attributes(
                first if len(arguments) > 1 else (owner,), arguments[-1] if arguments else ()
            )
        elif path.endswith((".get", ".pop", ".setdefault", ".__getitem__")) and path.rpartition(".")[
            0
        ].endswith(_DICTIONARIES):
            yield from self.item_of(Ref(path.rpartition(".")[0]), first, depth)
        elif path in (
            "functools.partial",
            "builtins.iter",
            "builtins.list",
            "builtins.tuple",
            "builtins.set",
            "builtins.dict",
            "copy.copy",
        ):
            yield from first
        elif path == "builtins.map" and len(arguments) > 1:
            yield from self._mapped(first, arguments[1])
        elif path.startswith("pathlib."):
            yield from _path_result(function, arguments)
        elif path == "builtins.next":
            yield from (item for value in first for item in _items_of(value))
        else:
            yield from fold_call(function.path, function.text, [_plain(a) for a in arguments])

    def _mapped(self, functions: Values, sequences: Values) -> Iterator[Value]:
        for function in functions:
            for sequence in sequences:
                if isinstance(function, Ref) and isinstance(sequence, Items):
                    mapped = [
                        next(iter(fold_call(function.path, "", [_plain((item,))])), Text(HOLE))
                        for item in sequence.items
                    ]
                    yield Items(tuple(mapped))

    # ------------------------------------------------------------ texts and sequences

    def _text(self, node: ast.JoinedStr | ast.BinOp, given: Given, depth: int) -> Iterator[Value]:
        if isinstance(node, ast.JoinedStr):
            pieces = [self._piece(part, given, depth) for part in node.values]
            yield Text("".join(pieces)[:LONGEST])
            return
        left, right = self.values(node.left, given, depth), self.values(node.right, given, depth)
        for value in left:
            if isinstance(value, Ref) and value.path == PATH and isinstance(node.op, ast.Div):
                yield Ref(PATH, f"{value.text or HOLE}/{_joined(right)}")
        if isinstance(node.op, ast.Add) and any(isinstance(v, Items) for v in left):
            yield Items(
                tuple(item for value in (*left, *right) if isinstance(value, Items) for item in value.items)[
                    :LONGEST
                ]
            )
        yield from fold_operation(node.op, _plain(left), _plain(right))

    def _piece(self, part: ast.expr, given: Given, depth: int) -> str:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        found = self.values(inner, given, depth)
        return _joined(found)

    def _sequence(self, node: ast.AST, given: Given, depth: int) -> Iterator[Value]:
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
                found: list[Value] = []
                for part in parts[:LONGEST]:
                    values = self.values(part, given, depth)
                    found += values or (Text(HOLE),)
                yield Items(tuple(found))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                yield from self._comprehension(node, given, depth)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, given: Given, depth: int
    ) -> Iterator[Value]:
        loop = node.generators[0]
        for source in self.values(loop.iter, given, depth):
            items = list(_items_of(source))
            if not isinstance(loop.target, ast.Name) or len(node.generators) > 1 or not items:
                continue
            found: list[Value] = []
            for item in items[:LONGEST]:
                found += self.values(node.elt, {**given, loop.target.id: item}, depth)[:1] or (Text(HOLE),)
            yield Items(tuple(found))


def attribute_of(value: Ref, name: str) -> Ref:
    """Give the attribute ``name`` of a named thing."""
    if name == "__self__" and value.path.startswith("builtins."):
        return Ref("builtins")
    if name in ("__call__", "__wrapped__", "func"):
        return value
    return Ref(
        canonical(f"{value.path}.{name}"),
        value.text if value.path == PATH or value.path.startswith("operator.") else "",
    )


def _named_attributes(owners: Values, names: Values) -> Iterator[Value]:
    for owner in owners:
        for name in names:
            if isinstance(owner, Ref) and isinstance(name, Text) and HOLE not in name.text:
                found = owner
                for step in name.text.split("."):
                    found = attribute_of(found, step)
                yield found


def _path_result(function: Ref, arguments: list[Values]) -> Iterator[Value]:
    """Give a path object with where it points."""
    path, steps = function.path, [_joined(argument) for argument in arguments]
    if path == "pathlib.Path":
        yield Ref(PATH, "/".join(steps) or ".")
    elif path in ("pathlib.Path.home", "pathlib.Path.cwd"):
        yield Ref(PATH, "~" if path.endswith("home") else ".")
    elif path == "pathlib.Path().joinpath":
        yield Ref(PATH, "/".join([function.text or HOLE, *steps]))
    elif path == "pathlib.Path().with_name":
        yield Ref(PATH, f"{function.text.rpartition('/')[0]}/{steps[0] if steps else HOLE}")
    elif path in ("pathlib.Path().glob", "pathlib.Path().rglob"):
        yield Ref(f"{path}()", "/".join([function.text or HOLE, *steps]))


def _imported(name: str, path: str, node: ast.Call) -> str:
    whole = (
        path == "importlib.import_module"
        or len(node.args) > 3
        or any(k.arg == "fromlist" for k in node.keywords)
    )  # noqa: PLR2004 - the fourth argument is fromlist
    return name if whole else name.split(".")[0]


def _items_of(value: Value) -> Iterator[Value]:
    match value:
        case Items():
            yield from value.items
        case Ref():
            yield Ref(canonical(f"{value.path}[]"), value.text)
        case Text():
            yield from (Text(character) for character in value.text[:LONGEST])
        case _:
            return


def _chosen(value: Items, index: ast.expr, keys: Values) -> Iterator[Value]:
    number = next((key for key in keys if isinstance(key, int)), None)
    if isinstance(index, ast.Slice):
        step = index.step
        backwards = isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)
        yield Items(value.items[::-1] if backwards else value.items)
    elif number is not None and -len(value.items) <= number < len(value.items):
        yield value.items[number]
    else:
        yield from value.items


def _plain(values: Values) -> list["str | int | list[str | int]"]:
    """Give texts, numbers and sequences of them as plain values; what else there is, as a hole."""
    found: list[str | int | list[str | int]] = []
    for value in values:
        match value:
            case Text():
                found.append(value.text)
            case int():
                found.append(value)
            case Items():
                found.append(
                    [
                        v.text if isinstance(v, Text) else v if isinstance(v, int) else HOLE
                        for v in value.items
                    ]
                )
            case Ref() if value.path == PATH and value.text:
                found.append(value.text)
            case _:
                found.append(HOLE)
    return found


def _joined(values: Values) -> str:
    plain = _plain(values)
    return str(plain[0]) if len(plain) == 1 and not isinstance(plain[0], list) else HOLE


def _alternatives(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return list(node.values)
        case ast.NamedExpr() | ast.Await() | ast.Starred() | ast.FormattedValue():
            return [node.value]
        case _:
            return []

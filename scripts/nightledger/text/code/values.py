"""What an expression of a snippet may stand for: canonical names, texts, sequences. Nothing is run.

Invariant: bounded. Depth, the number of alternatives and the length of texts have limits; what
goes over them is unknown, and an unknown name where one is looked up is a finding of its own.
"""

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from nightledger.text.code.folding import HOLE, TEMPORARY, Text, fold_call, fold_operation, fold_subscript
from nightledger.text.code.known_names import (
    BUILTINS,
    DICTIONARIES,
    FINDERS,
    IMPORTERS,
    ITEM_METHODS,
    ITEM_OF,
    REDUCERS,
    SAME_AS_FIRST,
    USUAL,
)
from nightledger.text.code.paths import PATH, canonical
from nightledger.text.code.scopes import Binding, Scopes
from nightledger.text.code.value import (
    LONGEST,
    Items,
    Ref,
    Value,
    Values,
    alternatives,
    attribute_of,
    chained,
    chosen,
    found_by_name,
    imported,
    is_name,
    items_of,
    joined,
    path_result,
    plain,
    reduction,
    split,
)

DEEPEST = 40
"""Steps from an expression to what it is made of."""
MOST = 8
"""Alternatives that are followed."""
MOST_STEPS = 100_000
"""Expressions looked at for one snippet; beyond, everything is unknown."""
_TEMPORARY = frozenset({"tmp_path", "tmpdir", "tmp_path_factory"})
Given = Mapping[str, Value]
_NOTHING: Given = MappingProxyType({})


class Resolver:
    """Tells what expressions stand for, for one tree.

    Attributes:
        scopes: Where its names are bound.
        exhausted: Whether it gave up: from then on everything is unknown.
    """

    def __init__(self, scopes: Scopes) -> None:
        """Begin with nothing known."""
        self.scopes = scopes
        self.exhausted = False
        self._known: dict[int, Values] = {}
        self._asked: dict[int, Values] = {}  # for one question: where names go in circles
        self._open: set[int] = set()
        self._cut = 0
        self._steps = 0
        self._kinds: dict[type[ast.AST], Callable[..., Iterator[Value]]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Subscript: self._subscript,
            ast.JoinedStr: self._text,
            ast.BinOp: self._text,
            **dict.fromkeys((ast.Tuple, ast.List, ast.Set, ast.Dict), self._sequence),
            **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp), self._comprehension),
        }

    def values(self, node: ast.AST | None, given: Given = _NOTHING, depth: int = 0) -> Values:
        """Give what ``node`` may stand for; () where that is not told."""
        if node is None:
            return ()
        if not given and id(node) in self._known:
            return self._known[id(node)]
        if depth == 0:
            self._asked.clear()
        elif not given and id(node) in self._asked:
            self._cut += 1
            return self._asked[id(node)]
        self.exhausted = self.exhausted or self._steps > MOST_STEPS
        if depth > DEEPEST or id(node) in self._open or self.exhausted:
            self._cut += 1
            return ()
        self._steps += 1
        self._open.add(id(node))
        cut_before = self._cut
        found = tuple(dict.fromkeys(self._evaluate(node, given, depth + 1)))[:MOST]
        self._open.discard(id(node))
        if not given:
            whole = self._cut == cut_before or depth == 0
            (self._known if whole else self._asked)[id(node)] = found
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
        if isinstance(node, ast.Constant):
            if isinstance(node.value, (str, bytes)):
                yield Text(node.value if isinstance(node.value, str) else node.value.decode("latin-1"))
            elif isinstance(node.value, int):
                yield node.value
            return
        evaluate = self._kinds.get(type(node))
        if evaluate is not None:
            yield from evaluate(node, given, depth)
        for part in alternatives(node):
            yield from self.values(part, given, depth)

    # ------------------------------------------------------------ names

    def _name(self, node: ast.Name, given: Given, depth: int) -> Iterator[Value]:
        if node.id in given:
            yield given[node.id]
            return
        scope = self.scopes.of(node)
        found = self.scopes.find(node.id, scope)
        bindings = found[1] if found else []
        if len(bindings) > MOST:
            yield Text(HOLE)
        for binding in bindings[-MOST:]:
            yield from self._bound(binding, node.id, given, depth)
        if node.id in BUILTINS and not self.scopes.hides_builtin(node.id, scope, node.lineno):
            yield Ref(f"builtins.{node.id}")
        if found is None:
            yield from self._unbound(node.id)

    def _unbound(self, name: str) -> Iterator[Value]:
        """Give what a name stands for that the snippet does not bind."""
        if name in USUAL:
            yield Ref(canonical(USUAL[name]))
        elif not hasattr(builtins, name):
            yield from (Ref(canonical(f"{module}.{name}")) for module in self.scopes.stars)

    def _bound(self, binding: Binding, name: str, given: Given, depth: int) -> Iterator[Value]:
        if binding.imported:
            yield Ref(canonical(binding.imported))
        elif binding.value is not None:
            for value in self.values(binding.value, given, depth):
                yield from items_of(value) if binding.item else (value,)
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
        if not keys and isinstance(node.slice, ast.Name) and node.slice.id == "__name__":
            keys = (Text("__main__"),)
        if isinstance(node.value, ast.Name):
            for stored in self.scopes.keyed.get(node.value.id, ())[:MOST]:
                yield from self.values(stored, given, depth)
        for value in self.values(node.value, given, depth):
            if isinstance(value, Ref):
                yield from self.item_of(value, keys, depth)
            elif isinstance(value, Items):
                yield from chosen(value, node.slice, keys)
            elif isinstance(value, Text):
                yield from fold_subscript(value, node.slice)

    def item_of(self, value: Ref, keys: Values, depth: int = 0) -> Iterator[Value]:
        """Give what a dictionary of names holds under ``keys``: ``vars(os)["system"]`` is ``os.system``."""
        texts = [key.text for key in keys if isinstance(key, Text) and is_name(key.text)]
        for text in texts if value.path.endswith(DICTIONARIES) else ():
            if value.path.endswith(".__dict__"):
                yield Ref(canonical(f"{value.path.removesuffix('.__dict__')}.{text}"))
            elif value.path == "sys.modules":
                yield Ref(canonical(text))
            elif text == "__builtins__":
                yield Ref("builtins")
            else:
                named = ast.Name(id=text, ctx=ast.Load(), lineno=1 << 30, col_offset=0)
                yield from self._name(named, _NOTHING, depth + 1)  # not kept by its id, which comes back
        if value.path == "builtins":  # __builtins__ is a dictionary in an imported module
            yield from (Ref(canonical(f"builtins.{text}")) for text in texts)
        if not texts or not value.path.endswith(DICTIONARIES):
            yield Ref(canonical(f"{value.path}[]"))

    # ------------------------------------------------------------ calls

    def _call(self, node: ast.Call, given: Given, depth: int) -> Iterator[Value]:
        arguments = [self.values(argument, given, depth) for argument in node.args]
        for function in self.values(node.func, given, depth):
            if isinstance(function, Ref):
                known = list(self._result(function, node, arguments, depth))
                yield from known or [Ref(canonical(f"{function.path}()"), function.text)]

    def _result(self, function: Ref, node: ast.Call, arguments: list[Values], depth: int) -> Iterator[Value]:
        path, first = function.path, arguments[0] if arguments else ()
        owner = Ref(path.rpartition(".")[0], function.text)
        if path in FINDERS or path.endswith((".__getattribute__", ".__getattr__")):
            yield from found_by_name(function, owner, arguments)
        elif path in IMPORTERS:
            names = [v.text for v in first if isinstance(v, Text) and is_name(v.text)]
            yield from (Ref(canonical(imported(name, path, node))) for name in names)
        elif path == "builtins.vars" and first:
            yield from (Ref(f"{value.path}.__dict__") for value in first if isinstance(value, Ref))
        elif path.endswith(ITEM_METHODS) and owner.path.endswith(DICTIONARIES):
            yield from self.item_of(owner, first, depth)
        elif path in SAME_AS_FIRST:
            yield from first
        elif path in REDUCERS:
            yield from self._reduced(path, node, depth)
        else:
            yield from self._made(function, arguments)
            yield from self._item_by_function(function, arguments, depth)

    def _reduced(self, path: str, node: ast.Call, depth: int) -> Iterator[Value]:
        """Give what attributes looked up one in another lead to."""
        looker, names, start = reduction(path, node)
        if isinstance(looker, ast.Lambda):
            looker = looker.body.func if isinstance(looker.body, ast.Call) else None
        if names is None or "builtins.getattr" not in (
            v.path for v in self.values(looker, _NOTHING, depth) if isinstance(v, Ref)
        ):
            return
        steps = self.values(names, _NOTHING, depth)
        starts = self.values(start, _NOTHING, depth)
        for value in steps if start is None else ():
            if isinstance(value, Items) and value.items:
                starts, steps = value.items[:1], (Items(value.items[1:]),)
        found = list(chained(starts, steps))
        yield from found
        if path.startswith("itertools."):
            yield Items(tuple(found))

    def _item_by_function(self, function: Ref, arguments: list[Values], depth: int) -> Iterator[Value]:
        """Give what ``operator.getitem(table, key)`` and its relatives give."""
        if function.path == "operator.itemgetter()":
            keys: Values = (Text(function.text),)
        elif function.path in ITEM_OF and len(arguments) > 1:
            keys = arguments[1]
        else:
            return
        for table in arguments[0] if arguments else ():
            if isinstance(table, Ref):
                yield from self.item_of(table, keys, depth)

    def _made(self, function: Ref, arguments: list[Values]) -> Iterator[Value]:
        first = arguments[0] if arguments else ()
        if function.path == "builtins.map" and len(arguments) > 1:
            yield from self._mapped(first, arguments[1])
        elif function.path.startswith("pathlib."):
            yield from path_result(function, arguments)
        elif function.path in ("<text>.split", "<text>.rsplit"):
            yield split(function.text, arguments)
        elif function.path == "builtins.next":
            yield from (item for value in first for item in items_of(value))
        else:
            yield from fold_call(function.path, function.text, [plain(a) for a in arguments])

    def _mapped(self, functions: Values, sequences: Values) -> Iterator[Value]:
        for function in functions:
            for sequence in sequences:
                if isinstance(function, Ref) and isinstance(sequence, Items):
                    mapped = [
                        next(iter(fold_call(function.path, "", [plain((item,))])), Text(HOLE))
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
                for step in right or (Text(HOLE),):
                    yield Ref(PATH, f"{value.text or HOLE}/{joined((step,))}")
        if isinstance(node.op, ast.Add) and any(isinstance(v, Items) for v in left):
            yield Items(
                tuple(item for value in (*left, *right) if isinstance(value, Items) for item in value.items)[
                    :LONGEST
                ]
            )
        yield from fold_operation(node.op, plain(left), plain(right))

    def _piece(self, part: ast.expr, given: Given, depth: int) -> str:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        found = self.values(inner, given, depth)
        return joined(found)

    def _sequence(
        self, node: ast.Tuple | ast.List | ast.Set | ast.Dict, given: Given, depth: int
    ) -> Iterator[Value]:
        found: list[Value] = []
        for part in (node.values if isinstance(node, ast.Dict) else node.elts)[:LONGEST]:
            found += self.values(part, given, depth) or (Text(HOLE),)
        yield Items(tuple(found))

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, given: Given, depth: int
    ) -> Iterator[Value]:
        loop = node.generators[0]
        for source in self.values(loop.iter, given, depth):
            items = list(items_of(source))
            if not isinstance(loop.target, ast.Name) or len(node.generators) > 1 or not items:
                continue
            found: list[Value] = []
            for item in items[:LONGEST]:
                found += self.values(node.elt, {**given, loop.target.id: item}, depth)[:1] or (Text(HOLE),)
            yield Items(tuple(found))

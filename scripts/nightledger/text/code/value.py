"""What an expression of a snippet may stand for, as values: names, texts, numbers, sequences.

Invariant: pure; lengths are bounded.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from nightledger.text.code.folding import HOLE, Text
from nightledger.text.code.paths import PATH, canonical

HEAVIEST = 1024
"""Items of a sequence, those of sequences in it counted. Our choice."""
MOST_NESTED = 20
"""Sequences in one another. Our choice."""
LONGEST = 512
"""Items of a sequence that are followed."""
_FROMLIST = 3
"""Place of ``fromlist`` among the arguments of ``__import__``: with it, the whole name is meant."""


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
    """A sequence whose items are told.

    Sequences in it are unknown beyond :data:`HEAVIEST` and :data:`MOST_NESTED`: lists of one another
    would grow without end, and who compares two of them goes through them whole.

    Attributes:
        items: In their order.
        weight: How many items it has, those of sequences in it counted.
        nested: How many sequences deep it is.
    """

    items: tuple["Value", ...]
    weight: int = field(init=False, compare=False, repr=False)
    nested: int = field(init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Leave out what would be too heavy."""
        weight, nested, kept = len(self.items), 0, list[Value]()
        for item in self.items:
            if isinstance(item, Items):
                if weight + item.weight > HEAVIEST or item.nested >= MOST_NESTED:
                    kept.append(Text(HOLE))
                    continue
                weight, nested = weight + item.weight, max(nested, item.nested)
            kept.append(item)
        object.__setattr__(self, "items", tuple(kept))
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "nested", nested + 1)
        object.__setattr__(self, "_hash", hash(self.items))

    def __hash__(self) -> int:  # type: ignore[explicit-override]  # typing.override is newer than Python 3.11
        """Give what was computed once: what holds a sequence asks for it again and again."""
        return self._hash


Value = Ref | Text | int | Items
Values = tuple[Value, ...]


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


def is_name(text: str) -> bool:
    """Tell whether a text can be a name, dotted or not: nothing else may come into what is told."""
    return all(step.isidentifier() for step in text.split("."))


def named_attributes(owners: Values, names: Values) -> Iterator[Value]:
    """Give what ``getattr`` gives of named things, by names that are told; a dotted name is followed."""
    for owner in owners:
        for name in names:
            if isinstance(owner, Ref) and isinstance(name, Text) and is_name(name.text):
                found = owner
                for step in name.text.split("."):
                    found = attribute_of(found, step)
                yield found


def chained(starts: Values, names: Values) -> Iterator[Value]:
    """Give what ``reduce(getattr, names, start)`` gives: each name is looked up in what the one before gave."""
    for value in names:
        if isinstance(value, Items) and all(isinstance(item, Text) for item in value.items):
            steps = ".".join(item.text for item in value.items if isinstance(item, Text))
            yield from named_attributes(starts, (Text(steps),))


def split(text: str, arguments: list[Values]) -> Items:
    """Give the pieces of a text, as ``split`` does."""
    told = plain(arguments[0]) if arguments else []
    mark = told[0] if told and isinstance(told[0], str) and told[0] else None
    return Items(tuple(Text(piece) for piece in text.split(mark)[:LONGEST]))


def path_result(function: Ref, arguments: list[Values]) -> Iterator[Value]:
    """Give a path object with where it points."""
    path, steps = function.path, [joined(argument) for argument in arguments]
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


def imported(name: str, path: str, node: ast.Call) -> str:
    """Give the module that a call of ``path`` gives for ``name``: the outermost one, as ``import`` does."""
    whole = (
        path == "importlib.import_module"
        or len(node.args) > _FROMLIST
        or any(k.arg == "fromlist" for k in node.keywords)
    )
    return name if whole else name.split(".", maxsplit=1)[0]


def items_of(value: Value) -> Iterator[Value]:
    """Give what a loop over a value gives."""
    match value:
        case Items():
            yield from value.items
        case Ref():
            yield Ref(canonical(f"{value.path}[]"), value.text)
        case Text():
            yield from (Text(character) for character in value.text[:LONGEST])
        case _:
            return


def chosen(value: Items, index: ast.expr, keys: Values) -> Iterator[Value]:
    """Give the item that is asked for; any, where the place is not told."""
    number = next((key for key in keys if isinstance(key, int)), None)
    if isinstance(index, ast.Slice):
        step = index.step
        backwards = isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)
        yield Items(value.items[::-1] if backwards else value.items)
    elif number is not None and -len(value.items) <= number < len(value.items):
        yield value.items[number]
    else:
        yield from value.items


def plain(values: Values) -> list["str | int | list[str | int]"]:
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


def joined(values: Values) -> str:
    """Give the one text that values are; a hole where there are several, or none."""
    told = plain(values)
    return str(told[0]) if len(told) == 1 and not isinstance(told[0], list) else HOLE


def alternatives(node: ast.AST) -> list[ast.expr]:
    """Give the expressions of which an expression is one; [] for one that stands for itself."""
    match node:
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return list(node.values)
        case ast.NamedExpr() | ast.Await() | ast.Starred() | ast.FormattedValue():
            return [node.value]
        case _:
            return []


def found_by_name(function: Ref, owner: Ref, arguments: list[Values]) -> Iterator[Value]:
    """Give what getattr and its relatives give."""
    path, first = function.path, arguments[0] if arguments else ()
    if path.startswith("operator.") and path.endswith("()"):
        yield from named_attributes(first, (Text(function.text),))
    elif path.startswith("operator."):
        every = arguments if path.endswith("getter") else arguments[:1]
        yield from (Ref(f"{path}()", v.text) for values in every for v in values if isinstance(v, Text))
    elif len(arguments) > 1:
        yield from named_attributes(first, arguments[1])
    elif path.endswith("__"):
        yield from named_attributes((owner,), first)


def reduction(path: str, node: ast.Call) -> tuple[ast.expr | None, ast.expr | None, ast.expr | None]:
    """Give the function, the names and the start of a call of one of ``REDUCERS``; None for what is not given."""
    at: list[ast.expr | None] = [*node.args, None, None, None]
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    if path.startswith("itertools."):
        return at[1] or named.get("func"), at[0] or named.get("iterable"), named.get("initial")
    return at[0], at[1], at[2] or named.get("initial")

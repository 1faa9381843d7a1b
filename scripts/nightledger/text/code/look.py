"""What the rules of the code auditor share: one tree, and what its expressions stand for.

Invariant: rules only read; a rule gives hits, and where they stand is told once, here.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from nightledger.text.code.rule import CodeSeverity
from nightledger.text.code.scopes import Scopes
from nightledger.text.code.source import parse
from nightledger.text.code.value import Ref
from nightledger.text.code.values import Resolver

_EXAMPLE = re.compile(r"^[ \t]*>>> ", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One match of a rule at a node.

    Attributes:
        rule: Name of the row.
        severity: What this place asks for; None for what the row says.
        what: The name it is about.
    """

    rule: str
    severity: CodeSeverity | None = None
    what: str = ""


def note(what: str) -> Hit:
    """Give what is said of a name that the published list denies and that does no harm here."""
    return Hit(rule="code.published", severity=CodeSeverity.NOTE, what=what)


class Look:
    """One tree under audit.

    Attributes:
        tree: The parsed snippet.
        scopes: Where its names are bound.
        resolver: What its expressions stand for.
        defined: Names of functions that the snippet defines itself, methods included.
    """

    def __init__(self, tree: ast.Module, nested: Callable[[str], bool]) -> None:
        """Bind names once for all rules."""
        self.tree = tree
        self.scopes = Scopes(tree)
        self.resolver = Resolver(self.scopes)
        self._nested = nested
        self._told: dict[str, bool] = {}
        self._made: list[ast.expr] = []  # kept, because ids of freed nodes come back
        self._kept: list[ast.stmt] = []  # likewise
        self._read: set[str] = set()
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        self.defined = frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))

    def nested(self, text: str) -> bool:
        """Audit a text that the snippet lets somebody run, once; tell whether there is something in it."""
        if text not in self._told:
            self._told[text] = self._nested(text)
        return self._told[text]

    @cached_property
    def bad_example(self) -> bool:
        """Whether an example in a docstring of the snippet does something to be found."""
        texts = (node.value for node in ast.walk(self.tree) if isinstance(node, ast.Constant))
        return any(isinstance(t, str) and _EXAMPLE.search(t) is not None and self.nested(t) for t in texts)

    def expression(self, text: str) -> ast.expr | None:
        """Give the expression that a text is, its names as the whole snippet sees them; None if it is none."""
        tree, _ = parse(text.strip())
        match tree:
            case ast.Module(body=[ast.Expr(value=made)]):
                self._made.append(made)
                return made
            case _:
                return None

    def statements(self, text: str) -> Iterator[ast.AST]:
        """Give the statements of a text, its names as the whole snippet sees them; imports are its own."""
        tree, _ = parse(textwrap.dedent(text).strip()) if text not in self._read else (None, ())
        self._read.add(text)
        for statement in tree.body if isinstance(tree, ast.Module) else ():
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._kept.append(statement)
                yield statement

    def refs(self, node: ast.AST | None) -> tuple[Ref, ...]:
        """Give the named things that ``node`` may be."""
        return self.resolver.refs(node)

    def paths(self, node: ast.AST | None) -> tuple[str, ...]:
        """Give their names."""
        return tuple(ref.path for ref in self.resolver.refs(node))

    def texts(self, node: ast.AST | None) -> tuple[str, ...]:
        """Give the texts that ``node`` may be."""
        return self.resolver.texts(node)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Give the node above."""
        return self.scopes.parents.get(id(node))

    def is_parameter(self, name: ast.Name) -> bool:
        """Tell whether a name is nothing but a function's parameter, of which nothing is told."""
        found = self.scopes.find(name.id, self.scopes.of(name))
        return (
            found is not None
            and found[0].is_function
            and all(b.value is None and not (b.imported or b.defined or b.gone) for b in found[1])
        )

    def below(self, node: ast.AST) -> Iterator[ast.AST]:
        """Give everything that ``node`` is made of, through the names in it, each once."""
        seen: set[int] = set()
        stack = [node]
        while stack and len(seen) < MOST_BELOW:
            at = stack.pop()
            if id(at) in seen:
                continue
            seen.add(id(at))
            yield at
            stack += ast.iter_child_nodes(at)
            if isinstance(at, ast.Name):
                found = self.scopes.find(at.id, self.scopes.of(at))
                stack += [b.value for b in (found[1] if found else ()) if b.value is not None]


MOST_BELOW = 2000
"""Nodes that are followed for one expression."""


def argument(call: ast.Call, place: int, name: str = "") -> ast.expr | None:
    """Give an argument by its place or its name; None where it is not given."""
    if 0 <= place < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: place + 1]):
        return call.args[place]
    return next((keyword.value for keyword in call.keywords if name and keyword.arg == name), None)

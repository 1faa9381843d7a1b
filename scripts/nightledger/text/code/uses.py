"""Rules about names: what is on the lists, wherever it is named, and imports of denied modules.

A denied import is a finding unless every use of the module is seen to do no harm: ``import os`` for
``os.path.join`` is noted, ``import os`` for nothing is found.
Invariant: pure; each name is judged where it stands, called or handed on.
"""

import ast
from collections.abc import Iterator

from nightledger.text.code.denylist import HARMLESS, IMPORTS
from nightledger.text.code.folding import TEMPORARY
from nightledger.text.code.look import Hit, Look, note
from nightledger.text.code.names import BY_RULE, RUN
from nightledger.text.code.paths import PATH, NameList, canonical, matches

_NAMES = NameList((*BY_RULE, ("code.run", RUN)))
_DENIED = frozenset(IMPORTS)
_JUDGED = ("os.environ*", "sys.modules*")


def rule_of(path: str) -> str:
    """Give the rule of a canonical name that is on the lists; "" for any other."""
    return _NAMES.rule(path)


def name_hits(node: ast.expr, look: Look) -> Iterator[Hit]:
    """Give what a name that is read stands for, where it is on the lists."""
    for ref in look.refs(node):
        path = ref.path
        if path.startswith(PATH) and ref.text.startswith(TEMPORARY):
            continue  # a temporary folder of its own
        if rule := _NAMES.rule(path):
            yield Hit(rule=rule, what=path.removesuffix("[]").removesuffix("()"))
        elif path == "os.environ" and not _is_looked_into(node, look):
            yield Hit(rule="code.secret", what=path)


def _is_looked_into(node: ast.expr, look: Look) -> bool:
    match look.parent(node):
        case ast.Attribute() | ast.Compare():
            return True
        case ast.Subscript(value=value):
            return value is node
        case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.Delete():
            return True  # an alias: what it is used for is judged where it is used
        case _:
            return False


def import_hits(node: ast.Import | ast.ImportFrom, used: dict[str, set[str]]) -> Iterator[Hit]:
    """Judge an import by what the snippet does with it.

    Args:
        node: The import.
        used: Names used, by their module (``uses``).
    """
    module = "" if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
    for alias in node.names:
        full = canonical(f"{module}.{alias.name}" if module else alias.name)
        root = full.split(".")[0]
        rule = _NAMES.rule(full)
        if rule and module:
            yield Hit(rule=rule, what=full)
        elif root in _DENIED and root != "":
            yield from _denied(full, root, module, used.get(root, set()))


def _denied(full: str, root: str, module: str, used: set[str]) -> Iterator[Hit]:
    harmless = HARMLESS.get(root, ())
    if module and full != root and not full.endswith(".*"):
        yield (
            note(root)
            if matches(full, harmless) or full in ("os.environ", "sys.modules", "sys.path")
            else Hit(rule="code.import", what=full)
        )
        return
    listed = {path for path in used if _NAMES.rule(path.split("(", maxsplit=1)[0])}
    odd = sorted(path for path in used - listed if not matches(path, (*harmless, *_JUDGED)))
    if odd or not used:
        yield Hit(rule="code.import", what=odd[0] if odd else root)
    elif not listed:  # what is listed is found where it stands
        yield note(root)


def uses(look: Look) -> dict[str, set[str]]:
    """Give the names that are used of each denied module; the module's own, where it is handed on as a whole."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(look.tree):
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            continue
        for path in look.paths(node):
            root = path.split(".")[0]
            if root not in _DENIED:
                continue
            if path != root:
                found.setdefault(root, set()).add(path)
            elif not isinstance(look.parent(node), (ast.Attribute, ast.Assign, ast.NamedExpr)):
                found.setdefault(root, set()).add(root)
    return found

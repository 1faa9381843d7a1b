"""Rules about libraries that speak to a database: what leaves nothing of a table without any SQL to be read.

Invariant: pure; a deletion that chooses rows is none, and a database of the snippet's own (in memory,
below a temporary folder) is left out.
"""

import ast
import re
from collections.abc import Iterator

from nightledger.text.code.folding import TEMPORARY
from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.rule import CodeSeverity

_EMPTYING = frozenset(
    {"drop_all", "drop_database", "drop_collection", "flushall", "flushdb", "drop_tables", "drop_table", "truncate_table", "drop_schema"}
)  # fmt: skip
"""Methods that leave nothing; SQLAlchemy, Alembic, MongoDB, Redis, peewee."""
_CHOOSING = frozenset(
    {"filter", "filter_by", "exclude", "where", "get", "first", "last", "one", "one_or_none", "limit", "latest", "earliest", "having", "in_bulk", "get_or_404", "scalar_one"}
)  # fmt: skip
"""Steps of a chain that choose rows."""
_MANAGERS = frozenset({"objects", "_default_manager", "_base_manager", "query"})
"""What stands for all rows of a model: Django, SQLAlchemy."""
_DELETERS = frozenset({"sqlalchemy.delete", "sqlalchemy.sql.delete", "sqlalchemy.sql.expression.delete", "sqlmodel.delete"})  # fmt: skip
_COMMANDS = {"flush": "code.delete", "reset_db": "code.delete", "sqlflush": "", "dbshell": "code.process", "shell": "code.run", "shell_plus": "code.run", "runscript": "code.load"}  # fmt: skip
"""Commands of Django (and of its extensions) that empty a database or run something."""
_COMMANDERS = ("call_command", "execute_from_command_line")
_REPLACING = {"to_sql": "if_exists", "to_gbq": "if_exists", "write_database": "if_table_exists", "to_postgis": "if_exists", "write_pandas": "overwrite"}  # fmt: skip
_SPARK = frozenset({"saveAsTable", "insertInto", "jdbc"})
_IN_MEMORY = re.compile(r"(?:\w+(?:\+\w+)?:/{2,3})?(?:file:)?:memory:.*|sqlite(?:\+\w+)?:/{2,3}", re.DOTALL)
_SCHEME = re.compile(r"\A\w+(?:\+\w+)?:/{2,3}")
DATABASE = re.compile(r"(?!/|~|.*\.\.)[^$]*\.(?:db3?|sqlite3?|duckdb|bak|backup)\Z", re.IGNORECASE)
"""A database that lies beside the work, under a name that is spelled out."""
_STEPS = 12
"""Steps of a chain of calls that are followed."""


def table_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a call leaves of the tables of a database."""
    for rule in _commanded(call, look):
        yield Hit(rule=rule, severity=CodeSeverity.MEDIUM, what="a command of Django")
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    replaces = _replaces(call, name, look)
    empties = _is_emptying(call, name, look) or _deletes_all(call, name, look) or _is_bare_delete(call, look)
    bound = list(_bound_to(call)) if replaces or empties else []
    if any(is_scratch(part, look) or (not empties and _lies_beside(part, look)) for part in bound):
        return
    if replaces or empties:
        yield Hit(rule="code.delete", severity=CodeSeverity.MEDIUM, what=name or "a DELETE of all rows")


def _bound_to(call: ast.Call) -> Iterator[ast.expr]:
    """Give what tells which database a call is about."""
    if isinstance(call.func, ast.Attribute):
        yield call.func.value
    yield from call.args
    yield from (k.value for k in call.keywords if k.arg in ("bind", "con", "connection", "engine"))


def is_scratch(node: ast.expr, look: Look) -> bool:
    """Tell whether a database is in memory or below a temporary folder of the snippet's own."""
    parts = [part for part in look.below(node) if isinstance(part, ast.expr)]
    return any(
        _IN_MEMORY.fullmatch(text) is not None or _SCHEME.sub("", text).lstrip("/").startswith(TEMPORARY)
        for part in parts
        for text in look.texts(part)
    )


def _lies_beside(node: ast.expr, look: Look) -> bool:
    """Tell whether a database is a data file beside the work."""
    parts = [part for part in look.below(node) if isinstance(part, ast.expr)]
    return any(DATABASE.match(_SCHEME.sub("", text)) for part in parts for text in look.texts(part))


def _is_emptying(call: ast.Call, name: str, look: Look) -> bool:
    return (
        isinstance(call.func, ast.Attribute)
        and name in _EMPTYING
        and name not in look.defined
        and not look.texts(call.func.value)
    )


def _replaces(call: ast.Call, name: str, look: Look) -> bool:
    """Tell whether a table of rows takes the place of what a table held."""
    if name in _REPLACING:
        how = argument(call, -1, _REPLACING[name])
        return "replace" in look.texts(how) or (isinstance(how, ast.Constant) and how.value is True)
    if name not in _SPARK:
        return False
    modes = [argument(step, 0, "saveMode") for step in _calls(call) if _name(step) == "mode"]
    return any("overwrite" in look.texts(m) for m in (*modes, argument(call, -1, "mode"))) or (
        isinstance(flag := argument(call, 1, "overwrite"), ast.Constant) and flag.value is True
    )


def _deletes_all(call: ast.Call, name: str, look: Look) -> bool:
    """Tell whether a chain of calls deletes all rows of a model, or all documents of a collection."""
    if name == "delete_many":
        given = argument(call, 0, "filter")
        return isinstance(given, ast.Dict) and not given.keys
    if name not in ("delete", "_raw_delete", "execute"):
        return False
    steps = list(_chain(call, look))
    if name == "execute":
        return steps == ["delete"] and not call.args
    return not _CHOOSING.intersection(steps) and not _MANAGERS.isdisjoint(steps)


def _is_bare_delete(call: ast.Call, look: Look) -> bool:
    """Tell whether ``delete(Model)`` is handed on as it is, without choosing rows."""
    return isinstance(look.parent(call), ast.Call) and not _DELETERS.isdisjoint(look.paths(call.func))


def _commanded(call: ast.Call, look: Look) -> Iterator[str]:
    if not any(path.endswith(_COMMANDERS) and "django" in path for path in look.paths(call.func)):
        return
    given = argument(call, 0, "command_name")
    words = given.elts[1:2] if isinstance(given, (ast.List, ast.Tuple)) else [given]
    for text in (text for word in words for text in look.texts(word)):
        if rule := _COMMANDS.get(text, ""):
            yield rule


def _calls(call: ast.expr) -> Iterator[ast.Call]:
    """Give the calls of a chain, the last first."""
    at: ast.expr = call
    while isinstance(at, (ast.Call, ast.Attribute)):
        if isinstance(at, ast.Call):
            yield at
            at = at.func
        else:
            at = at.value


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _chain(call: ast.Call, look: Look) -> Iterator[str]:
    """Give the names of a chain before its last call, through names that stand for a part of it."""
    at: ast.AST | None = call.func.value if isinstance(call.func, ast.Attribute) else None
    for _ in range(_STEPS * 2):
        match at:
            case ast.Attribute(attr=name, value=below):
                yield name
                at = below
            case ast.Call(func=below):
                at = below
            case ast.Name():
                found = look.scopes.find(at.id, look.scopes.of(at))
                values = [b.value for b in (found[1] if found else ()) if b.value is not None]
                at = (
                    values[0]
                    if len(values) == 1 and isinstance(values[0], (ast.Call, ast.Attribute))
                    else None
                )
            case _:
                return

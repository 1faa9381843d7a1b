"""Rules about databases: SQL that writes files, starts something or leaves nothing of a table.

Invariant: pure; a query counts where it is given to a method that runs it.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from nightledger.text.code.files import stays, written
from nightledger.text.code.folding import HOLE, Text
from nightledger.text.code.look import Hit, Look, argument
from nightledger.text.code.rule import CodeSeverity
from nightledger.text.code.tables import DATABASE, is_scratch
from nightledger.text.code.value import Items

_SQL_METHODS = frozenset(
    {
        "execute",
        "executescript",
        "executemany",
        "exec_driver_sql",
        "sql",
        "query",
        "read_sql",
        "read_sql_query",
    }
)
_ATTACHED = re.compile(
    r"\battach\s+(?:database\s+)?(?:(?:if not exists)\s+)?(?:'([^']*)'|[?:$@])", re.IGNORECASE
)
_SQL_WRITES = re.compile(
    r"\bvacuum\s+(?:\w+\s+)?into\s+'([^']*)'|\binto\s+(?:outfile|dumpfile)\s+'([^']*)'|\bcopy\b[^;]{0,1000}\bto\s+'([^']*)'|\blo_export\s*\([^,]{0,100},\s*'([^']*)'",
    re.IGNORECASE,
)
MOST_PLACES = 20
"""Files of one query that are looked at."""
_SQL_RUNS = (
    ("code.process", re.compile(r"\bcopy\b[^;]{0,1000}\b(?:from|to)\s+program\s+'|\bxp_cmdshell\b|\bsys_exec\s*\(", re.IGNORECASE)),
    ("code.native", re.compile(r"\bload_extension\s*\(|\bload\s+'[^'/\\.]*[/\\.][^']*'\s*(?:;|\Z)|\bcreate\s+function\b[^;]{0,1000}\bsoname\b", re.IGNORECASE)),
)  # fmt: skip
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/|'[^']*'", re.DOTALL)
_DROPS = re.compile(
    r"\s*(?:drop\s+(?:table|database|schema|keyspace)\b|truncate\s+(?:table\s+)?[\w\"`\[{%.\0]|delete\s+from\s+(?:only\s+)?[^\s;]+\s*(?:where\s+(?:1\s*=\s*1|1|true)\s*)?\Z)",
    re.IGNORECASE,
)
"""A statement that leaves nothing of a table; a DELETE only where nothing chooses among the rows."""
MOST_SQL = 20_000
"""Characters of a query that are looked at."""


def query_hits(call: ast.Call, look: Look) -> Iterator[Hit]:
    """Give what a query does beyond rows."""
    if not isinstance(call.func, ast.Attribute):
        return
    name = call.func.attr
    if name not in _SQL_METHODS:
        return
    for text in _sql(argument(call, 0, "sql"), look):
        if _empties(text) and not is_scratch(call.func.value, look):
            yield Hit(
                rule="code.delete",
                severity=CodeSeverity.MEDIUM,
                what=f"{name} of SQL that drops or empties a table",
            )
        rules, places, attached = _read_sql(text)
        yield from (Hit(rule=rule, what=name) for rule in rules)
        yield from (written((place,), name) for place in places)
        if any(map(stays, attached)) or ("" in attached and any(map(stays, _given(call, look)))):
            yield Hit(rule="code.startup", what=name)


@lru_cache(maxsize=64)
def _read_sql(text: str) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """Give the rules that a query falls under, the files it writes, those it attaches; "" for a placeholder.

    Remembered, because one text may be run by thousands of calls.
    """
    rules = tuple(rule for rule, pattern in _SQL_RUNS if pattern.search(text))
    places = dict.fromkeys("".join(found) for found in _SQL_WRITES.findall(text))
    return (
        rules,
        tuple(place for place in places if not DATABASE.match(place))[:MOST_PLACES],
        frozenset(_ATTACHED.findall(text)),
    )


def _given(call: ast.Call, look: Look) -> Iterator[str]:
    """Give the texts that a query is given for its placeholders."""
    for value in look.resolver.values(argument(call, 1, "parameters")):
        if isinstance(value, Items):
            yield from (item.text for item in value.items if isinstance(item, Text))


def _sql(given: ast.expr | None, look: Look) -> tuple[str, ...]:
    """Give the texts of a query: as such, or within what libraries wrap them in (``text("…")``, ``SQL("…").format(…)``)."""
    texts = look.texts(given)
    while not any(text.strip(HOLE) for text in texts) and isinstance(given, ast.Call):
        wrapped = (
            given.func.value
            if isinstance(given.func, ast.Attribute) and given.func.attr == "format"
            else None
        )
        given = wrapped or (given.args[0] if given.args else None)
        texts = look.texts(given)
    return texts


@lru_cache(maxsize=64)
def _empties(text: str) -> bool:
    """Tell whether one of the statements of a query leaves nothing of a table; remembered as `_read_sql` is."""
    return any(_DROPS.match(statement) for statement in _COMMENT.sub(" ", text[:MOST_SQL]).split(";"))

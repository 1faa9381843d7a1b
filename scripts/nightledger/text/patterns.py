"""Patterns and lists of words as they are written in ``config/words/``: data, looked up by file and name.

Invariant: a pattern is compiled when it is first asked for. A long one is written in pieces; a name in braces stands
for the pattern of that name in the same file. Standard library only: a prompt's hook reads stop words.
"""

import json
import re
from functools import cache

from nightledger.files.home import shipped_config

_NAME = re.compile(r"\{([a-z][a-z_]+)\}")


@cache
def words(file: str) -> dict[str, tuple[str, ...]]:
    """Return the lists of ``config/words/<file>.json``, of words or of a pattern's pieces, by name."""
    told = json.loads(shipped_config(f"words/{file}.json"))
    return {name: (one,) if isinstance(one, str) else tuple(one) for name, one in told.items()}


@cache
def grouped(file: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the lists of ``config/words/<file>.json`` that stand there in groups, by group and name."""
    told = json.loads(shipped_config(f"words/{file}.json"))
    return {group: {name: tuple(one) for name, one in lists.items()} for group, lists in told.items()}


@cache
def pattern(file: str, name: str) -> re.Pattern[str]:
    """Return a pattern of ``config/words/<file>.json``."""
    return re.compile(_text(file, name))


def _text(file: str, name: str) -> str:
    return _NAME.sub(lambda found: _text(file, found[1]), "".join(words(file)[name]))

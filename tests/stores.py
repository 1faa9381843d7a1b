"""Indexes that tests open; ``tests/conftest.py`` closes them behind each test, because Python 3.13 tells of those left open."""

import sqlite3
from contextlib import ExitStack
from typing import Protocol, TypeVar

from nightledger.files.search_index import SearchWriter, build_in_memory
from nightledger.text.tokens import index_text

OPEN = ExitStack()


class _Closable(Protocol):
    def close(self) -> None: ...


Kept = TypeVar("Kept", bound=_Closable)


def kept(opened: Kept) -> Kept:
    """Give what was opened, to be closed when the test is over."""
    OPEN.callback(opened.close)
    return opened


def in_memory() -> SearchWriter:
    """Give an empty index that no file holds."""
    writer = build_in_memory(index_text)
    kept(writer.store)
    return writer


def connected(database: str = ":memory:") -> sqlite3.Connection:
    """Give a connection, each statement its own transaction."""
    return kept(sqlite3.connect(database, isolation_level=None))

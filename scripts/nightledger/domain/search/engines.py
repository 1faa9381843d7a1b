"""Which engine finds candidates: FTS5, or in a large home tantivy where it is installed.

Invariant: no choice here lets tantivy find in an index of ``LEAST_CHUNKS`` or fewer.
"""

from enum import StrEnum


class Engine(StrEnum):
    """What a home's settings ask for."""

    AUTO = "auto"
    """tantivy where it is installed and the index has more than ``AUTO_CHUNKS`` chunks."""
    FTS5 = "fts5"
    """Never tantivy."""
    TANTIVY = "tantivy"
    """tantivy above ``LEAST_CHUNKS``; where it is not installed that is said."""


LEAST_CHUNKS = 50_000
AUTO_CHUNKS = 50_000
"""Measured: docs/decisions/0045-search-index.md."""


def wants_tantivy(engine: Engine, chunks: int) -> bool:
    """Tell whether tantivy is to find the candidates of an index.

    Args:
        engine: What the settings ask for.
        chunks: How many the index has.
    """
    least = {Engine.AUTO: AUTO_CHUNKS, Engine.TANTIVY: LEAST_CHUNKS}.get(engine)
    return least is not None and chunks > least

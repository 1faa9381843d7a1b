"""Which engine finds candidates: FTS5, or in a large home tantivy where it is installed.

Invariant: no choice here lets tantivy find in an index of ``LEAST_CHUNKS`` or fewer.
"""

from enum import StrEnum


class Engine(StrEnum):
    """What a home's settings ask for."""

    AUTO = "auto"
    """tantivy in a large home where it is installed."""
    FTS5 = "fts5"
    """Never tantivy."""
    TANTIVY = "tantivy"
    """As ``AUTO``; where it is not installed that is said."""


LEAST_CHUNKS = 50_000
"""As it was asked for; there it gains already (docs/decisions/0045-search-index.md)."""


def wants_tantivy(engine: Engine, chunks: int) -> bool:
    """Tell whether tantivy is to find the candidates of an index.

    Args:
        engine: What the settings ask for.
        chunks: How many the index has.
    """
    return engine is not Engine.FTS5 and chunks > LEAST_CHUNKS

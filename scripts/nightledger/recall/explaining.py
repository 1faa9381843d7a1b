"""How a query was answered, step by step: for whoever asks why this was found, and that was not.

Invariant: nothing is told that did not happen: every figure is one that searching used.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date

from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.search.expansion import Group
from nightledger.domain.search.values import Found, Query
from nightledger.files.configuration import home_zone
from nightledger.files.search_schema import DamagedIndexError
from nightledger.gate.opening import Gate, Ledger
from nightledger.recall.choosing import as_told
from nightledger.recall.indexing import Refreshed, refresh
from nightledger.recall.meaning import Encoder
from nightledger.recall.searching import find_chunks, read_query, search_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A search with what led to it.

    Attributes:
        found: What was found.
        groups: Words that were looked for, with what may stand for each.
        frequencies: In how many chunks each of these words stands.
        said: The words that told a time; empty where none did.
        since: First day of that time.
        until: Last day of it.
        candidates: Chunks that were weighed.
        chunks: Chunks in the index.
        files: Files in the index.
        indexed: Files that were indexed for this query, because they were new or had changed.
    """

    found: Found
    groups: tuple[Group, ...]
    frequencies: Mapping[str, int]
    said: str
    since: date | None
    until: date | None
    candidates: int
    chunks: int
    files: int
    indexed: int


def explain(
    gate: Gate,
    ledger: Ledger,
    query: Query,
    moment: Moment,
    *,
    may_write: bool = True,
    encoder: Encoder | None = None,
) -> Explained:
    """Search, and tell how.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        query: What for, and who asks.
        moment: The clocks.
        may_write: Whether this machine writes the home.
        encoder: What gives embeddings, where meaning counts.

    Raises:
        UnreadableError: A gated file cannot be read.
        IntegrityError: The constitution in force cannot be told.
    """
    today = log_day(moment.at, home_zone(gate.home, gate.settings))
    try:
        refreshed = refresh(gate, ledger, moment, may_write=may_write)
        with closing(refreshed.store):
            return _explain(refreshed, query, today, encoder)
    except DamagedIndexError as error:
        fresh = refresh(gate, ledger, moment, may_write=may_write, anew=True)
        with closing(fresh.store):
            told = replace(fresh, notes=(f"{error}: it was made anew", *fresh.notes))
            return _explain(told, query, today, encoder)


def _explain(refreshed: Refreshed, query: Query, today: date, encoder: Encoder | None) -> Explained:
    store = refreshed.store
    found = as_told(search_in(refreshed, query, today, encoder=encoder), query)
    asked = replace(read_query(store, refreshed.judge, query, today), only=found.only)
    words = [word for group in asked.groups for word in group.weights]
    return Explained(
        found=found,
        groups=asked.groups,
        frequencies=store.frequencies(words),
        said=asked.times.said,
        since=asked.times.since,
        until=asked.times.until,
        candidates=len(find_chunks(store, query, asked)),
        chunks=store.count(),
        files=len(store.files()),
        indexed=refreshed.changed,
    )

"""What the agent's handoff leaves open.

Invariant: an open item is an order to whoever reads it, and nobody signed it; so the page says where open items stand
and how many, and quotes none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from nightledger.domain.search.values import Chunk, Kind
from nightledger.domain.staging.values import Candidate, Source
from nightledger.files.durable import is_there
from nightledger.files.home import Home
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import place_of
from nightledger.recall.sources import read_source
from nightledger.text.staging.handoff import OpenItem, handoff_day, read_open_items

STALE_DAYS = 14
"""FACTS, Elara: goals are stale at 14 days. A handoff of then is staged below all fresh things."""
STALE_SHARE = 0.5
URGENT = 1.0
"""Urgency of an item under a heading that says so (``text/staging/handoff.py``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A handoff, read.

    Attributes:
        candidates: One that names where they stand; none where nothing is open.
        items: Its open items that an agent may see, the most urgent first.
        held: How many may not be shown to an agent.
    """

    candidates: tuple[Candidate, ...] = ()
    items: tuple[OpenItem, ...] = ()
    held: int = 0


def read_handoff(home: Home, library: Library, today: date) -> Handed:
    """Give what the handoff leaves open; nothing where there is none.

    Args:
        home: Whose.
        library: Search: it knows what may be shown.
        today: The log day.

    Raises:
        UnreadableError: The handoff is no regular file.
    """
    if not is_there(home.handoff):
        return Handed()
    path = home.relative(home.handoff)
    raw, size_bytes = read_source(home, path, Kind.HANDOFF)
    text = raw.decode("utf-8", "replace")
    items = read_open_items(text)
    day = handoff_day(text)
    open_ones = [item for item in items if library.may_show(_chunk(item, path, day))]
    age = 0 if day is None else max(0, (today - day).days)
    count = f"at least {len(open_ones)}" if len(raw) < size_bytes else f"{len(open_ones)}"
    return Handed(
        candidates=(_candidate(open_ones, count, path, age),) if open_ones else (),
        items=tuple(open_ones),
        held=len(items) - len(open_ones),
    )


def _chunk(item: OpenItem, path: str, day: date | None) -> Chunk:
    return Chunk(
        path=path,
        first_line=item.line,
        last_line=item.line,
        kind=Kind.HANDOFF,
        heading=item.heading,
        day=day,
        text=item.text,
    )


def _candidate(items: Sequence[OpenItem], count: str, path: str, age: int) -> Candidate:
    stale = age >= STALE_DAYS
    numbers = [item.line for item in items]
    urgent = sum(item.urgency >= URGENT for item in items)
    place = place_of(path, (min(numbers), max(numbers)))
    told = f"the handoff leaves {count} open{f', {urgent} of them urgent' if urgent else ''}"
    return Candidate(
        source=Source.OPEN_ITEM,
        text=place,
        place=place,
        why=f"{told}; it is {age} days old" if stale else told,
        score=round(items[0].urgency * (STALE_SHARE if stale else 1), 4),
        path=path,
    )

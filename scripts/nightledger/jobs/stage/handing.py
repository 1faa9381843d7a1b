"""What the agent's handoff leaves open.

Invariant: an open item is an order to whoever reads it, and nobody signed it; so the page says where open items stand
and how many, and quotes none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from nightledger.domain.search.values import Chunk, Kind
from nightledger.domain.staging.values import Candidate, Source
from nightledger.files.durable import is_there
from nightledger.files.home import Home
from nightledger.jobs.stage.lines import place_of
from nightledger.jobs.stage.shelves import Shelves
from nightledger.recall.sources import read_source
from nightledger.text.staging.handoff import OpenItem, handoff_day, read_open_items

if TYPE_CHECKING:
    from nightledger.jobs.stage.inquiry import Inquiry

STALE_DAYS = 14
"""FACTS, Elara: goals are stale at 14 days. A handoff of then is staged below all fresh things."""
STALE_SHARE = 0.5
URGENT = 1.0
"""Urgency of an item under a heading that says so (``config/words/handoff-words.json``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A handoff, read.

    Attributes:
        path: Where it lies, relative to the home.
        items: Its open items that an agent may see, the most urgent first.
        held: How many may not be shown to an agent.
        day: When it was written; None where it does not tell.
        is_cut: Whether more of it was not read.
    """

    path: str
    items: tuple[OpenItem, ...] = ()
    held: int = 0
    day: date | None = None
    is_cut: bool = False


def read_handoff(home: Home, library: Shelves) -> Handed:
    """Read what the handoff leaves open; nothing where there is none.

    Raises:
        UnreadableError: The handoff is no regular file.
    """
    path = home.relative(home.handoff)
    if not is_there(home.handoff):
        return Handed(path=path)
    raw, size_bytes = read_source(home, path, Kind.HANDOFF)
    text = raw.decode("utf-8", "replace")
    items, day = read_open_items(text), handoff_day(text)
    shown = tuple(item for item in items if library.may_show(_chunk(item, path, day)))
    held = len(items) - len(shown)
    return Handed(path=path, items=shown, held=held, day=day, is_cut=len(raw) < size_bytes)


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


def open_items(inquiry: "Inquiry") -> Iterator[Candidate]:
    """Give one candidate that names where open items stand; none where nothing is open."""
    handed = inquiry.handed
    if not handed.items:
        return
    age = 0 if handed.day is None else (inquiry.today - handed.day).days
    urgent = sum(item.urgency >= URGENT for item in handed.items)
    numbers = [item.line for item in handed.items]
    place = place_of(handed.path, (min(numbers), max(numbers)))
    count = f"{'at least ' if handed.is_cut else ''}{len(handed.items)}"
    told = f"the handoff leaves {count} open{f', {urgent} of them urgent' if urgent else ''}"
    yield Candidate(
        source=Source.OPEN_ITEM,
        text=place,
        place=place,
        why=f"{told}; it is {age} days old" if age >= STALE_DAYS else told,
        score=round(handed.items[0].urgency * (STALE_SHARE if age >= STALE_DAYS else 1), 4),
        path=handed.path,
    )

"""What the agent's handoff leaves open."""

from dataclasses import dataclass
from datetime import date

from nightledger.domain.search.values import Chunk, Kind
from nightledger.domain.staging.values import Candidate, Source
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.jobs.stage.library import Library
from nightledger.jobs.stage.lines import place_of, plain
from nightledger.text.staging.handoff import OpenItem, handoff_day, read_open_items

MAX_HANDOFF_BYTES = 1 << 20
STALE_DAYS = 14
"""FACTS, Elara: goals are stale at 14 days. A handoff of then is staged below all fresh things."""
STALE_SHARE = 0.5
_CARRIED = 0.98
"""Of items of one urgency the earlier one counts more: a handoff is written in order of importance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A handoff, read.

    Attributes:
        candidates: Its open items, the most urgent first.
        items: The same as they were read, those that may be shown only.
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
        UnreadableError: The handoff is no regular file, or a huge one.
    """
    raw = read_optional(home.handoff, MAX_HANDOFF_BYTES, within=home.root)
    if raw is None:
        return Handed()
    text = raw.decode("utf-8", "replace")
    path = home.relative(home.handoff)
    items = read_open_items(text)
    day = handoff_day(text)
    open_ones = [item for item in items if library.may_show(_chunk(item, path, day))]
    age = 0 if day is None else max(0, (today - day).days)
    return Handed(
        candidates=tuple(_candidate(item, n, path, age) for n, item in enumerate(open_ones)),
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


def _candidate(item: OpenItem, n: int, path: str, age: int) -> Candidate:
    stale = age >= STALE_DAYS
    told = f"; the handoff is {age} days old" if stale else ""
    return Candidate(
        source=Source.OPEN_ITEM,
        text=plain([item.text]),
        place=place_of(path, (item.line, item.line)),
        why=f"left open in the handoff{told}",
        score=round(item.urgency * _CARRIED**n * (STALE_SHARE if stale else 1), 4),
        path=path,
    )

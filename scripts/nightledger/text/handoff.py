r"""What a handoff leaves open.

An item is open where its box is not ticked, or where the heading above says so (next, open, active,
blocked, backlog); what its heading or its own mark calls done is not. Ten languages' headings are
known; a handoff without any known heading leaves open what has an empty box only.

Invariant: only lines of prose are read, never code, output or pasted text (``daylog.py``).
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date

import msgspec
from msgspec import Struct

from nightledger.domain.consolidation import LogLine, Region
from nightledger.files.home import shipped_config
from nightledger.text.dates import first_day
from nightledger.text.patterns import pattern
from nightledger.text.statements.daylog import read_daylog

MOST_ITEMS = 40
"""A handoff that leaves more open leaves nothing in particular open."""
_LEAST_CHARACTERS = 8
_BOX = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[([ xX~-])\]\s+")
_TICKED = re.compile("[\u2705\u2714\u2611]")


def _headings() -> Iterator[tuple[float | None, re.Pattern[str]]]:
    """Give what headings say: how urgent what stands below is, None where it is done, and the words that say so."""
    for row in msgspec.json.decode(shipped_config("words/handoff-words.json")):
        words = rf"(?<!\w)(?:{'|'.join(row['words'])})(?!\w)"
        yield row["urgency"], re.compile(f"{words}|{'|'.join(row['runs'])}", re.IGNORECASE)


_HEADINGS = tuple(_headings())
BOX_ONLY = 0.7
"""An empty box under a heading that says nothing."""


class OpenItem(Struct, frozen=True, kw_only=True):
    """Something that a handoff leaves open.

    Attributes:
        text: Its words, without box and list mark.
        line: Where it stands, from 1.
        heading: The nearest heading above; empty where there is none.
        urgency: 0..1, by the words of its headings.
    """

    text: str
    line: int
    heading: str
    urgency: float


def read_open_items(text: str) -> tuple[OpenItem, ...]:
    """Give what a handoff leaves open, the most urgent first; of equals in their order.

    Args:
        text: The handoff.
    """
    log = read_daylog("session-handoff.md", text, date.min)
    seen: set[str] = set()
    items = []
    for item in _items(log.lines):
        if item.text.casefold() not in seen:
            seen.add(item.text.casefold())
            items.append(item)
    return tuple(sorted(items, key=lambda item: -item.urgency)[:MOST_ITEMS])


def handoff_day(text: str) -> date | None:
    """Return the first date that a handoff names in its first ten lines: when it was written; None for none."""
    return first_day("\n".join(text.split("\n")[:10]))


def _items(lines: Iterable[LogLine]) -> Iterator[OpenItem]:
    finished = pattern("claim-words", "finished")
    for line in lines:
        if line.region is not Region.PROSE or line.marker not in ("-", "1") or finished.search(line.content):
            continue
        box = _BOX.match(line.text)
        urgency = _urgency(line.headings)
        if box is not None:
            urgency = None if box[1] != " " else urgency or BOX_ONLY
        elif line.indent:
            continue  # what explains an item is no item of its own
        if urgency is not None and len(line.content) >= _LEAST_CHARACTERS:
            yield OpenItem(
                text=line.content,
                line=line.number,
                heading=line.headings[-1] if line.headings else "",
                urgency=urgency,
            )


def _urgency(headings: tuple[str, ...]) -> float | None:
    """Give what the nearest heading that says anything says; None where it says done, is ticked, or none says."""
    for heading in reversed(headings):
        if _TICKED.search(heading):
            return None
        for urgency, told in _HEADINGS:
            if told.search(heading):
                return urgency
    return None

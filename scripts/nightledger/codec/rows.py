"""Lines of JSONL files as far as a reader needs them: typed rows, bad lines counted and passed over.

Only the members that are needed are read. A line without them is counted; ``outcome_rows.py`` names what is wrong
with an outcome.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, TypeVar

import msgspec

from nightledger.domain.active import hour_of

HOUR_CHARACTERS = 13
"""``2026-03-01T06`` of a time in UTC."""
_UTC = re.compile(r"\d{4}-\d\d-\d\dT(?!24)\d\d")
"""Python 3.14 takes 24:00 for the next midnight, those before it for no time."""
Row = TypeVar("Row")


class OutcomeUse(msgspec.Struct, frozen=True, gc=False):
    """What an outcome says of what had been shown; fields as in :class:`Outcome`."""

    received_at: str
    timestamp: str
    task_type: str
    outcome: Literal["success", "partial", "failure"]
    session: str | None = None
    shown: tuple[str, ...] = ()


class DoingRow(msgspec.Struct, frozen=True, gc=False):
    """What an outcome says of what was done; fields as in :class:`Outcome`."""

    timestamp: datetime
    task_type: str
    context_tags: tuple[str, ...]


class Exposure(msgspec.Struct, frozen=True, gc=False):
    """A line of the exposure ledger: what was shown when."""

    at: str
    shown: tuple[str, ...]


class PlaceRow(msgspec.Struct, frozen=True, gc=False):
    """Lines that were shown; fields as in :class:`~nightledger.domain.exposure.Place`."""

    path: str
    lines: tuple[int, int]


class ExposureRow(msgspec.Struct, frozen=True, gc=False):
    """One showing with its places; fields as in :class:`~nightledger.domain.exposure.Exposure`."""

    at: str
    shown: tuple[str, ...] = ()
    event: str = ""
    places: tuple[PlaceRow, ...] = ()


def read_rows(kind: type[Row], chunks: Iterable[bytes]) -> Iterator[tuple[list[Row], int]]:
    """Return the rows of each chunk of whole lines, and how many of its lines are none.

    Args:
        kind: What the lines are: a struct of msgspec or a dataclass.
        chunks: As ``LineLog.chunks`` gives them.
    """
    decode = msgspec.json.Decoder(kind).decode
    for chunk in chunks:
        rows: list[Row] = []
        bad = 0
        for line in chunk.split(b"\n"):
            if line.strip(b" \t\r"):
                try:
                    rows.append(decode(line))
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                    bad += 1
        yield rows, bad


def read_hour(text: str) -> int | None:
    """Return the hour since 1970 of the beginning of a time in UTC; None where there is no such time."""
    if not _UTC.fullmatch(text):
        return None
    try:
        return hour_of(datetime.fromisoformat(f"{text}:00:00+00:00"))
    except ValueError:
        return None

"""Outcomes and exposures as far as they tell of what was shown: read in bulk, bad lines counted.

Only the members that are needed are read. A line without them, or with an impossible date,
is counted and passed over; ``outcome_rows.py`` names what is wrong with an outcome.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, TypeVar

import msgspec

from nightledger.codec.row_lines import are_one_a_line
from nightledger.domain.uses import hour_of

HOUR_CHARACTERS = 13
"""``2026-03-01T06`` of a time in UTC."""
_UTC = re.compile(r"\d{4}-\d\d-\d\dT(?!24)\d\d")
"""Python 3.14 takes 24:00 for the next midnight, those before it for no time."""


class OutcomeUse(msgspec.Struct, frozen=True, gc=False):
    """What an outcome says of what had been shown; fields as in :class:`Outcome`."""

    received_at: str
    timestamp: str
    task_type: str
    outcome: Literal["success", "partial", "failure"]
    session: str | None = None
    shown: tuple[str, ...] = ()


class Exposure(msgspec.Struct, frozen=True, gc=False):
    """A line of the exposure ledger: what was shown when; other members are not read."""

    at: str
    shown: tuple[str, ...]


Row = TypeVar("Row")


def read_rows(kind: type[Row], chunks: Iterable[bytes]) -> Iterator[tuple[list[Row], int]]:
    """Give the rows of each chunk of whole lines, and how many of its lines are none.

    Args:
        kind: What the lines are.
        chunks: As ``LineLog.chunks`` gives them.
    """
    decoder = msgspec.json.Decoder(kind)
    for chunk in chunks:
        try:
            rows = decoder.decode_lines(chunk)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            rows = []
        yield (rows, 0) if are_one_a_line(chunk, len(rows)) else _one_by_one(decoder, chunk)


def _one_by_one(decoder: msgspec.json.Decoder[Row], chunk: bytes) -> tuple[list[Row], int]:
    rows: list[Row] = []
    bad = 0
    for line in chunk.split(b"\n"):
        if line.strip(b" \t\r"):
            try:
                rows.append(decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                bad += 1
    return rows, bad


def read_hour(text: str) -> int | None:
    """Give the hour since 1970 of the beginning of a time in UTC; None where there is no such time."""
    if not _UTC.fullmatch(text):
        return None
    try:
        return hour_of(datetime.fromisoformat(f"{text}:00:00+00:00"))
    except ValueError:
        return None

"""Lines of JSONL files, typed: as far as a reader needs them, with the bad ones counted; and the run ledger, with them named.

Of outcomes and exposures only the members that are needed are read; ``outcome_rows.py`` names what is wrong with an outcome.

Invariant: a line is a run exactly when ``schemas/run.schema.json`` says so. msgspec only ever accepts, and only lines
that are their own re-encoding; whatever it does not accept, the schema judges and names (``tests/test_drift.py``
compares the two).
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from nightledger.codec.records import load_record
from nightledger.codec.strict_json import BOM, MAX_LINE_BYTES, read_value
from nightledger.domain.errors import RecordError
from nightledger.domain.periods import Run, RunOutcome
from nightledger.domain.retention import hour_of

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


_Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}\Z")]
_Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
MAX_PLAIN_COUNTS = 1000
"""Keeps a line that is taken fast far below ``MAX_LINE_BYTES``; our jobs have at most five."""


class RunRow(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A stored run; fields as in :class:`Run`, in the order of the canonical line."""

    attempt: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    boot: Annotated[str, Meta(max_length=64)]
    boot_s: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    counts: Annotated[dict[_Name, _Count], Meta(max_length=MAX_PLAIN_COUNTS)]
    finished_at: Annotated[datetime, Meta(tz=True)]
    id: Annotated[str, Meta(pattern=r"^r-[a-z2-7]{26}\Z")]
    job: _Name
    outcome: RunOutcome
    period: Annotated[str, Meta(min_length=1, max_length=64)]
    reason: Annotated[str, Meta(max_length=2000)]
    started_at: Annotated[datetime, Meta(tz=True)]
    v: Literal[2]


def read_runs(raw: bytes, *, where: str) -> tuple[tuple[Run, ...], tuple[tuple[int, str], ...]]:
    r"""Read the run ledger; bad lines are named, never raised.

    Args:
        raw: The file's bytes; lines end with ``\n`` only, the last one perhaps with nothing.
        where: The file, for messages.

    Returns:
        The runs in order, and ``(line number, what is wrong)`` of the other lines.
    """
    decode, value = msgspec.json.Decoder(RunRow).decode, msgspec.json.Decoder(Run).decode
    encode = msgspec.json.Encoder(order="sorted").encode
    runs, problems = [], []
    for number, line in enumerate(raw.removeprefix(BOM).split(b"\n"), 1):
        if not line.strip(b" \t\r"):
            continue
        try:
            row = decode(line)
            if encode(row) == line and row.started_at.tzinfo is UTC and row.finished_at.tzinfo is UTC:
                runs.append(value(line))
                continue
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        try:
            runs.append(load_record(Run, read_value(line, MAX_LINE_BYTES), where=f"{where}:{number}"))
        except (ValueError, RecordError) as error:
            told = error.problems if isinstance(error, RecordError) else (str(error),)
            problems.append((number, "; ".join(told)))
    return tuple(runs), tuple(problems)

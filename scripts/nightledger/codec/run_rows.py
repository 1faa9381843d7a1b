r"""The run ledger read in bulk: runs out of the stored lines, bad lines counted and named.

Invariant: a line is a run exactly when ``schemas/run.schema.json`` says so. The fast path
(msgspec) only ever accepts, and only lines that are their own re-encoding; whatever it does
not accept, the schema judges and names (``tests/test_drift.py`` compares the two).
"""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from nightledger.codec.records import load_record
from nightledger.codec.strict_json import BOM, MAX_LINE_BYTES, read_value
from nightledger.domain.errors import RecordError
from nightledger.domain.runs import Run, RunOutcome

_Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}\Z")]
_Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
_ADDED = {"boot": "", "boot_s": 0}
"""What version 2 has and version 1 had not."""
_NEW_END = b',"v":2}\n'
MAX_PLAIN_COUNTS = 1000
"""Keeps a line that is taken fast far below ``MAX_LINE_BYTES``; our jobs have at most five."""


class OldRunRow(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A run as it was stored before it had the boot clock."""

    attempt: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    counts: Annotated[dict[_Name, _Count], Meta(max_length=MAX_PLAIN_COUNTS)]
    finished_at: Annotated[datetime, Meta(tz=True)]
    id: Annotated[str, Meta(pattern=r"^r-[a-z2-7]{26}\Z")]
    job: _Name
    outcome: RunOutcome
    period: Annotated[str, Meta(min_length=1, max_length=64)]
    reason: Annotated[str, Meta(max_length=2000)]
    started_at: Annotated[datetime, Meta(tz=True)]
    v: Literal[1]


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


class _Reader:
    """Decoders and their inverse, made once for all lines."""

    def __init__(self) -> None:
        self.old = msgspec.json.Decoder(OldRunRow)
        self.new = msgspec.json.Decoder(RunRow)
        self.values = msgspec.json.Decoder(Run)
        self.encoder = msgspec.json.Encoder(order="sorted")

    def read(self, lines: bytes) -> list[Run] | None:
        """Give the runs when every line is one and is its own re-encoding; old ones stand before new ones."""
        first = lines.find(_NEW_END)
        at = lines.rfind(b"\n", 0, first) + 1 if first >= 0 else len(lines)
        try:
            rows: list[OldRunRow | RunRow] = [
                *self.old.decode_lines(lines[:at]),
                *self.new.decode_lines(lines[at:]),
            ]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        in_utc = all(row.started_at.tzinfo is UTC and row.finished_at.tzinfo is UTC for row in rows)
        if not in_utc or self.encoder.encode_lines(rows) != lines:
            return None
        return self.values.decode_lines(lines)  # a third of the time that values made of rows take


def read_runs(raw: bytes, *, where: str) -> tuple[tuple[Run, ...], tuple[tuple[int, str], ...]]:
    r"""Read the run ledger; bad lines are counted and named, never raised.

    Args:
        raw: The file's bytes; lines end with ``\n`` only, the last one perhaps with nothing.
        where: The file, for messages.

    Returns:
        The runs in order, and ``(line number, what is wrong)`` of the other lines.
    """
    reader, body = _Reader(), raw.removeprefix(BOM)
    runs = reader.read(body)
    if runs is not None:
        return tuple(runs), ()
    runs, problems = [], []
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line.strip(b" \t\r"):
            continue
        try:
            runs += reader.read(line + b"\n") or [_judge(line, f"{where}:{number}")]
        except (ValueError, RecordError) as error:
            told = error.problems if isinstance(error, RecordError) else (str(error),)
            problems.append((number, "; ".join(told)))
    return tuple(runs), tuple(problems)


def _judge(line: bytes, where: str) -> Run:
    value = read_value(line, MAX_LINE_BYTES)
    if isinstance(value, dict) and _is_one(value.get("v")) and value.keys().isdisjoint(_ADDED):
        return replace(load_record(Run, {**value, **_ADDED, "v": 2}, where=where), v=1)
    return load_record(Run, value, where=where)


def _is_one(version: object) -> bool:
    return type(version) is int and version == 1  # to Python, true is 1 as well

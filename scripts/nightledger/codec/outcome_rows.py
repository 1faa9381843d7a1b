"""Stored outcomes read in bulk: values out of lines, bad lines named.

Invariant: a line is an outcome exactly when :func:`find_outcome_problems` names nothing and the line is the canonical
form of its record. Most lines hold plain ASCII names; msgspec accepts these by type and pattern. It only ever accepts:
whatever else there is, the hand-written checks judge and name. Ids are taken as they stand.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from nightledger.codec.canonical import canonical
from nightledger.codec.outcome_line import find_outcome_problems
from nightledger.codec.strict_json import BOM, MAX_LINE_BYTES, read_value
from nightledger.domain.outcome import Outcome, Result, Signal
from nightledger.domain.outcome_words import MAX_DURATION_S, MAX_SHOWN
from nightledger.domain.proposal import Origin
from nightledger.domain.tags import MAX_TAGS

_Name = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9_.:+@/-]{0,79}\Z")]
_Label = Annotated[str, Meta(pattern=r"\A[!-~](?:[ -~]{0,126}[!-~])?\Z")]
_Tag = Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9_]{0,63}\Z")]
_PATH = r"\A(?:[a-z0-9][a-z0-9_-]{0,40}/){0,6}[A-Za-z0-9][A-Za-z0-9_.-]{0,80}(?:#[A-Za-z0-9_.-]{1,80})?\Z"
_Moment = Annotated[datetime, Meta(tz=True)]


class PlainOutcome(
    Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """An outcome whose values need no second look; fields as in :class:`Outcome`, in the order of the canonical line."""

    context_tags: Annotated[tuple[_Tag, ...], Meta(min_length=1, max_length=MAX_TAGS)]
    duration_s: Annotated[int, Meta(ge=0, le=MAX_DURATION_S)] | None = None
    host: _Label | None = None
    id: Annotated[str, Meta(pattern=r"\Ao-[a-z2-7]{26}\Z")]
    note: Annotated[str, Meta(pattern=r"\A[^\0]{1,2000}\Z")] | None = None
    origin: Origin | None = None
    outcome: Result
    project: _Label | None = None
    received_at: _Moment
    resolution: _Name
    session: _Label | None = None
    shown: Annotated[tuple[_Label, ...], Meta(max_length=MAX_SHOWN)] = ()
    signal: Signal | None = None
    source_file: Annotated[str, Meta(pattern=_PATH)]
    task_type: _Name
    timestamp: _Moment
    v: Literal[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRows:
    """What a stretch of the outcome file holds.

    Attributes:
        rows: Outcomes in the order of their lines; duplicates stand as often as they were appended.
        problems: ``(line number, what is wrong)`` of the lines that are none.
        lines: How many lines there were, bad and blank ones included.
    """

    rows: tuple[Outcome, ...]
    problems: tuple[tuple[int, str], ...]
    lines: int


def read_outcome_rows(raw: bytes, *, first_line: int = 1) -> OutcomeRows:
    r"""Read stored outcomes; bad lines are named, never raised.

    Args:
        raw: Bytes of the file from the start of a line; lines end with ``\n`` only, the last one perhaps with nothing.
        first_line: Number of the first of these lines in the file.
    """
    plain, value = msgspec.json.Decoder(PlainOutcome).decode, msgspec.json.Decoder(Outcome).decode
    encode = msgspec.json.Encoder().encode
    body = raw.removeprefix(BOM) if first_line == 1 else raw
    lines = body.removesuffix(b"\n").split(b"\n") if body else []
    rows, problems = [], []
    for number, line in enumerate(lines, first_line):
        try:
            found = plain(line)
            if encode(found) == line and _holds(found):
                rows.append(value(line))
                continue
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        if line.strip(b" \t\r"):
            try:
                rows.append(_judge(line))
            except ValueError as error:
                problems.append((number, str(error)))
    return OutcomeRows(rows=tuple(rows), problems=tuple(problems), lines=len(lines))


def _holds(row: PlainOutcome) -> bool:
    """Tell whether what no type can say holds: times in UTC, lists in ascending order."""
    in_utc = row.timestamp.tzinfo is UTC and row.received_at.tzinfo is UTC
    return in_utc and all(
        one < other for group in (row.context_tags, row.shown) for one, other in pairwise(group)
    )


def _judge(line: bytes) -> Outcome:
    """Return the outcome of a line by the rules of each field.

    Raises:
        ValueError: Naming every problem.
    """
    record = read_value(line, MAX_LINE_BYTES)
    problems = find_outcome_problems(record, derive_id=False)
    if problems:
        raise ValueError("; ".join(problems))
    if canonical(record, floats=True) != line:
        raise ValueError(
            "is not in its stored form (canonical JSON): was it edited? 'nightledger log --stdin' takes it in"
        )
    return msgspec.convert(record, Outcome)

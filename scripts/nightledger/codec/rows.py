"""Lines of JSONL files, typed: as far as a reader needs them, with the bad ones counted; outcomes and the run ledger, with them named.

Invariant: a line is an outcome exactly when :func:`find_outcome_problems` names nothing and the line is the canonical
form of its record. msgspec takes most lines by type, and the fields' own readers what no type can say. These two only
ever accept: whatever else there is, the hand-written checks judge and name. Ids are taken as they stand.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from nightledger.codec.canonical import BOM, MAX_LINE_BYTES, canonical, read_value
from nightledger.codec.outcome_line import FIELDS, find_outcome_problems
from nightledger.domain.outcome import Outcome
from nightledger.domain.periods import Run
from nightledger.domain.retention import hour_of
from nightledger.domain.words import read_label, read_tag

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


def read_runs(raw: bytes) -> tuple[tuple[Run, ...], tuple[tuple[int, str], ...]]:
    r"""Read the run ledger; bad lines are named, never raised.

    Args:
        raw: The file's bytes; lines end with ``\n`` only, the last one perhaps with nothing.

    Returns:
        The runs in order, and ``(line number, what is wrong)`` of the other lines.
    """
    decode = msgspec.json.Decoder(Run).decode
    runs, problems = [], []
    for number, line in enumerate(raw.removeprefix(BOM).split(b"\n"), 1):
        if line.strip(b" \t\r"):
            try:
                run = decode(line)
                if run.started_at.utcoffset() or run.finished_at.utcoffset():
                    problems.append((number, "a time is not in UTC"))
                    continue
                runs.append(run)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                problems.append((number, str(error)))
    return tuple(runs), tuple(problems)


MAX_KNOWN = 1 << 17
"""How many checked values are remembered; about 10 MB."""
_NAMES = ("task_type", "resolution", "source_file")


class OutcomeRows(Struct, frozen=True, kw_only=True):
    """What was read.

    Attributes:
        rows: Values in file order; duplicate ids stay.
        problems: ``(line number, reason)`` for every bad line.
        lines: Lines seen, blank ones included.
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
    decode, encode = msgspec.json.Decoder(Outcome).decode, msgspec.json.Encoder().encode
    body = raw.removeprefix(BOM) if first_line == 1 else raw
    lines = body.removesuffix(b"\n").split(b"\n") if body else []
    rows, problems = [], []
    for number, line in enumerate(lines, first_line):
        try:
            found = decode(line)
            if encode(found) == line and _holds(found):
                rows.append(found)
                continue
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass
        if line.strip(b" \t\r"):
            try:
                rows.append(_judge(line))
            except ValueError as error:
                problems.append((number, str(error)))
    return OutcomeRows(rows=tuple(rows), problems=tuple(problems), lines=len(lines))


def _holds(row: Outcome) -> bool:
    """Tell whether a line that is its value's own encoding also keeps what its types do not say.

    Raises:
        ValueError: A field's reader refuses its value.
    """
    if row.evidence:
        return False  # rare: it is judged by hand
    labels = (row.session, row.host, row.project)
    return (
        row.timestamp.tzinfo is UTC is row.received_at.tzinfo
        and all(one < other for one, other in pairwise(row.context_tags))
        and all(_stored(read_tag, tag) == tag for tag in row.context_tags)
        and all(_stored(FIELDS[name], getattr(row, name)) == getattr(row, name) for name in _NAMES)
        and all(_stored(read_label, label) == label for label in labels if label is not None)
        and (row.duration_s is None or FIELDS["duration_s"](row.duration_s) == row.duration_s)
        and (row.note is None or FIELDS["note"](row.note) == row.note)
        and (not row.shown or FIELDS["shown"]([*row.shown]) == [*row.shown])
    )


@lru_cache(maxsize=MAX_KNOWN)
def _stored(read: Callable[[object], str], value: str) -> str:
    """Return the stored form of a value by its field's reader; names come again and again."""
    return read(value)


def _judge(line: bytes) -> Outcome:
    """Return the outcome of a line by the rules of each field.

    Raises:
        ValueError: Naming every problem.
    """
    record = read_value(line, MAX_LINE_BYTES)
    problems = find_outcome_problems(record)
    if problems:
        raise ValueError("; ".join(problems))
    if canonical(record, floats=True) != line:
        raise ValueError(
            "is not in its stored form (canonical JSON): was it edited? 'nightledger log --stdin' takes it in"
        )
    return msgspec.convert(record, Outcome)

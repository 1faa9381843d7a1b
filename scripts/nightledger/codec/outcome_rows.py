"""Outcomes read in bulk out of the stored lines, bad lines counted and named.

Invariant: a line is an outcome exactly when :func:`find_outcome_problems` names nothing and the
line is the canonical form of its record. The fast path (msgspec) only ever accepts;
whatever it does not accept, the hand-written checks judge and name. Ids are taken as they stand.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from nightledger.codec.canonical import canonical
from nightledger.codec.outcome_fields import FIELDS, read_fields
from nightledger.codec.outcome_line import find_outcome_problems
from nightledger.codec.strict_json import BOM, MAX_LINE_BYTES, read_value
from nightledger.domain.outcome import Outcome
from nightledger.domain.words import read_label, read_tag

CHUNK_BYTES = 1 << 18
"""Large enough that the calls do not count, small enough that one bad line sends little to the slow path."""
MAX_KNOWN = 1 << 17
"""How many checked values are remembered; about 10 MB."""
_RARE = ("note", "duration_s", "evidence", "shown")
_DECODER = msgspec.json.Decoder(Outcome)
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRows:
    """What a stretch of the outcome file holds.

    Attributes:
        rows: Valid outcomes in the order of their lines; duplicates stand as often as they were appended.
        problems: ``(line number, what is wrong)`` of the lines that are none.
        lines: How many lines there were, bad and blank ones included.
        torn: Whether the last line has no end; it is read like any other.
    """

    rows: tuple[Outcome, ...]
    problems: tuple[tuple[int, str], ...]
    lines: int
    torn: bool


def read_outcome_rows(raw: bytes, *, first_line: int = 1) -> OutcomeRows:
    r"""Read stored outcomes; bad lines are named, never raised.

    Args:
        raw: Bytes of the file from the start of a line; lines end with ``\n`` only.
        first_line: Number of the first of these lines in the file.
    """
    rows: list[Outcome] = []
    problems: list[tuple[int, str]] = []
    number = first_line
    for chunk in _chunks(raw.removeprefix(BOM) if first_line == 1 else raw):
        found = _read_fast(chunk)
        lines = chunk.removesuffix(b"\n").split(b"\n")
        if found is None:
            for n, line in enumerate(lines, number):
                try:
                    rows += (_read_fast(line + b"\n") or [_judge(line)]) if line.strip(b" \t\r") else []
                except ValueError as error:
                    problems.append((n, str(error)))
        else:
            rows += found
        number += len(lines)
    return OutcomeRows(
        rows=tuple(rows),
        problems=tuple(problems),
        lines=number - first_line,
        torn=bool(raw) and not raw.endswith(b"\n"),
    )


def dump_outcome(outcome: Outcome) -> bytes:
    """Give the stored line of an outcome, canonical, with its line end."""
    return canonical(msgspec.to_builtins(outcome), floats=True) + b"\n"


def _read_fast(chunk: bytes) -> list[Outcome] | None:
    """Return the outcomes when every line is one and is its own re-encoding; None where the slow path must look."""
    try:
        rows = _DECODER.decode_lines(chunk)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return rows if _ENCODER.encode_lines(rows) == chunk and all(map(_holds, rows)) else None


def _holds(row: Outcome) -> bool:
    """Tell whether the rules hold that its types do not say."""
    return (
        row.timestamp.tzinfo is UTC is row.received_at.tzinfo
        and all(one < other for one, other in pairwise(row.context_tags))
        and all(_is_stored(read_tag, tag) for tag in row.context_tags)
        and _is_stored(FIELDS["task_type"], row.task_type)
        and _is_stored(FIELDS["resolution"], row.resolution)
        and _is_stored(FIELDS["source_file"], row.source_file)
        and all(
            _is_stored(read_label, label)
            for label in (row.session, row.host, row.project)
            if label is not None
        )
        and (not any(getattr(row, name) not in (None, ()) for name in _RARE) or _rare_holds(row))
    )


@lru_cache(maxsize=MAX_KNOWN)
def _is_stored(read: Callable[[object], str], value: str) -> bool:
    """Tell whether a field's reader gives a value back as it is; names come again and again."""
    try:
        return read(value) == value
    except ValueError:
        return False


def _rare_holds(row: Outcome) -> bool:
    record = msgspec.json.decode(_ENCODER.encode(row))  # to_builtins would leave tuples
    read, problems = read_fields({key: record[key] for key in _RARE if key in record})
    return not problems and all(read[key] == record[key] for key in read)


def _judge(line: bytes) -> Outcome:
    """Give the outcome of a line that the fast path did not take, or a ValueError that names every problem."""
    record: Any = read_value(line, MAX_LINE_BYTES)
    problems = find_outcome_problems(record, derive_id=False)
    if problems:
        raise ValueError("; ".join(problems))
    if canonical(record, floats=True) != line:
        raise ValueError(
            "is not in its stored form (canonical JSON): was it edited? 'nightledger log --stdin' takes it in"
        )
    return msgspec.convert(record, Outcome)


def _chunks(raw: bytes) -> Iterator[bytes]:
    """Cut at line ends, about a quarter of a megabyte each."""
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start + CHUNK_BYTES) + 1 or len(raw)
        yield raw[start:end]
        start = end

"""Outcomes read in bulk: typed rows out of the stored lines, bad lines counted and named.

Invariant: a line is a row exactly when :func:`find_outcome_problems` names nothing and the
line is the canonical form of its record. The fast path (msgspec) only ever accepts;
whatever it does not accept, the hand-written checks judge and name. Ids are taken as they
stand; :func:`find_wrong_ids` derives them again.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, islice, repeat
from operator import attrgetter, itemgetter, lt, ne
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from nightledger.codec.canonical import canonical
from nightledger.codec.outcome_fields import FIELDS, read_fields
from nightledger.codec.outcome_line import find_outcome_problems, outcome_id
from nightledger.codec.strict_json import BOM, MAX_LINE_BYTES, read_value
from nightledger.domain.outcome import Outcome, OutcomeEvidence, Result, Signal
from nightledger.domain.proposal import Origin
from nightledger.domain.words import MAX_TAGS, read_label, read_tag

CHUNK_BYTES = 1 << 18
"""Large enough that the calls do not count, small enough that one bad line sends little to the slow path."""
MAX_KNOWN = 1 << 17
"""How many checked values are remembered a field before all are forgotten; about 10 MB in all."""
_RARE = ("note", "duration_s", "evidence", "shown")
_RARE_VALUES = attrgetter(*_RARE)
_NOTHING_RARE = (None, None, (), ())
_ID = attrgetter("id")
_TAGS = attrgetter("context_tags")
_ZONES = attrgetter("timestamp.tzinfo", "received_at.tzinfo")
_NAMES = attrgetter("task_type", "resolution")
_LABELS = attrgetter("session", "host", "project")
_PATH = attrgetter("source_file")
_PLAIN_TAG = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,79}")
_PLAIN_PATH = re.compile(
    r"(?:[a-z0-9][a-z0-9_-]{0,40}/){0,6}[A-Za-z0-9][A-Za-z0-9_.-]{0,80}(?:#[A-Za-z0-9_.-]{1,80})?"
)
"""Accepted by the rule of their field; most values are such, and the rule itself takes ten times as long."""


class OutcomeRow(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A stored outcome; fields as in :class:`Outcome`, in the order of the canonical line."""

    context_tags: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_TAGS)]
    duration_s: int | float | None = None
    evidence: tuple[OutcomeEvidence, ...] = ()
    host: str | None = None
    id: Annotated[str, Meta(min_length=28, max_length=28)]
    note: str | None = None
    origin: Origin | None = None
    outcome: Result
    project: str | None = None
    received_at: Annotated[datetime, Meta(tz=True)]
    resolution: str
    session: str | None = None
    shown: tuple[str, ...] = ()
    signal: Signal | None = None
    source_file: str
    task_type: str
    timestamp: Annotated[datetime, Meta(tz=True)]
    v: Literal[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRows:
    """What a stretch of the outcome file holds.

    Attributes:
        rows: Valid outcomes in the order of their lines; duplicates stand as often as they were appended.
        problems: ``(line number, what is wrong)`` of the lines that are none.
        lines: How many lines there were, bad and blank ones included.
        torn: Whether the last line has no end; it is read like any other.
    """

    rows: tuple[OutcomeRow, ...]
    problems: tuple[tuple[int, str], ...]
    lines: int
    torn: bool

    def outcomes(self) -> Iterator[Outcome]:
        """Give each id once, as it stood first, as the value that rules work on."""
        seen: set[str] = set()
        for row in self.rows:
            if row.id not in seen:
                seen.add(row.id)
                yield to_outcome(row)


def read_outcome_rows(raw: bytes, *, first_line: int = 1) -> OutcomeRows:
    r"""Read stored outcomes; bad lines are named, never raised.

    Args:
        raw: Bytes of the file from the start of a line; lines end with ``\n`` only.
        first_line: Number of the first of these lines in the file.
    """
    reader = _Reader()
    number = first_line
    for chunk in _chunks(raw.removeprefix(BOM) if first_line == 1 else raw):
        number += reader.read(chunk, number)
    return OutcomeRows(
        rows=tuple(reader.rows),
        problems=tuple(reader.problems),
        lines=number - first_line,
        torn=bool(raw) and not raw.endswith(b"\n"),
    )


def to_outcome(row: OutcomeRow) -> Outcome:
    """Give the value that rules work on; ``v`` and everything else as it stands."""
    return Outcome(**{name: getattr(row, name) for name in row.__struct_fields__})


def dump_outcome(outcome: Outcome) -> bytes:
    """Give the stored line of an outcome, canonical, with its line end."""
    record = msgspec.to_builtins(
        OutcomeRow(**{name: getattr(outcome, name) for name in OutcomeRow.__struct_fields__})
    )
    return canonical(record, floats=True) + b"\n"


def find_wrong_ids(rows: Iterable[OutcomeRow]) -> tuple[str, ...]:
    """Give the ids that are not derived from their content: such lines were not written by the logger."""
    return tuple(row.id for row in rows if outcome_id(msgspec.to_builtins(row)) != row.id)


@dataclass(slots=True)
class _Reader:
    """Reads chunk after chunk; remembers which values have passed their rule."""

    rows: list[OutcomeRow] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    decoder: msgspec.json.Decoder[OutcomeRow] = field(
        default_factory=lambda: msgspec.json.Decoder(OutcomeRow)
    )
    encoder: msgspec.json.Encoder = field(default_factory=msgspec.json.Encoder)
    tags: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)

    def read(self, chunk: bytes, number: int) -> int:
        """Take in a chunk of whole lines that begins with line ``number``; gives how many lines it has."""
        rows = self._read_fast(chunk)
        if rows is not None:
            self.rows += rows
            return len(rows)
        lines = chunk.removesuffix(b"\n").split(b"\n")
        for n, line in enumerate(lines, number):
            self._read_line(line, n)
        return len(lines)

    def _read_fast(self, chunk: bytes) -> list[OutcomeRow] | None:
        """Give the rows when every line is one and is its own re-encoding."""
        try:
            rows = self.decoder.decode_lines(chunk)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if self.encoder.encode_lines(rows) != chunk or not self._hold(rows):
            return None
        return rows

    def _read_line(self, line: bytes, number: int) -> None:
        if not line.strip(b" \t\r"):
            return
        rows = self._read_fast(line + b"\n")
        if rows is not None:
            self.rows += rows
            return
        try:
            self.rows.append(_judge(line))
        except ValueError as error:
            self.problems.append((number, str(error)))

    def _hold(self, rows: list[OutcomeRow]) -> bool:
        """Tell whether the rules hold; a name that passed once is not asked again.

        Column by column instead of row by row, because that keeps the loops in C.
        """
        tags = list(map(_TAGS, rows))
        zones = list(chain.from_iterable(map(_ZONES, rows)))
        if zones.count(UTC) < len(zones) or not _all_increase(tags) or not _are_ids(list(map(_ID, rows))):
            return False
        if sum(map(len, (self.tags, self.names, self.paths, self.labels))) > MAX_KNOWN:
            for known in (self.tags, self.names, self.paths, self.labels):
                known.clear()
        return (
            _learn(self.tags, chain.from_iterable(tags), _PLAIN_TAG, read_tag)
            and _learn(self.names, chain.from_iterable(map(_NAMES, rows)), _PLAIN_NAME, FIELDS["resolution"])
            and _learn(self.paths, map(_PATH, rows), _PLAIN_PATH, FIELDS["source_file"])
            and _learn(self.labels, chain.from_iterable(map(_LABELS, rows)), _PLAIN_NAME, read_label)
            and (
                not any(map(ne, map(_RARE_VALUES, rows), repeat(_NOTHING_RARE)))
                or all(map(_rare_holds, rows))
            )
        )


def _are_ids(ids: list[str]) -> bool:
    """Tell whether texts of 28 characters are ids, ``o-`` and 26 characters of base32: joined, because that is fast."""
    joined, count = "".join(ids), len(ids)
    if not joined.isascii() or joined[::28] != "o" * count or joined[1::28] != "-" * count:
        return False
    return joined.count("-") == count and not joined.encode().translate(
        None, b"-abcdefghijklmnopqrstuvwxyz234567"
    )


def _all_increase(groups: list[tuple[str, ...]]) -> bool:
    """Tell whether each group (none is empty) is sorted and holds no value twice.

    All neighbours of the joined groups are compared at once. Those that meet where two
    groups join may be in either order: they are compared once more and taken off.
    """
    flat = list(chain.from_iterable(groups))
    joins = sum(map(lt, map(itemgetter(-1), groups), map(itemgetter(0), islice(groups, 1, None))))
    inside = sum(map(lt, flat, islice(flat, 1, None))) - joins
    return bool(inside == len(flat) - len(groups))


def _learn(
    known: set[str], values: Iterable[str | None], plain: re.Pattern[str], read: Callable[[object], str]
) -> bool:
    """Add the values that ``read`` gives back unchanged; False when there is one that it does not."""
    fresh: set[Any] = {*values} - known - {None}
    try:
        if not all(map(plain.fullmatch, fresh)) and any(read(value) != value for value in fresh):
            return False
    except ValueError:
        return False
    known |= fresh
    return True


def _rare_holds(row: OutcomeRow) -> bool:
    if _RARE_VALUES(row) == _NOTHING_RARE:
        return True
    record = msgspec.json.decode(msgspec.json.encode(row))  # to_builtins would leave tuples
    read, problems = read_fields({key: record[key] for key in _RARE if key in record})
    return not problems and all(read[key] == record[key] for key in read)


def _judge(line: bytes) -> OutcomeRow:
    """Give the row of a line that the fast path did not take, or a ValueError that names every problem."""
    record = read_value(line, MAX_LINE_BYTES)
    problems = find_outcome_problems(record, derive_id=False)
    if problems:
        raise ValueError("; ".join(problems))
    if canonical(record, floats=True) != line:
        raise ValueError(
            "is not in its stored form (canonical JSON): was it edited? 'nightledger log --stdin' takes it in"
        )
    return msgspec.convert(record, OutcomeRow)


def _chunks(raw: bytes) -> Iterator[bytes]:
    """Cut at line ends, about a megabyte each."""
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start + CHUNK_BYTES) + 1 or len(raw)
        yield raw[start:end]
        start = end

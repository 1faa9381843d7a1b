r"""One pass over the bytes of the audit log: the tree, the entries, the lines that are none.

Invariant: every line is a leaf, whatever it holds, so that index and line number agree
for ever; a line is an entry when it is canonical JSON of the right members and its
``seq`` is its index. Lines are decoded some hundreds at a time; where one of these is no
entry, each is taken alone, by the same rule.
"""

import gc
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Struct, field

from nightledger.codec.canonical import MAX_INTEGER
from nightledger.domain.decision import EventName
from nightledger.domain.errors import IntegrityError
from nightledger.files.durable import is_regular, is_there
from nightledger.trust.event import EVENT_NAME, MAX_DEPTH, Actor, Event, LineError, have_their_forms
from nightledger.trust.merkle import Tree, leaf_hash

TAIL_CLOSED = b'"log.tail_closed"'
_BATCH = 256
"""Decoded rows of so many lines stay in a processor's second-level cache."""
_TIME = re.compile(r"(?!000[01]|9999)\d{4}-\d\d-\d\dT(?!24)\d\d:[0-5]\d:[0-5]\dZ", re.ASCII)
"""No entry is of the first or last years: a week or a zone beside its time would lie off Python's calendar."""
_ACTORS = {actor.value: actor for actor in Actor}

Record = dict[str, Any]


class Closure(NamedTuple):
    """What a ``log.tail_closed`` entry says: these lines were there and are not counted.

    Attributes:
        first: Index of the first line that nobody had acknowledged.
        end: Index behind the last one; the entry's own.
    """

    first: int
    end: int


class Scan(Struct):
    """What one pass found.

    Attributes:
        path: The log.
        lines: Its whole lines, without their ends.
        unfinished: What stands behind the last line end.
        tree: Over all whole lines.
        bad: Indexes of lines that are no entry of their place, among those that were judged.
        closures: Tails that an entry says were closed; see :func:`void_ranges`.
    """

    path: str
    lines: list[bytes] = field(default_factory=list)
    unfinished: bytes = b""
    tree: Tree = field(default_factory=Tree)
    bad: list[int] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)

    def records(self, size: int, void: Sequence[Closure]) -> Iterator[Record]:
        """Decode and judge the entries that count, in order; bad lines are left out.

        Args:
            size: How many lines count.
            void: Which of them do not (from :func:`void_ranges`).

        Raises:
            LineError: At a bad line that nobody judged before, because it is among those that
                were acknowledged: they are not what ``append`` wrote.
        """
        for first in range(0, min(size, len(self.lines)), _BATCH):
            lines = self.lines[first : min(first + _BATCH, size)]
            end = first + len(lines)
            whole = not any(one.first < end and first < one.end for one in void)
            records = _decode(lines, first) if whole else None
            if records is None:
                counted = (n for n in range(first, end) if not is_void(void, n) and n not in self.bad)
                yield from map(self.record, counted)
            else:
                yield from records

    def record(self, index: int) -> Record:
        """Decode and judge one line.

        Raises:
            LineError: It is no entry of its place.
        """
        records = _decode(self.lines[index : index + 1], index)
        if records is None:
            raise LineError(f"EDITED {self.path}: line {index + 1} is not the entry that belongs here")
        return records[0]

    def judge(self, first: int) -> None:
        """Find bad lines and closed tails from a line on; before it, closed tails alone."""
        closing = [n for n, line in enumerate(self.lines[:first]) if TAIL_CLOSED in line]
        for start in range(first, len(self.lines), _BATCH):
            lines = self.lines[start : start + _BATCH]
            closing += [n for n, line in enumerate(lines, start) if TAIL_CLOSED in line]
            if _decode(lines, start) is None:
                self.bad += [n for n, line in enumerate(lines, start) if not is_entry(line, n)]
        for index in closing:
            if is_entry(self.lines[index], index) and (closure := _closure(self.record(index))):
                self.closures.append(closure)


def void_ranges(closures: Sequence[Closure], acknowledged: int) -> tuple[Closure, ...]:
    """Give the lines that are not counted, as ranges in order that do not touch.

    A closure is believed only where its own entry counts: it is acknowledged, and no later
    one that is believed closes it. Else one line, appended by anybody, could void history.

    Args:
        closures: As they stand in the log.
        acknowledged: How many lines are signed for or acknowledged.
    """
    believed: list[Closure] = []
    for closure in reversed(closures):
        if closure.end < acknowledged and (not believed or closure.end < believed[-1].first):
            believed.append(closure)
    return tuple(reversed(believed))


def is_void(ranges: Sequence[Closure], index: int) -> bool:
    """Tell whether a line lies in one of ``ranges`` (from :func:`void_ranges`)."""
    at = bisect_right(ranges, index, key=lambda closure: closure.first)
    return at > 0 and index < ranges[at - 1].end


def scan_log(path: str, *, known: int = 0) -> Scan:
    """Read a log from front to back.

    Args:
        path: The log; a missing file is an empty log.
        known: How many lines need not be judged, because the caller will compare their root
            with one over lines that were judged before; 0 for the entries of the whole log.

    Raises:
        IntegrityError: When the name is taken by something that is no regular file.
    """
    scan = Scan(path=path)
    if not is_there(path):
        return scan
    if not is_regular(path):
        raise IntegrityError(f"{path} is not a regular file", hint="put the log itself in its place")
    with collector_at_rest():
        with open(path, "rb") as stream:
            scan.lines = stream.read().split(b"\n")
        scan.unfinished = scan.lines.pop()
        scan.tree.extend(list(map(leaf_hash, scan.lines)))
        scan.judge(known)
    return scan


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Let the garbage collector rest while much is made that holds no cycles; to search it doubles the time.

    What was made goes to the oldest generation as it is, else it would be searched once after all.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def is_entry(line: bytes, index: int) -> bool:
    r"""Tell whether a line (without ``\n``) is an entry of its place."""
    return _decode([line], index) is not None


def event_of_record(record: Record) -> Event:
    """Give the event of a record that was found to be an entry; empties it of what every entry has."""
    at = datetime.fromisoformat(record.pop("at"))
    seq, event, actor = record.pop("seq"), record.pop("event"), _ACTORS[record.pop("actor")]
    return Event(v=record.pop("v"), seq=seq, event=event, actor=actor, at=at, fields=record)


def _decode(lines: Sequence[bytes], first: int) -> list[Record] | None:
    """Give the records of lines; None unless all are entries of their places."""
    decoder, encoder = _codec()
    block = b"\n".join(lines) + b"\n"
    try:
        records = decoder.decode_lines(block)
        # One encoding for each value: any other spelling of it differs here.
        whole = len(records) == len(lines) and encoder.encode_lines(records) == block
        fits = whole and all(_fits(record, index) for index, record in enumerate(records, first))
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
        return None
    return records if fits and have_their_forms(records) else None


def _fits(record: Record, index: int) -> bool:
    """Tell whether a record has what every entry has.

    Raises:
        KeyError: It lacks a member.
        TypeError: A member is no string.
        ValueError: Its time is no hour of the calendar.
    """
    seq, v, at = record["seq"], record["v"], record["at"]
    return (
        type(seq) is int  # to Python true is 1
        and seq == index
        and type(v) is int
        and v == 1
        and record["actor"] in _ACTORS
        and EVENT_NAME.fullmatch(record["event"]) is not None
        and _TIME.fullmatch(at) is not None
        and datetime.fromisoformat(at) is not None
    )


def _closure(record: Record) -> Closure | None:
    first, count = record.get("first"), record.get("count")
    if record["event"] != EventName.TAIL_CLOSED or type(first) is not int or type(count) is not int:
        return None
    fits = first >= 0 and first + count == record["seq"]
    return Closure(first, first + count) if fits else None


@cache
def _codec() -> tuple[msgspec.json.Decoder[Record], msgspec.json.Encoder]:
    """Give the decoder that takes no floats, nulls, huge numbers or deep nests, and its inverse.

    msgspec writes RFC 8785 for such values: shortest escapes, no white space; it sorts names
    by code point, which is RFC 8785's order for the ASCII names that our fields have.
    """
    number = Annotated[int, msgspec.Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
    value: Any = str | bool | number
    for _ in range(MAX_DEPTH):
        value = str | bool | number | list[value] | dict[str, value]
    return msgspec.json.Decoder(dict[str, value]), msgspec.json.Encoder(order="sorted")

r"""One pass over the bytes of the audit log: the tree, the entries, the lines that are none.

Invariant: every line is a leaf, whatever it holds, so that index and line number agree
for ever; a line is an entry when it is canonical JSON of the right members and its
``seq`` is its index. The file is taken in blocks whose objects stay in the processor's
cache, and each block is judged as a whole first; only a block that fails is taken line
by line, by the same rule.
"""

import gc
import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from nightledger.codec.canonical import MAX_INTEGER
from nightledger.domain.errors import IntegrityError
from nightledger.domain.event import EventName
from nightledger.files.durable import is_regular, is_there
from nightledger.trust.event import ACTORS, EVENT_NAME, MAX_DEPTH, Actor, Event, LineError
from nightledger.trust.merkle import Tree

if TYPE_CHECKING:
    import msgspec

BLOCK_BYTES = 1 << 16
TAIL_CLOSED = b'"log.tail_closed"'
_FIRST_YEAR, _LAST_YEAR = "0002", "9998"
"""No entry is of another: a week or a zone beside its time would lie off Python's calendar."""
_SEQ, _V, _ACTOR, _NAME, _AT = map(itemgetter, ("seq", "v", "actor", "event", "at"))
_HOUR = itemgetter(slice(13))
_DIGITS = str.maketrans("123456789", "000000000")
_ACTORS = {actor.value: actor for actor in Actor}


class Closure(NamedTuple):
    """What a ``log.tail_closed`` entry says: these lines were there and are not counted.

    Attributes:
        first: Index of the first line that nobody had acknowledged.
        end: Index behind the last one; the entry's own.
    """

    first: int
    end: int


@dataclass(slots=True)
class Scan:
    """What one pass found.

    Attributes:
        path: The log.
        tree: Over all whole lines.
        blocks: The lines as they stand, each block with its first line's index; empty when
            the entries were not asked for.
        bad: Indexes of lines that are no entry of their place, among those that were judged.
        closures: Tails that an entry says were closed; see :func:`void_ranges`.
        unfinished: What stands behind the last line end.
        offset: Size of the whole lines in bytes.
    """

    path: str
    tree: Tree = field(default_factory=Tree)
    blocks: list[tuple[int, bytes]] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    unfinished: bytes = b""
    offset: int = 0
    _digests: list[bytes] = field(default_factory=list)

    def add(self, block: bytes, *, keep_events: bool, known: int) -> None:
        r"""Take whole lines, the last one with its ``\n``; :meth:`settle` after the last block.

        Blocks below ``known`` are hashed only, unless they hold a closure.
        """
        first = self.tree.size + len(self._digests)
        # leaf_hash for every line; one replacement puts the prefix before all of them.
        leaves = (b"\x00" + block.replace(b"\n", b"\n\x00")).split(b"\n")
        leaves.pop()
        self._digests += [hashed.digest() for hashed in map(hashlib.sha256, leaves)]
        self.offset += len(block)
        closes = TAIL_CLOSED in block
        if keep_events:
            self.blocks.append((first, block))
        if closes or first + len(leaves) > known:
            self._judge(block, leaves, first, closes=closes)

    def settle(self) -> None:
        """Grow the tree by all that was taken; in one step, which costs less."""
        self.tree.extend(self._digests)
        self._digests.clear()

    def records(
        self, blocks: Iterable[tuple[int, bytes]], size: int, void: Sequence[Closure]
    ) -> Iterator[list[dict[str, Any]]]:
        """Decode and judge the entries that count, block by block; bad lines are left out.

        Args:
            blocks: Of :attr:`blocks`.
            size: How many lines count.
            void: Which of them do not (from :func:`void_ranges`).

        Raises:
            LineError: At a bad line that nobody judged before, because it is among those that
                were acknowledged: they are not what ``append`` wrote.
        """
        for first, block in blocks:
            end = first + block.count(b"\n")
            whole = end <= size and not any(one.first < end and first < one.end for one in void)
            records = _decode_block(block, first) if whole else None
            yield self._records_of_lines(block, first, size, void) if records is None else records

    def _records_of_lines(
        self, block: bytes, first: int, size: int, void: Sequence[Closure]
    ) -> list[dict[str, Any]]:
        counted: list[dict[str, Any]] = []
        for index, line in enumerate(block.split(b"\n")[:-1], first):
            if index >= size or is_void(void, index) or index in self.bad:
                continue
            records = _decode_block(line + b"\n", index)
            if records is None:
                raise LineError(f"EDITED {self.path}: line {index + 1} is not the entry that belongs here")
            counted += records
        return counted

    def _judge(self, block: bytes, leaves: Sequence[bytes], first: int, *, closes: bool) -> None:
        records = _decode_block(block, first)
        if records is None:
            records = list(self._decode_lines(leaves, first))
        if closes:
            self.closures += filter(None, map(_closure, records))

    def _decode_lines(self, leaves: Sequence[bytes], first: int) -> Iterator[dict[str, Any]]:
        for index, leaf in enumerate(leaves, first):
            records = _decode_block(leaf[1:] + b"\n", index)
            if records is None:
                self.bad.append(index)
            else:
                yield records[0]


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


def scan_log(path: str, *, keep_events: bool = True, known: int = 0) -> Scan:
    """Read a log from front to back.

    Args:
        path: The log; a missing file is an empty log.
        keep_events: Also keep the lines, for their entries.
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
        _scan_file(path, scan, keep_events=keep_events, known=known)
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


def _scan_file(path: str, scan: Scan, *, keep_events: bool, known: int) -> None:
    with open(path, "rb") as stream:
        rest: list[bytes] = []
        while chunk := stream.read(BLOCK_BYTES):
            end = chunk.rfind(b"\n") + 1
            if end:
                scan.add(b"".join((*rest, chunk[:end])), keep_events=keep_events, known=known)
                rest.clear()
            rest.append(chunk[end:])
        scan.unfinished = b"".join(rest)
    scan.settle()


def is_entry(line: bytes, index: int) -> bool:
    r"""Tell whether a line (without ``\n``) is an entry of its place."""
    return _decode_block(line + b"\n", index) is not None


def _decode_block(block: bytes, first: int) -> list[dict[str, Any]] | None:
    """Give the records of whole lines; None unless all are entries of their places."""
    import msgspec

    from nightledger.trust.event_shape import why_odd

    decoder, encoder = _codec()
    try:
        records = decoder.decode_lines(block)
        # One encoding for each value: any other spelling of it differs here.
        if encoder.encode_lines(records) != block:
            return None
        seqs = list(map(_SEQ, records))
        fits = (
            seqs == list(range(first, first + len(records)))
            # To Python true is 1 and false is 0: how they are written tells them apart.
            and encoder.encode(seqs[:2]) == encoder.encode(list(range(first, first + len(seqs[:2]))))
            and encoder.encode(list(map(_V, records))) == b"[" + b",".join([b"1"] * len(records)) + b"]"
            and ACTORS.issuperset(map(_ACTOR, records))
            and all(map(_is_name, set(map(_NAME, records))))
            and _are_times(list(map(_AT, records)))
        )
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
        return None
    return records if fits and not why_odd(records) else None


def _are_times(times: list[str]) -> bool:
    """Tell whether all are ``2026-03-01T03:05:00Z``; whole columns at once, because there are many.

    Raises:
        TypeError: When one is no string.
        ValueError: When one is no hour of the calendar.
    """
    joined = "".join(times)
    if joined.translate(_DIGITS) != "0000-00-00T00:00:00Z" * len(times):
        return False
    for hour in set(map(_HOUR, times)):
        if hour[11:] == "24":  # the next midnight to Python 3.14, no time to those before
            return False
        if not _FIRST_YEAR <= hour[:4] <= _LAST_YEAR:
            return False
        datetime.fromisoformat(hour)
    tens = joined[14::20] + joined[17::20]
    return not tens.strip("012345")  # minutes and seconds are below 60


def event_of_record(record: dict[str, Any]) -> Event:
    """Give the event of a record that was found to be an entry; empties it of what every entry has."""
    at = datetime.fromisoformat(record.pop("at"))
    seq, event, actor = record.pop("seq"), record.pop("event"), _ACTORS[record.pop("actor")]
    return Event(v=record.pop("v"), seq=seq, event=event, actor=actor, at=at, fields=record)


def _closure(record: dict[str, Any]) -> Closure | None:
    first, count = record.get("first"), record.get("count")
    if record["event"] != EventName.TAIL_CLOSED or type(first) is not int or type(count) is not int:
        return None
    fits = first >= 0 and first + count == record["seq"]
    return Closure(first, first + count) if fits else None


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and EVENT_NAME.fullmatch(name) is not None


@cache
def _codec() -> "tuple[msgspec.json.Decoder[dict[str, Any]], msgspec.json.Encoder]":
    """Give the decoder that takes no floats, nulls, huge numbers or deep nests, and its inverse.

    msgspec writes RFC 8785 for such values: shortest escapes, no white space; it sorts names
    by code point, which is RFC 8785's order for the ASCII names that our fields have.
    """
    import msgspec

    number = Annotated[int, msgspec.Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
    value: Any = str | bool | number
    for _ in range(MAX_DEPTH):
        value = str | bool | number | list[value] | dict[str, value]
    return msgspec.json.Decoder(dict[str, value]), msgspec.json.Encoder(order="sorted")

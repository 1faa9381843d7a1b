r"""One pass over the bytes of the audit log: the tree, the entries, the lines that are none.

Invariant: every line is a leaf, whatever it holds, so that index and line number agree
for ever; a line is an entry when it is canonical JSON of the right members and its
``seq`` is its index. The file is taken in blocks whose objects stay in the processor's
cache, and each block is judged as a whole first; only a block that fails is taken line
by line, by the same rule.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from nightledger.codec.canonical import MAX_INTEGER
from nightledger.domain.errors import UnreadableError
from nightledger.domain.event import EventName
from nightledger.files.durable import is_regular
from nightledger.trust.event import ACTORS, EVENT_NAME, MAX_DEPTH, VERSION, Event, event_of
from nightledger.trust.merkle import Tree

if TYPE_CHECKING:
    import msgspec

BLOCK_BYTES = 1 << 16
_TIMES = re.compile(r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)*")
_OWN = itemgetter("seq", "actor", "event", "v", "at")


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
        tree: Over all whole lines.
        events: Every entry, in order; empty when they were not asked for.
        bad: Indexes of lines that are no entry of their place.
        closures: Tails that were closed and recorded.
        unfinished: What stands behind the last line end.
        offset: Size of the whole lines in bytes.
    """

    tree: Tree = field(default_factory=Tree)
    events: list[Event] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    unfinished: bytes = b""
    offset: int = 0

    def add(self, block: bytes, *, keep_events: bool) -> None:
        r"""Take whole lines, the last one with its ``\n``."""
        lines = block.split(b"\n")
        lines.pop()
        first = self.tree.size
        # The loop of leaf_hash, inlined: see Tree.extend.
        sha256 = hashlib.sha256
        self.tree.extend([sha256(b"\x00" + line).digest() for line in lines])
        self.offset += len(block)
        records = _decode_block(block, first)
        if records is None:
            records = list(self._decode_lines(lines, first))
        for record in records:
            if record["event"] == EventName.TAIL_CLOSED:
                self._close(record)
        if keep_events:
            self.events += map(event_of, records)

    def is_counted(self, index: int) -> bool:
        """Tell whether no later entry says that this line was never acknowledged."""
        return not any(closure.first <= index < closure.end for closure in self.closures)

    def _decode_lines(self, lines: Sequence[bytes], first: int) -> Iterator[dict[str, Any]]:
        for index, line in enumerate(lines, first):
            records = _decode_block(line + b"\n", index)
            if records is None:
                self.bad.append(index)
            else:
                yield records[0]

    def _close(self, record: dict[str, Any]) -> None:
        first, count = record.get("first"), record.get("count")
        if (
            isinstance(first, int)
            and isinstance(count, int)
            and first >= 0
            and first + count == record["seq"]
        ):
            self.closures.append(Closure(first, first + count))


def scan_log(path: str, *, keep_events: bool = True) -> Scan:
    """Read a log from front to back.

    Args:
        path: The log; a missing file is an empty log.
        keep_events: Also give the entries.

    Raises:
        UnreadableError: When the name is taken by something that is no regular file.
    """
    scan = Scan()
    if not os.path.lexists(path):
        return scan
    if not is_regular(path):
        raise UnreadableError(f"{path} is not a regular file", hint="put the log itself in its place")
    with open(path, "rb") as stream:
        rest: list[bytes] = []
        while chunk := stream.read(BLOCK_BYTES):
            end = chunk.rfind(b"\n") + 1
            if end:
                scan.add(b"".join((*rest, chunk[:end])), keep_events=keep_events)
                rest.clear()
            rest.append(chunk[end:])
        scan.unfinished = b"".join(rest)
    return scan


def is_entry(line: bytes, index: int) -> bool:
    r"""Tell whether a line (without ``\n``) is an entry of its place."""
    return _decode_block(line + b"\n", index) is not None


def _decode_block(block: bytes, first: int) -> list[dict[str, Any]] | None:
    """Give the records of whole lines; None unless all are entries of their places."""
    import msgspec

    decoder, encoder = _codec()
    try:
        records = decoder.decode_lines(block)
        # One encoding for each value: any other spelling of it differs here.
        if encoder.encode_lines(records) != block:
            return None
        seqs, actors, names, versions, times = zip(*map(_OWN, records), strict=True)
        list(map(datetime.fromisoformat, times))
        fits = (
            seqs == tuple(range(first, first + len(records)))
            and set(versions) == {VERSION}
            and set(map(type, seqs + versions)) == {int}  # true is 1 to Python
            and ACTORS.issuperset(actors)
            and all(map(_is_name, set(names)))
            and _TIMES.fullmatch("".join(times))
        )
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
        return None
    return records if fits else None


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

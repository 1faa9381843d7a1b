"""The head that this machine last acknowledged: how far the audit log is ours.

Kept outside the home, in ``$NIGHTLEDGER_KEYS/<home id>/head.json``, and put on disk before
``append`` returns: in one of two slots, in turn, so that one sync does it and a crash leaves
the head before (``files/slots.py``). Invariant: an event counts only when it stands at or below this head
or below a signed checkpoint. What anybody else appends to the log is never counted, and
what a killed run had not been told is on disk was never acted upon.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.files.reading import read_optional
from nightledger.files.slots import SLOT_BYTES, SLOTS, SlotFile, split_slots
from nightledger.trust.merkle import CompactRange

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

FILE = "head.json"
_MAX_BYTES = 65_536
_CHECK = b'{"check":"'
_CHECK_BYTES = len(_CHECK) + 64 + len('",')
_TURN = re.compile(rb'"turn":(\d{1,18}),"v":2\}$')


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHead:
    """How far the log is ours, and what is needed to grow it without reading it again.

    Attributes:
        range: Size and peaks of the tree.
        offset: Size of the log in bytes, up to there.
    """

    range: CompactRange
    offset: int


class HeadFile:
    """The head's file, open from its reading to its writing; a context manager for whoever holds the log's lock.

    Attributes:
        kept: The head; None where there is none yet, or it was lost.
    """

    __slots__ = ("_file", "_turn", "kept")

    def __init__(self, directory: Path) -> None:
        """Read the head.

        Args:
            directory: Of the home's keys.

        Raises:
            IntegrityError: When it is damaged.
            UnreadableError: When this user may not write it.
        """
        path = os.path.join(directory, FILE)
        self._file = SlotFile(path)
        self.kept: KeptHead | None = None
        self._turn = -1
        try:
            raw = self._file.raw or read_optional(path, _MAX_BYTES)
            if raw is not None:
                self.kept, self._turn = _parse(raw, path)
        except BaseException:
            self._file.close()
            raise

    def line_of(self, head: KeptHead) -> bytes:
        """Give what :meth:`keep` writes for a head: to be made while the disk is at work with its log."""
        return dump_head(head, self._turn + 1)

    def keep(self, line: bytes) -> None:
        """Write a head; it is on disk when this returns, and where a crash comes first the one before is.

        Args:
            line: Of :meth:`line_of`.
        """
        self._turn += 1
        self._file.write(self._turn % SLOTS, line)

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self._file.close()


def read_head(directory: Path) -> KeptHead | None:
    """Read the head; None where there is none yet, or it was lost: then checkpoints alone count.

    Raises:
        IntegrityError: When it is damaged.
    """
    path = os.path.join(directory, FILE)
    raw = read_optional(path, _MAX_BYTES)
    return None if raw is None else _parse(raw, path)[0]


def dump_head(head: KeptHead, turn: int) -> bytes:
    """Give the line of a head.

    Args:
        head: The head.
        turn: How many were kept before it; says which of two is the newer.
    """
    peaks = b",".join([b'"%s"' % peak.hex().encode() for peak in head.range.peaks])
    return _checked(
        b'{"offset":%d,"peaks":[%s],"size":%d,"turn":%d,"v":2}' % (head.offset, peaks, head.range.size, turn)
    )


def _parse(raw: bytes, path: str) -> tuple[KeptHead, int]:
    """Give the head that a file holds, and its turn; an older version has none, which is -1."""
    try:
        record = _newest(raw) if len(raw) == SLOTS * SLOT_BYTES else parse_json(raw, path)
        tree = CompactRange(size=record["size"], peaks=tuple(map(bytes.fromhex, record["peaks"])))
        return KeptHead(range=tree, offset=record["offset"]), record.get("turn", -1)
    except (NightledgerError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"{path} is damaged",
            hint="move it away; the log then counts up to its last checkpoint",
        ) from error


def _newest(raw: bytes) -> Any:
    """Decode the record of the highest turn that was written to its end; the other need not be looked at."""
    for _, line in sorted(_stated(raw), reverse=True):
        record = b"{" + line[_CHECK_BYTES:]
        if line == _checked(record):  # else a crash came while it was written
            return json.loads(record)
    raise ValueError("no slot is whole")


def _stated(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Give what stands in each slot, whole or not, with the turn that it states."""
    for slot in split_slots(raw):
        line = slot[: slot.rfind(b"}") + 1]
        turn = _TURN.search(line)
        if turn:  # else nothing was written there yet
            yield int(turn[1]), line


def _checked(record: bytes) -> bytes:
    """Put the SHA-256 of a canonical object first into it, where its name sorts; the whole is canonical."""
    return b'%s%s",%s' % (_CHECK, hashlib.sha256(record).hexdigest().encode(), record[1:])

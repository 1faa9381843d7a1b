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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.files.reading import read_optional
from nightledger.files.slots import SLOT_BYTES, SLOTS, split_slots, write_slot
from nightledger.trust.merkle import CompactRange

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
        turn: Which write of the file it was read from; None where that is not known.
    """

    range: CompactRange
    offset: int
    turn: int | None = field(default=None, compare=False)


def read_head(directory: Path) -> KeptHead | None:
    """Read the head; None where there is none yet, or it was lost: then checkpoints alone count.

    Raises:
        IntegrityError: When it is damaged.
    """
    raw = _read(directory)
    if raw is None:
        return None
    try:
        record = _newest(raw) if len(raw) == SLOTS * SLOT_BYTES else parse_json(raw, str(directory / FILE))
        peaks = tuple(map(bytes.fromhex, record["peaks"]))
        tree = CompactRange(size=record["size"], peaks=peaks)
        return KeptHead(range=tree, offset=record["offset"], turn=record.get("turn"))
    except (NightledgerError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"{directory / FILE} is damaged",
            hint="move it away; the log then counts up to its last checkpoint",
        ) from error


def keep_head(directory: Path, head: KeptHead) -> None:
    """Write the head; it is on disk when this returns, and where a crash comes first the one before is.

    Args:
        directory: Of the home's keys.
        head: Its ``turn`` is that of the head before it; where it is not known, the file is read.
    """
    before = _turn_of(directory) if head.turn is None else head.turn
    turn = before + 1
    peaks = b",".join([b'"%s"' % peak.hex().encode() for peak in head.range.peaks])
    record = b'{"offset":%d,"peaks":[%s],"size":%d,"turn":%d,"v":2}' % (
        head.offset,
        peaks,
        head.range.size,
        turn,
    )
    write_slot(os.path.join(directory, FILE), turn % SLOTS, _checked(record))


def _read(directory: Path) -> bytes | None:
    return read_optional(os.path.join(directory, FILE), _MAX_BYTES)


def _turn_of(directory: Path) -> int:
    return max((turn for turn, _ in _whole(_read(directory) or b"")), default=-1)


def _newest(raw: bytes) -> Any:
    return json.loads(max(_whole(raw))[1])  # ValueError where no slot is whole


def _whole(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Give what stands in slots that were written to their end, each with its turn."""
    for slot in split_slots(raw):
        line = slot[: slot.rfind(b"}") + 1]
        record = b"{" + line[_CHECK_BYTES:]
        turn = _TURN.search(record)
        if turn and line == _checked(record):  # else a crash came while it was written, or nothing was yet
            yield int(turn[1]), record


def _checked(record: bytes) -> bytes:
    """Put the SHA-256 of a canonical object first into it, where its name sorts; the whole is canonical."""
    return b'%s%s",%s' % (_CHECK, hashlib.sha256(record).hexdigest().encode(), record[1:])

"""The head that this machine last acknowledged: how far the audit log is ours.

Kept outside the home, in ``$NIGHTLEDGER_KEYS/<home id>/head.json``, and put on disk before
``append`` returns: in one of two slots, in turn, so that one sync does it and a crash leaves
the head before (``files/slots.py``). Invariant: an event counts only when it stands at or below this head
or below a signed checkpoint. What anybody else appends to the log is never counted, and
what a killed run had not been told is on disk was never acted upon.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import IntegrityError, NightledgerError, UnreadableError
from nightledger.files.reading import read_optional
from nightledger.files.slots import SLOT_BYTES, SLOTS, SlotFile
from nightledger.trust.merkle import DIGEST_BYTES, CompactRange

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

FILE = "head.json"
_MAX_BYTES = 65_536
_LINE = re.compile(
    rb'\{"check":"(?P<check>[^"]{64})",'
    rb'(?P<rest>"offset":(?P<offset>\d{1,18}),"peaks":\[(?P<peaks>[^]]*)\],'
    rb'"size":(?P<size>\d{1,18}),"turn":(?P<turn>\d{1,18}),"v":2\})'
)
"""What :func:`dump_head` writes, and more, because the check tells the rest; a quarter of the time of decoding JSON."""


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

    __slots__ = ("_file", "_prepared", "_turn", "kept")
    _latest: "ClassVar[tuple[bytes | None, KeptHead | None, int]]" = (None, None, -1)
    """The bytes that this process last wrote, and what they say: to parse them again would say the same."""

    def __init__(self, directory: Path) -> None:
        """Read the head.

        Args:
            directory: Of the home's keys.

        Raises:
            IntegrityError: When it is damaged, or no regular file.
            UnreadableError: When this user may not write it.
        """
        path = f"{directory}/{FILE}"
        self._file = SlotFile(path)
        self.kept: KeptHead | None = None
        self._prepared: KeptHead | None = None
        self._turn = -1
        try:
            raw = self._file.raw or read_beside_keys(path, _MAX_BYTES)
            known, kept, turn = HeadFile._latest
            if raw is not None:
                self.kept, self._turn = (kept, turn) if raw == known else _parse(raw, path)
        except BaseException:
            self._file.close()
            raise

    def prepare(self, head: KeptHead) -> None:
        """Say which head :meth:`keep` is to write; to be done while the disk is at work with its log."""
        self._turn += 1
        self._prepared = head
        self._file.prepare(self._turn % SLOTS, dump_head(head, self._turn))

    def keep(self) -> None:
        """Write the head; it is on disk when this returns, and where a crash comes first the one before is."""
        self._file.write()
        self.kept = self._prepared
        HeadFile._latest = (self._file.next, self.kept, self._turn)

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
    path = f"{directory}/{FILE}"
    raw = read_beside_keys(path, _MAX_BYTES)
    return None if raw is None else _parse(raw, path)[0]


def read_beside_keys(path: str, max_bytes: int) -> bytes | None:
    """Return the bytes of a file that says what the log must be; None where there is none.

    Raises:
        IntegrityError: It is no regular file, too large, or may not be read: the log cannot be checked.
    """
    try:
        return read_optional(path, max_bytes)
    except UnreadableError as error:
        raise IntegrityError(str(error), hint=error.hint) from error


def dump_head(head: KeptHead, turn: int) -> bytes:
    """Give the line of a head.

    Args:
        head: The head.
        turn: How many were kept before it; says which of two is the newer.
    """
    digests = b"".join(head.range.peaks).hex(",", DIGEST_BYTES)
    peaks = b'"%s"' % digests.replace(",", '","').encode() if digests else b""
    rest = b'"offset":%d,"peaks":[%s],"size":%d,"turn":%d,"v":2}' % (
        head.offset,
        peaks,
        head.range.size,
        turn,
    )
    # The SHA-256 of a canonical object stands first in it, where its name sorts: the whole is canonical.
    return b'{"check":"%s",%s' % (_check(b"{" + rest), rest)


def _parse(raw: bytes, path: str) -> tuple[KeptHead, int]:
    """Give the head that a file holds, and its turn; an older version has none, which is -1."""
    try:
        if len(raw) == SLOTS * SLOT_BYTES:
            return _newest(raw)
        return _older(parse_json(raw, path)), -1
    except (NightledgerError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"{path} is damaged",
            hint="move it away; the log then counts up to its last checkpoint",
        ) from error


def _older(record: Any) -> KeptHead:
    """Give the head of a version that wrote no slots; half of a file with slots is none."""
    if "turn" in record:
        raise ValueError("the file was cut")
    size, offset = _whole(record["size"]), _whole(record["offset"])
    return KeptHead(
        range=CompactRange(size=size, peaks=tuple(map(bytes.fromhex, record["peaks"]))), offset=offset
    )


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("sizes are whole numbers")
    return value


def _newest(raw: bytes) -> tuple[KeptHead, int]:
    """Give the head of the highest turn that was written to its end; the other need not be looked at."""
    slots = []
    for end in range(SLOT_BYTES, len(raw) + 1, SLOT_BYTES):
        found = _LINE.match(raw, end - SLOT_BYTES, end)
        if found and raw.find(b"}", found.end(), end) < 0:  # it has the form of a head, and filling behind it
            slots.append((int(found["turn"]), end, found))
    slots.sort(reverse=True)
    for turn, _, found in slots:
        check, rest, offset, peaks, size, _ = found.groups()
        if check == _check(b"{" + rest):  # else a crash came while it was written
            tree = CompactRange(size=int(size), peaks=tuple(map(bytes.fromhex, _words(peaks))))
            return KeptHead(range=tree, offset=int(offset)), turn
    raise ValueError("no slot is whole")


def _words(listed: bytes) -> list[str]:
    """Give the strings of a JSON list of hex digits, taken out of its brackets."""
    return listed.decode("ascii")[1:-1].split('","') if listed else []


def _check(record: bytes) -> bytes:
    return hashlib.sha256(record).hexdigest().encode("ascii")

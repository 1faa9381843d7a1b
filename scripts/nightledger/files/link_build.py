"""Make a segment of the link index out of a stretch of the outcome log.

Invariant: a stretch and the segments before it decide every number in the segment. What
stood before (an id; a session's pair of tags) is not counted again, so that segments add up.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from nightledger.codec.link_columns import Columns, sift
from nightledger.codec.link_layout import FOLD_FROM, id_keys
from nightledger.codec.link_rows import LinkRow, RowReader, read_ids, require_order, split_ids
from nightledger.codec.link_tables import (
    Before,
    Extent,
    IrregularError,
    Pair,
    dump_segment,
    record_tables,
    renumber,
)
from nightledger.files.line_log import LineLog
from nightledger.files.link_segment import Guard, Segment

if TYPE_CHECKING:
    from array import array

FAST_BYTES = 16 << 20
"""A whole log from this size on is read without care first: repeated ids and disordered tags
are looked for when all is in, at a tenth of the cost; where there are any, it is read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A segment that is not written yet.

    Attributes:
        pieces: Bytes of its file, in order.
        extent: Where it comes from.
        records: Outcomes in it.
        bad: ``(line number, what is wrong)`` of the lines that are no outcomes.
    """

    pieces: "Sequence[bytes | bytearray | array[int]]"
    extent: Extent
    records: int
    bad: tuple[tuple[int, str], ...]


def build_segment(
    log: LineLog,
    start: int,
    earlier: Sequence[Segment],
    zone: tzinfo,
    forgotten: Mapping[Pair, int],
    says: Callable[[str], bool] | None = None,
) -> Built:
    """Fold the log from ``start`` on.

    Args:
        log: The outcome log.
        start: Where the last of the earlier segments ends.
        earlier: Segments of everything before.
        zone: The home's zone.
        forgotten: Deleted links, and how many outcomes there were then.
        says: Tells of a name whether it says what was expunged; outcomes with one are left out.

    Raises:
        FileChangedError: When the log was cut meanwhile.
        LinkIndexError: When an earlier segment is damaged.
    """
    bulk = load_bulk() if log.end - start >= FAST_BYTES and not earlier else None
    with _collector_off():
        try:
            return _Stretch(log, start, earlier, zone, says).build(forgotten, careful=bulk is None)
        except IrregularError:
            return _Stretch(log, start, earlier, zone, says).build(forgotten, careful=True)


def load_bulk() -> ModuleType | None:
    """Give ``codec/link_bulk.py``; None where numpy is not installed, and segments stay unsorted."""
    try:
        from nightledger.codec import link_bulk
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        return None
    return link_bulk


class _Stretch:
    """Reads the stretch; one object is one reading."""

    def __init__(
        self,
        log: LineLog,
        start: int,
        earlier: Sequence[Segment],
        zone: tzinfo,
        says: Callable[[str], bool] | None,
    ) -> None:
        self._log = log
        self._start = start
        self._earlier = earlier
        self._lines = sum(segment.extent["lines"] for segment in earlier)
        self._first_record = sum(segment.extent["records"] for segment in earlier)
        self._reader = RowReader(self._lines)
        self._columns = Columns(zone)
        self._says = cache(says) if says else None
        self._duplicates = 0
        self._seen: set[bytes] = set()
        for segment in earlier:
            if not segment.folded:
                self._seen.update(split_ids(segment.ids))

    def build(self, forgotten: Mapping[Pair, int], *, careful: bool) -> Built:
        take = self._take_with_care if careful else self._take
        for chunk in self._log.chunks(self._start):
            rows, numbers = self._without_expunged(*self._reader.read(chunk))
            try:
                take(rows)
            except ValueError:  # nothing of the chunk was taken
                take(sift(self._reader, rows, numbers, self._columns))
        self._seen.clear()
        columns = self._columns
        before = Before(counted=self._counted(), forgotten=forgotten)
        bulk = load_bulk() if len(columns) >= FOLD_FROM else None
        extent = self._extent()
        tables = record_tables(columns, extent, before, bulk.renumber if bulk else renumber)
        records = len(columns)
        del columns, self._columns  # the tables hold what the sorted tables are made of
        sorted_tables = bulk.sorted_tables(tables) if bulk else []
        return Built(
            pieces=dump_segment([*tables, *sorted_tables]),
            extent=extent,
            records=records,
            bad=tuple(sorted(self._reader.bad)),
        )

    def _without_expunged(
        self, rows: list[LinkRow], numbers: Sequence[int]
    ) -> tuple[list[LinkRow], Sequence[int]]:
        if self._says is None:
            return rows, numbers
        kept = [
            n for n, row in enumerate(rows) if not any(map(self._says, (row.resolution, *row.context_tags)))
        ]
        return [rows[n] for n in kept], [numbers[n] for n in kept]

    def _extent(self) -> Extent:
        return Extent(
            start=self._start,
            end=self._log.end,
            lines=self._reader.lines - self._lines,
            bad=len(self._reader.bad),
            duplicates=self._duplicates,
            first_record=self._first_record,
        )

    def _take(self, rows: list[LinkRow]) -> None:
        self._columns.add(rows)

    def _take_with_care(self, rows: list[LinkRow]) -> None:
        require_order(rows)
        joined = read_ids(rows)
        ids = set(split_ids(joined))
        known = ids & self._seen | self._known(joined)
        fresh = rows
        if known or len(ids) < len(rows):
            first: dict[str, LinkRow] = {}
            for row in rows:
                first.setdefault(row.id, row)
            fresh = [row for row in first.values() if row.id.encode("ascii") not in known]
        self._columns.add(fresh)
        self._duplicates += len(rows) - len(fresh)
        self._seen |= ids

    def _known(self, ids: bytes) -> set[bytes]:
        """Give those of some joined ids that are in a sorted segment."""
        segments = [segment for segment in self._earlier if segment.folded]
        if not segments:
            return set()
        keyed = dict(zip(split_ids(ids), id_keys(ids), strict=True))
        known: set[bytes] = set()
        for segment in segments:
            with Guard(segment.path):
                known |= segment.find_known(keyed)
        return known

    def _counted(self) -> dict[int, frozenset[Pair]]:
        """Give the pairs that earlier segments counted for the sessions of this stretch."""
        numbers = (
            {key: number for number, key in enumerate(self._columns.session_hashes())}
            if self._earlier
            else {}
        )
        counted: dict[int, frozenset[Pair]] = {}
        for segment in self._earlier:
            with Guard(segment.path):
                for key in segment.find_sessions(set(numbers)):
                    pairs = segment.pairs_of_session(key)
                    counted[numbers[key]] = counted.get(numbers[key], frozenset()) | pairs
        return counted


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the garbage collector from walking millions of rows that hold no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()

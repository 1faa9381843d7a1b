"""The sorted tables of a segment, made from its record tables with numpy.

Invariant: the sorted tables say what looking through the records says
(``files/link_segment.py``), only in order. Pairs of tags are made, sorted and counted in
stretches of tags, so that memory grows with the records and not with the pairs. Imported
where a segment is large, and only there: most homes never load numpy.

Why not without numpy: 1,000,000 outcomes of 5 tags have 10,000,000 pairs, and whatever
touches each of them in Python costs 50 ns or more. The cheapest arrangement found, with
all counting in C by ``collections.Counter``, took more than 5 times as long as decoding
the log; this takes less than 4 (``bench/bench_link.py``).
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from nightledger.codec import link_layout as layout
from nightledger.codec.link_arrays import (
    DIGIT_BITS,
    Numbers,
    bounds_of,
    changes,
    numbers_of,
    order_of,
    sums,
    table_of,
)
from nightledger.codec.link_cells import COUNTS, LAST_DAY
from nightledger.codec.link_tables import IrregularError
from nightledger.domain.confidence import FAILURE_WEIGHT, SHOWN_FROM, least_evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

STRONG_EVIDENCE = least_evidence(SHOWN_FROM)
STRETCH = 30_000
"""Places in ``RECORD_TAGS`` at a time: some ten thousand pairs, which stay in a processor's cache."""


def renumber(numbers: Any, places: "Sequence[int]") -> bytes:
    """Give ``places[number]`` for each of many numbers, as a table of u32."""
    return bytes(np.array(places, np.uint32)[numbers_of(numbers)].data)


def sorted_tables(tables: "Sequence[Any]") -> "list[bytes | bytearray]":
    """Give the sorted tables in the order of ``link_layout.SORTED_TABLES``.

    Args:
        tables: The record tables, of one record at least.

    Raises:
        IrregularError: When an id stands twice or a record's tags are not ascending.
    """
    records = _Records(tables)
    ids = _sort_ids(records.ids)
    rows = _Rows(records)
    for low, high in records.stretches():
        rows.add(low, high)
    return [*rows.dump(), *ids, *_sort_sessions(records), table_of(records.starts)]


class _Records:
    """Record tables as arrays, and what is derived from them once."""

    def __init__(self, tables: "Sequence[Any]") -> None:
        counts = np.frombuffer(tables[layout.TAG_COUNT], np.uint8)
        self.starts = bounds_of(counts)
        self.facts = numbers_of(tables[layout.FACTS])
        self.days = numbers_of(tables[layout.DAYS])
        self.in_order = bool((self.days[1:] >= self.days[:-1]).all())
        """No record is of an earlier day than the one before it, so that the last one is the newest."""
        self.sessions = numbers_of(tables[layout.SESSIONS])
        self.session_count = memoryview(tables[layout.SESSION_KEY]).nbytes // 8
        self.ids = np.frombuffer(tables[layout.IDS], np.uint8).reshape(-1, layout.ID_CHARACTERS)
        self.counted = numbers_of(tables[layout.COUNTED]).reshape(-1, layout.TRIPLE).astype(np.int64)
        self.forgotten = numbers_of(tables[layout.FORGOTTEN]).reshape(-1, layout.TRIPLE)
        self.first = int(np.frombuffer(tables[layout.EXTENT], np.uint64)[0]) == 0
        self.tags = memoryview(tables[layout.TAG_END]).nbytes // 4
        self.tag_codes = numbers_of(tables[layout.RECORD_TAGS])
        if self.tags <= 1 << DIGIT_BITS:
            self.tag_codes = self.tag_codes.astype(np.uint16)
        self._require_order()
        behind = np.repeat(self.starts[1:].astype(np.uint32), counts)
        behind -= np.arange(1, len(behind) + 1, dtype=np.uint32)
        self.behind = behind.astype(np.uint8)
        """For each place in ``RECORD_TAGS`` the tags of its record that sort after this one."""
        self.record_of = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
        self.by_tag = order_of(self.tag_codes).astype(np.uint32)
        self.tag_starts = bounds_of(np.bincount(self.tag_codes, minlength=self.tags))
        turns = int(np.count_nonzero(self.sessions[1:] != self.sessions[:-1]))
        self.contiguous = turns + 1 == self.session_count and not len(self.counted)
        """No session comes back after another one, so that each change is a new session."""

    def stretches(self) -> list[tuple[int, int]]:
        """Cut the tags into stretches with about ``STRETCH`` places each."""
        found, low = [], 0
        while low < self.tags:
            high = int(np.searchsorted(self.tag_starts, self.tag_starts[low] + STRETCH, side="right")) - 1
            high = min(max(high, low + 1), self.tags)
            found.append((low, high))
            low = high
        return found

    def last_days(self, records: Numbers, starts: Numbers) -> Numbers:
        """Give the newest log day of each run of records."""
        if self.in_order:
            return self.days[records[np.append(starts[1:], len(records)) - 1]]
        return np.maximum.reduceat(self.days[records], starts)

    def _require_order(self) -> None:
        ascending = np.ones(len(self.tag_codes), bool)
        np.greater(self.tag_codes[1:], self.tag_codes[:-1], out=ascending[1:])
        ascending[self.starts[:-1]] = True
        if not ascending.all():
            raise IrregularError("a record's tags are out of order")


class _Pairs:
    """The pairs of a stretch of tags, sorted by both tags and then by record; a row is one pair's run."""

    def __init__(self, own: _Records, low: int, high: int) -> None:
        places = own.by_tag[own.tag_starts[low] : own.tag_starts[high]]
        behind = own.behind[places]
        bounds = bounds_of(behind)
        seconds = own.tag_codes[np.repeat(places + 1 - bounds[:-1], behind) + np.arange(bounds[-1])]
        firsts = np.repeat(own.tag_codes[places], behind)
        order = order_of(seconds, firsts - low)
        self.firsts = firsts  # in this order already
        self.seconds = seconds[order]
        self.records = np.repeat(own.record_of[places], behind)[order]
        self._forget(own.forgotten)
        self.facts = own.facts[self.records]
        self.starts = np.flatnonzero(changes(self.firsts) | changes(self.seconds))
        self.sizes = np.diff(self.starts, append=len(self.records))

    def __len__(self) -> int:
        return len(self.starts)

    def _forget(self, forgotten: Numbers) -> None:
        """Leave out what came before the operator deleted a link."""
        for first, second, limit in forgotten.tolist():
            kept = (self.firsts != first) | (self.seconds != second) | (self.records >= limit)
            self.firsts, self.seconds = self.firsts[kept], self.seconds[kept]
            self.records = self.records[kept]

    def sessions(self, own: _Records) -> Numbers:
        """Count the distinct sessions of each row that no earlier segment counted."""
        sessions = own.sessions[self.records]
        if own.contiguous:
            changed = changes(sessions)
            changed[self.starts] = True
            return np.add.reduceat(changed, self.starts, dtype=np.uint32)
        rows = np.repeat(np.arange(len(self)), self.sizes)
        distinct = np.unique(rows << 32 | sessions)
        known = self._counted_rows(own)
        return np.bincount(distinct[~np.isin(distinct, known)] >> 32, minlength=len(self))

    def _counted_rows(self, own: _Records) -> Numbers:
        """Give ``row << 32 | session`` of what an earlier segment counted."""
        first, second, session = own.counted.T
        names = self.firsts[self.starts].astype(np.int64) << 32 | self.seconds[self.starts]
        rows = np.searchsorted(names, first << 32 | second)
        rows[rows == len(names)] = 0
        here = names[rows] == first << 32 | second
        return rows[here] << 32 | session[here]


class _Events:
    """The records of those rows that are asked for, sorted by resolution; an event is one resolution of a row."""

    def __init__(self, own: _Records, pairs: _Pairs) -> None:
        heavy = layout.LIGHT_RECORDS + 1
        chosen = pairs.sizes >= (min(STRONG_EVIDENCE, heavy) if own.first else heavy)
        mask = np.repeat(chosen, pairs.sizes)
        rows = np.repeat(np.flatnonzero(chosen).astype(np.uint32), pairs.sizes[chosen])
        facts = pairs.facts[mask]
        order = order_of(facts >> layout.RESOLUTION_SHIFT, rows)
        self._own = own
        self._facts, self._records = facts[order], pairs.records[mask][order]
        resolutions = self._facts >> layout.RESOLUTION_SHIFT
        self._starts = np.flatnonzero(changes(rows) | changes(resolutions))  # rows are in this order already
        self._ends = np.append(self._starts[1:], len(rows))[: len(self._starts)]
        self._rows, self._resolutions = rows[self._starts], resolutions[self._starts]

    def best(self) -> tuple[Numbers, Numbers]:
        """Give the rows, and the evidence of the best resolution of each."""
        if not len(self._starts):
            return self._starts, self._starts
        low = self._facts & 7
        evidence = sums(_OWN_WEIGHTS[low], self._starts)
        if (low & layout.SHOWN).any():
            evidence += np.minimum(1, sums(_SHOWN_WEIGHTS[low], self._starts))
        rows = np.flatnonzero(changes(self._rows))
        return self._rows[rows], np.maximum.reduceat(evidence, rows)

    def tallies(self, heavy: Numbers) -> tuple[Numbers, Numbers]:
        """Give row and cells of each event of the heavy rows, in each row the best resolution first.

        Args:
            heavy: For each row whether it is.
        """
        chosen = np.flatnonzero(heavy[self._rows])
        rows = self._rows[chosen]
        cells = np.full((len(chosen), layout.TALLY_CELLS), layout.NO_SOURCE, np.uint32)
        if not len(chosen):
            return rows, cells
        starts, ends = self._starts[chosen], self._ends[chosen]
        cells[:, 0] = self._resolutions[chosen]
        self._count(cells, starts, ends)
        for back in range(1, layout.SOURCES + 1):
            there = ends - back >= starts
            cells[there, -back] = self._records[(ends - back)[there]]
        order = _rank(cells, rows)
        return rows[order], cells[order]

    def _count(self, cells: Numbers, starts: Numbers, ends: Numbers) -> None:
        sizes = ends - starts
        own = bounds_of(sizes)[:-1]
        at = np.repeat(starts - own, sizes) + np.arange(sizes.sum())
        low = self._facts[at] & 7
        for column, wanted in enumerate(_COUNTED_FACTS, 1):
            cells[:, column] = sums(wanted[low], own)
        cells[:, LAST_DAY] = self._own.last_days(self._records[at], own)


class _Rows:
    """The tables of rows, stretch by stretch."""

    def __init__(self, own: _Records) -> None:
        self._own = own
        self._row_counts = np.zeros(own.tags, np.int64)
        self._seconds, self._sessions, self._cell_ends, self._sizes = (bytearray() for _ in range(4))
        self._cells = bytearray()
        self._strong = [np.zeros((0, 5), np.int64)]

    def add(self, low: int, high: int) -> None:
        """Take in the pairs whose first tag is ``low`` or above and below ``high``."""
        pairs = _Pairs(self._own, low, high)
        if not len(pairs):
            return
        events = _Events(self._own, pairs)
        firsts = pairs.firsts[pairs.starts]
        cells, ends = _cells(pairs, events)
        if self._own.first:
            self._add_strong(pairs, events)
        self._row_counts += np.bincount(firsts, minlength=len(self._row_counts))
        self._cell_ends += table_of(ends + len(self._cells) // 4)
        self._seconds += table_of(pairs.seconds[pairs.starts])
        self._sessions += table_of(pairs.sessions(self._own))
        self._sizes += table_of(pairs.sizes)
        self._cells += table_of(cells)

    def dump(self) -> "list[bytes | bytearray]":
        """Give the tables from ``ROW_FIRST`` to ``STRONG``."""
        links = np.concatenate(self._strong)
        both = np.concatenate([links, links[:, [1, 0, 2, 3, 4]]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        sessions = numbers_of(self._sessions)
        return [
            table_of(bounds_of(self._row_counts)),
            self._seconds,
            self._sessions,
            table_of(np.zeros(1)) + self._cell_ends,
            self._sizes,
            table_of(order_of(sessions.max(initial=0) - sessions)[: layout.TOP]),
            self._cells,
            table_of(bounds_of(np.bincount(both[:, 0], minlength=self._own.tags))),
            table_of(both[:, 1:]),
        ]

    def _add_strong(self, pairs: _Pairs, events: _Events) -> None:
        rows, evidence = events.best()
        strong = evidence >= STRONG_EVIDENCE
        rows = rows[strong].astype(np.int64)
        at = pairs.starts[rows]
        last_days = self._own.last_days(pairs.records, pairs.starts)[rows]
        number = rows + len(self._seconds) // 4
        self._strong.append(
            np.stack([pairs.firsts[at], pairs.seconds[at], number, evidence[strong], last_days], axis=1)
        )


def _rank(cells: Numbers, rows: Numbers) -> Numbers:
    """Give the order by row, in it as ``Tally.rank`` has it; resolutions of a row are in order already."""
    _, successes, _, failures, shown_successes, shown_failures, last_days = (
        cells[:, :COUNTS].astype(np.int64).T
    )
    evidence = successes - shown_successes - FAILURE_WEIGHT * (failures - shown_failures)
    evidence += np.minimum(1, shown_successes - FAILURE_WEIGHT * shown_failures)
    falling = [numbers.max() - numbers for numbers in (last_days, successes, evidence)]
    return order_of(falling[0], failures, falling[1], falling[2], rows)


def _cells(pairs: _Pairs, events: _Events) -> tuple[Numbers, Numbers]:
    """Give the cells of all rows, and where those of each row end."""
    heavy = pairs.sizes > layout.LIGHT_RECORDS
    rows, tallies = events.tallies(heavy)
    lengths = np.where(heavy, 0, pairs.sizes)
    lengths += np.bincount(rows, minlength=len(pairs)) * layout.TALLY_CELLS
    ends = np.cumsum(lengths)
    cells = np.empty(int(ends[-1]), np.uint32)
    light = np.repeat(~heavy, pairs.sizes)
    at = np.arange(len(pairs.records)) + np.repeat(ends - lengths - pairs.starts, pairs.sizes)
    cells[at[light]] = pairs.records[light]
    runs = np.flatnonzero(changes(rows))
    within = np.arange(len(rows)) - np.repeat(runs, np.diff(runs, append=len(rows)))
    at = (ends - lengths)[rows] + within * layout.TALLY_CELLS
    cells[at[:, None] + np.arange(layout.TALLY_CELLS)] = tallies
    return cells, ends


def _sort_ids(ids: Numbers) -> list[bytes]:
    """Give ``ID_FILTER``, ``ID_KEY`` and ``ID_RECORD``.

    Raises:
        IrregularError: When an id stands twice.
    """
    values = np.zeros(256, np.uint32)
    values[list(b"abcdefghijklmnopqrstuvwxyz234567")] = np.arange(32)
    keys = np.zeros(len(ids), np.uint32)
    for column in range(2, 2 + layout.ID_KEY_CHARACTERS):
        keys = keys << 5 | values[ids[:, column]]
    records = order_of(keys)
    keys = keys[records]
    _require_distinct(ids, records, np.flatnonzero(keys[1:] == keys[:-1]))
    return [_filter(keys), table_of(keys), table_of(records)]


def _filter(keys: Numbers) -> bytes:
    """Give ``ID_FILTER`` (Bloom, CACM 13(7), 1970, with one hash): one look tells most new ids from old ones."""
    bits = min(layout.ID_KEY_BITS, len(keys).bit_length() + 3)
    there = np.zeros(1 << bits, bool)
    there[keys >> (layout.ID_KEY_BITS - bits)] = True
    return bytes(np.packbits(there, bitorder="little").data)


def _require_distinct(ids: Numbers, records: Numbers, alike: Numbers) -> None:
    """Look at the ids that share a key with the next one; by chance some hundred in a million."""
    seen: set[bytes] = set()
    for place in alike.tolist():
        one, other = (ids[records[at]].tobytes() for at in (place, place + 1))
        if other in seen or one == other:
            raise IrregularError("an id stands twice")
        seen.update((one, other))


def _sort_sessions(records: _Records) -> list[bytes]:
    """Give ``SESSION_FIRST`` and ``SESSION_RECORD``."""
    counts = np.bincount(records.sessions, minlength=records.session_count)
    return [table_of(bounds_of(counts)), table_of(order_of(records.sessions))]


_RESULT = np.arange(8) >> layout.RESULT_SHIFT
_AFTER_SHOWING = (np.arange(8) & layout.SHOWN).astype(bool)
_COUNTED_FACTS = (
    _RESULT == layout.SUCCESS,
    _RESULT == layout.PARTIAL,
    _RESULT == layout.FAILURE,
    (_RESULT == layout.SUCCESS) & _AFTER_SHOWING,
    (_RESULT == layout.FAILURE) & _AFTER_SHOWING,
)
"""Which of the lower bits of a record's facts each cell of a tally counts."""
_WEIGHTS = (_RESULT == layout.SUCCESS) * np.int8(1) - (_RESULT == layout.FAILURE) * np.int8(FAILURE_WEIGHT)
_OWN_WEIGHTS, _SHOWN_WEIGHTS = _WEIGHTS * ~_AFTER_SHOWING, _WEIGHTS * _AFTER_SHOWING
"""Evidence of a record by those bits."""

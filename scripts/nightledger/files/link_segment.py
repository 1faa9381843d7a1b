"""Read one segment of the link index.

Invariant: with or without sorted tables a segment gives the same links; only the time
differs. Nothing is read but what a question needs, and every number is checked by the
bounds of its table: damage ends in :class:`SegmentError`, never in a wrong place in memory.
"""

import mmap
import os
import sys
from bisect import bisect_left, bisect_right
from itertools import accumulate, combinations

from nightledger.codec import link_layout as layout
from nightledger.codec.link_cells import LAST_DAY, Part, tally_records, unpack_tallies

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType


class SegmentError(ValueError):
    """The file is no segment, or is damaged."""


class Guard:
    """Turns what damaged numbers cause into one error with a next step; a context manager."""

    __slots__ = ("_directory",)

    def __init__(self, directory: str) -> None:
        """Name the directory, for the message."""
        self._directory = directory

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        if isinstance(error, (ValueError, IndexError)):
            from nightledger.domain.errors import LinkIndexError

            raise LinkIndexError(f"the link index in {self._directory} is damaged ({error})") from error


class Segment:
    """One file of the index, mapped; it is never changed, so nothing shifts under a reader.

    Attributes:
        path: The file.
        extent: Numbers by the names of ``EXTENT_FIELDS``.
        folded: Whether it has sorted tables.
    """

    __slots__ = (
        "_counted",
        "_ends",
        "_forgotten",
        "_found",
        "_map",
        "_spans",
        "_tables",
        "extent",
        "folded",
        "path",
    )

    def __init__(self, path: str) -> None:
        """Open a segment.

        Raises:
            SegmentError: When it is missing, no segment, or shorter than its tables.
        """
        self.path = path
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
            try:
                self._map = mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
            finally:
                os.close(descriptor)
            self._spans = layout.parse_header(self._map[: layout.HEADER_BYTES], len(self._map))
            self._tables = [self._cast(table) for table in range(layout.TABLES)]
            self.extent = dict(zip(layout.EXTENT_FIELDS, self._tables[layout.EXTENT], strict=True))
        except (OSError, ValueError) as error:
            raise SegmentError(f"{path} {error}") from error
        self.folded = len(self._tables[layout.ROW_FIRST]) > 0
        self._found: dict[str, int] = {}
        self._ends: list[int] | None = None
        self._counted: dict[tuple[int, int], list[int]] | None = None
        self._forgotten: dict[tuple[int, int], list[int]] | None = None

    @property
    def size_bytes(self) -> int:
        """Size of the file."""
        return len(self._map)

    @property
    def rows(self) -> int:
        """How many links its sorted tables have."""
        return len(self._tables[layout.ROW_SECOND])

    @property
    def active_days(self) -> list[int]:
        """The log days on which anything was recorded, sorted."""
        return self._tables[layout.ACTIVE_DAYS].tolist()

    def find_tag(self, name: str) -> int:
        """Give the number of a tag, -1 where it does not occur."""
        number = self._found.get(name)
        if number is None:
            number = self._found[name] = self._find_tag(name)
        return number

    def _find_tag(self, name: str) -> int:
        text, ends = self._tables[layout.TAG_TEXT], self._tables[layout.TAG_END]
        wanted = name.encode()  # code point order is the order of UTF-8
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            start = ends[middle - 1] if middle else 0
            if bytes(text[start : ends[middle]]) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(ends) and self.tag(low) == name else -1

    def tag(self, number: int) -> str:
        """Give the name of a tag."""
        return self._name(layout.TAG_TEXT, layout.TAG_END, number)

    def resolution(self, number: int) -> str:
        """Give the name of a resolution."""
        return self._name(layout.RESOLUTION_TEXT, layout.RESOLUTION_END, number)

    @property
    def ids(self) -> bytes:
        """The ids of all records, 28 bytes each."""
        return bytes(self._tables[layout.IDS])

    def outcome_id(self, record: int) -> str:
        """Give the id of a record."""
        at = record * layout.ID_CHARACTERS
        return str(self._tables[layout.IDS][at : at + layout.ID_CHARACTERS], "ascii")

    # ------------------------------------------------------------ links

    def link(self, first: str, second: str) -> Part | None:
        """Give what is known of one link.

        Args:
            first: The tag that sorts first.
            second: The other one.
        """
        if self.folded:
            row = self.find_row(first, second)
            return None if row < 0 else self.row(row)
        pair = self.find_tag(first), self.find_tag(second)
        groups = self._scan(pair[0]) if min(pair) >= 0 else {}
        return self._part(pair, groups[pair]) if pair in groups else None

    def links_of(self, name: str) -> "Iterator[Part]":
        """Give every link of a tag, in no order that matters."""
        tag = self.find_tag(name)
        if tag < 0:
            return
        if not self.folded:
            for pair, records in self._scan(tag).items():
                yield self._part(pair, records)
            return
        first = self._tables[layout.ROW_FIRST]
        for row in range(first[tag], first[tag + 1]):
            yield self.row(row)
        for row in self._places(layout.ROW_SECOND, tag):
            yield self.row(row)

    def links(self) -> "Iterator[Part]":
        """Give every link, in no order that matters."""
        if self.folded:
            yield from map(self.row, range(self.rows))
            return
        for pair, records in self._group(range(len(self.record_ends()))).items():
            yield self._part(pair, records)

    def row(self, row: int, best: int | None = None) -> Part:
        """Give the link of a row of the sorted tables.

        Args:
            row: Its number.
            best: How many of its resolutions are needed; all of them where it is left out.
        """
        tables = self._tables
        ends = tables[layout.ROW_CELL]
        cells = tables[layout.CELLS][ends[row] : ends[row + 1]].tolist()
        sessions = tables[layout.ROW_SESSIONS][row]
        if tables[layout.ROW_RECORDS][row] <= layout.LIGHT_RECORDS:
            tallies = tally_records(cells, tables[layout.FACTS], tables[layout.DAYS])
            return Part(self.pair(row), sessions, tallies)
        total = len(cells) // layout.TALLY_CELLS
        part = Part(self.pair(row), sessions, unpack_tallies(cells, total if best is None else best))
        part.resolutions = total
        part.last_day = max(cells[LAST_DAY :: layout.TALLY_CELLS])
        return part

    def pair(self, row: int) -> "tuple[str, str]":
        """Give the two tags of a row of the sorted tables."""
        first = bisect_right(self._tables[layout.ROW_FIRST], row) - 1
        return self.tag(first), self.tag(self._tables[layout.ROW_SECOND][row])

    def top_rows(self, limit: int) -> "list[tuple[int, int]]":
        """Give ``(sessions, row)`` of the rows with the most sessions, of equals the first.

        Args:
            limit: How many, ``link_layout.TOP`` at most.
        """
        return [(self.sessions(row), row) for row in self._tables[layout.TOP_ROWS][:limit].tolist()]

    def find_row(self, first: str, second: str) -> int:
        """Give the row of a link in the sorted tables, -1 where it has none.

        Args:
            first: The tag that sorts first.
            second: The other one.
        """
        pair = self.find_tag(first), self.find_tag(second)
        if min(pair) < 0:
            return -1
        firsts, seconds = self._tables[layout.ROW_FIRST], self._tables[layout.ROW_SECOND]
        low, high = firsts[pair[0]], firsts[pair[0] + 1]
        row = bisect_left(seconds, pair[1], low, high)
        return row if row < high and seconds[row] == pair[1] else -1

    def sessions(self, row: int) -> int:
        """Give the sessions of a row of the sorted tables."""
        return int(self._tables[layout.ROW_SESSIONS][row])

    def strong(self, name: str) -> "Iterator[tuple[int, int, int, int]]":
        """Give number of the other tag, row, evidence and last day of a tag's links that are shown.

        Only the first segment has them, and only when it has sorted tables.
        """
        tag = self.find_tag(name)
        if tag < 0:
            return iter(())
        first, cells = self._tables[layout.STRONG_FIRST], self._tables[layout.STRONG]
        size = layout.STRONG_CELLS
        span = cells[first[tag] * size : first[tag + 1] * size].tolist()
        return zip(span[::size], span[1::size], span[2::size], span[3::size], strict=True)

    # ------------------------------------------------------------ what the next segment asks

    def find_known(self, keyed: "dict[bytes, int]") -> "set[bytes]":
        """Give those of some ids that are in this segment, which must have sorted tables.

        Args:
            keyed: The ids, each with its number of ``link_layout.id_keys``.
        """
        stored, size = self._tables[layout.IDS], layout.ID_CHARACTERS
        keys, records = self._tables[layout.ID_KEY], self._tables[layout.ID_RECORD]
        there = self._tables[layout.ID_FILTER]
        shift = layout.ID_KEY_BITS - (8 * len(there)).bit_length() + 1
        maybe = [
            (outcome_id, key)
            for outcome_id, key in keyed.items()
            if there[key >> shift >> 3] >> (key >> shift & 7) & 1
        ]
        known = set()
        for outcome_id, key in maybe:
            place = bisect_left(keys, key)
            while place < len(keys) and keys[place] == key:
                at = records[place] * size
                if stored[at : at + size] == outcome_id:
                    known.add(outcome_id)
                place += 1
        return known

    def find_sessions(self, hashes: "set[int]") -> "set[int]":
        """Give those of some sessions, by their hashes, that have records in this segment."""
        keys = self._tables[layout.SESSION_KEY]
        if not self.folded:
            return hashes.intersection(keys)
        places = ((key, bisect_left(keys, key)) for key in hashes)
        return {key for key, place in places if place < len(keys) and keys[place] == key}

    def pairs_of_session(self, session: int) -> "frozenset[tuple[str, str]]":
        """Give the pairs of tags of a session's records that count, by the hash of the session."""
        keys = self._tables[layout.SESSION_KEY]
        place = bisect_left(keys, session)
        if place == len(keys) or keys[place] != session:
            return frozenset()
        if self.folded:
            first = self._tables[layout.SESSION_FIRST]
            records = self._tables[layout.SESSION_RECORD][first[place] : first[place + 1]].tolist()
        else:
            records = list(self._places(layout.SESSIONS, place))
        return frozenset((self.tag(first), self.tag(second)) for first, second in self._group(records))

    def record_ends(self) -> "list[int] | memoryview":
        """Give where each record's tags end in ``RECORD_TAGS``."""
        if self.folded:
            return self._tables[layout.TAG_START][1:]
        if self._ends is None:
            self._ends = list(accumulate(self._tables[layout.TAG_COUNT]))
        return self._ends

    # ------------------------------------------------------------ looking through records

    def _scan(self, tag: int) -> "dict[tuple[int, int], list[int]]":
        ends = self.record_ends()
        records = [bisect_right(ends, place) for place in self._places(layout.RECORD_TAGS, tag)]
        return self._group(records, tag)

    def _group(self, records: "Iterable[int]", tag: int | None = None) -> "dict[tuple[int, int], list[int]]":
        """Give the records of each pair that occurs in some records, those that were forgotten left out."""
        ends, tags = self.record_ends(), self._tables[layout.RECORD_TAGS]
        groups: dict[tuple[int, int], list[int]] = {}
        for record in records:
            codes = tags[ends[record - 1] if record else 0 : ends[record]].tolist()
            for pair in combinations(codes, 2) if tag is None else _pairs_with(tag, codes):
                groups.setdefault(pair, []).append(record)
        for pair, limits in self._forgotten_pairs().items():
            if pair in groups:
                groups[pair] = [record for record in groups[pair] if record >= max(limits)]
        return {pair: found for pair, found in groups.items() if found}

    def _part(self, pair: "tuple[int, int]", records: list[int]) -> Part:
        tables = self._tables
        sessions = tables[layout.SESSIONS]
        distinct = {sessions[record] for record in records}
        if self._counted is None:
            self._counted = self._triples(layout.COUNTED)
        distinct.difference_update(self._counted.get(pair, ()))
        tallies = tally_records(records, tables[layout.FACTS], tables[layout.DAYS])
        return Part((self.tag(pair[0]), self.tag(pair[1])), len(distinct), tallies)

    def _forgotten_pairs(self) -> "dict[tuple[int, int], list[int]]":
        if self._forgotten is None:
            self._forgotten = self._triples(layout.FORGOTTEN)
        return self._forgotten

    def _triples(self, table: int) -> "dict[tuple[int, int], list[int]]":
        cells = self._tables[table].tolist()
        found: dict[tuple[int, int], list[int]] = {}
        for at in range(0, len(cells), layout.TRIPLE):
            found.setdefault((cells[at], cells[at + 1]), []).append(cells[at + 2])
        return found

    def _places(self, table: int, number: int) -> "Iterator[int]":
        """Give where a number stands in a table of u32, by a search for its bytes."""
        start, length = self._span(table)
        wanted, end = number.to_bytes(4, sys.byteorder), start + length
        at = self._map.find(wanted, start, end)
        while at >= 0:
            off = (at - start) % 4
            if not off:
                yield (at - start) // 4
            at = self._map.find(wanted, at + 4 - off, end)

    # ------------------------------------------------------------ bytes

    def _span(self, table: int) -> "tuple[int, int]":
        return self._spans[2 * table], self._spans[2 * table + 1]

    def _cast(self, table: int) -> memoryview:
        offset, length = self._span(table)
        view = memoryview(self._map)[offset : offset + length]
        size = layout.ITEM_BYTES.get(table, 4)
        return view if size == 1 else view.cast("Q" if size == 8 else "I")  # noqa: PLR2004 - bytes of a u64

    def _name(self, texts: int, ends: int, number: int) -> str:
        table = self._tables[ends]
        return str(self._tables[texts][table[number - 1] if number else 0 : table[number]], "utf-8")


def _pairs_with(tag: int, codes: list[int]) -> "Iterator[tuple[int, int]]":
    """Give the pairs of a record's sorted tags that have one of them."""
    return ((min(tag, code), max(tag, code)) for code in codes if code != tag)

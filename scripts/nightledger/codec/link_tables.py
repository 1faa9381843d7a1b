"""Columns of outcomes as the record tables of a segment.

Invariant: the tables are a function of the records and of what was counted before; names
and sessions are numbered by their order, so that the same records give the same bytes.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from nightledger.codec.link_columns import Columns
from nightledger.codec.link_layout import RESOLUTION_SHIFT, dump_header

Pair = tuple[str, str]


class IrregularError(ValueError):
    """The records hold an id twice, or tags out of order: they must be read with care."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """A stretch of the log and what it holds.

    Attributes:
        start: First byte.
        end: Behind the last byte.
        lines: Lines in it.
        bad: Lines that are no outcomes.
        duplicates: Outcomes that stood before, in it or in front of it.
        first_record: How many outcomes stand in front of it.
    """

    start: int = 0
    end: int = 0
    lines: int = 0
    bad: int = 0
    duplicates: int = 0
    first_record: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What earlier segments and decisions say about the records of a stretch.

    Attributes:
        counted: Pairs that an earlier segment counted for a session; the key is the session's
            number in the columns.
        forgotten: Links that the operator deleted: how many outcomes the log had then; those
            no longer count for this pair.
    """

    counted: Mapping[int, frozenset[Pair]] = field(default_factory=dict)
    forgotten: Mapping[Pair, int] = field(default_factory=dict)


def renumber(numbers: "array[int]", places: Sequence[int]) -> "array[int]":
    """Give ``places[number]`` for each number, as a table of u32."""
    return array("I", [places[number] for number in numbers])


def record_tables(
    columns: Columns,
    extent: Extent,
    before: Before,
    renumber: "Callable[[array[int], Sequence[int]], bytes | array[int]]" = renumber,
) -> "list[bytes | bytearray | array[int]]":
    """Give the record tables in the order of ``link_layout.RECORD_TABLES``.

    Args:
        columns: Records without duplicates, in the order of the log.
        extent: Where they come from.
        before: What is known from before.
        renumber: Does what :func:`renumber` does, for many numbers perhaps faster.
    """
    tags, tag_places = _sorted_names(columns.tags)
    resolutions, resolution_places = _sorted_names(columns.resolutions)
    hashes = columns.session_hashes()
    session_keys = array("Q", sorted(hashes))
    place_of = {key: place for place, key in enumerate(session_keys)}
    session_places = list(map(place_of.__getitem__, hashes))
    low = range(1 << RESOLUTION_SHIFT)
    facts = [place << RESOLUTION_SHIFT | bits for place in resolution_places for bits in low]
    counted = ((pair, session_places[session]) for session, pairs in before.counted.items() for pair in pairs)
    return [
        _dump_extent(extent, len(columns)),
        *_dump_names(tags),
        *_dump_names(resolutions),
        renumber(columns.facts, facts),
        columns.days,
        array("I", sorted(set(columns.days))),
        columns.ids,
        session_keys,
        renumber(columns.session_codes, session_places),
        columns.tag_counts,
        renumber(columns.tag_codes, tag_places),
        _dump_triples(counted, tags),
        _dump_triples(_forgotten_here(before, extent, len(columns)), tags),
    ]


def dump_segment(
    tables: "Sequence[bytes | bytearray | array[int]]",
) -> "list[bytes | bytearray | array[int]]":
    """Give the pieces of a segment's file, to be written one after the other.

    Args:
        tables: In the order of the layout; those left out at the end are empty.
    """
    header, gaps = dump_header([memoryview(table).nbytes for table in tables])
    pieces: list[bytes | bytearray | array[int]] = [header]
    for table, gap in zip(tables, gaps, strict=False):
        pieces += (table, bytes(gap))
    return pieces


def _sorted_names(numbers: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Give names in code point order, and for each number its place in that order."""
    places = {name: place for place, name in enumerate(sorted(numbers))}
    return list(places), [places[name] for name in numbers]  # a dict keeps the order of its numbers


def _dump_names(names: Sequence[str]) -> "tuple[bytes, array[int]]":
    text = "".join(names)
    sizes = map(len, names) if text.isascii() else (len(name.encode()) for name in names)
    return text.encode(), array("I", list(accumulate(sizes)))


def _dump_extent(extent: Extent, records: int) -> "array[int]":
    counts = (extent.start, extent.end, extent.lines, extent.bad, extent.duplicates, extent.first_record)
    return array("Q", [*counts, records])


def _forgotten_here(before: Before, extent: Extent, records: int) -> Iterator[tuple[Pair, int]]:
    """Give the links that were deleted, each with how many of these records no longer count for it."""
    for pair, count in before.forgotten.items():
        if count > extent.first_record:
            yield pair, min(count - extent.first_record, records)


def _dump_triples(numbers: Iterable[tuple[Pair, int]], tags: Sequence[str]) -> "array[int]":
    """Give pairs of tags, each with a number, sorted; those with a tag that is not here are left out."""
    numbers = list(numbers)
    places = {tag: place for place, tag in enumerate(tags)} if numbers else {}
    triples = sorted(
        (places[first], places[second], number)
        for (first, second), number in numbers
        if first in places and second in places
    )
    return array("I", [cell for triple in triples for cell in triple])

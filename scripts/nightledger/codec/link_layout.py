"""Layout of a segment of the link index: one file of tables of whole numbers.

A segment holds the records of one stretch of the outcome log. The *record tables* are all
that it needs: a small segment is read by looking through them. The *sorted tables* say the
same in the order in which it is asked for; a segment has them from ``FOLD_FROM`` records on
(``codec/link_bulk.py``), so that finding a link does not take longer in a longer log.

A file is a magic, offset and length of each table, then the tables. Numbers are in the
machine's own byte order: the index is disposable and stays where it is made.
"""

MAGIC = b"nightledger-links-1\n\0\0\0\0"
BYTE_ORDER = 0x0102030405060708

RECORD_TABLES = (
    EXTENT,  # u64: see EXTENT_FIELDS
    TAG_TEXT,  # names of the tags, UTF-8, sorted by code point
    TAG_END,  # u32 a tag: where its name ends
    RESOLUTION_TEXT,  # names of the resolutions, sorted
    RESOLUTION_END,  # u32 a resolution
    FACTS,  # u32 a record: resolution << 3 | result << 1 | shown
    DAYS,  # u32 a record: log day, an ordinal
    ACTIVE_DAYS,  # u32: the distinct log days, sorted
    IDS,  # 28 bytes a record
    SESSION_KEY,  # u64 a session, sorted: its hash
    SESSIONS,  # u32 a record: its session
    TAG_COUNT,  # u8 a record
    RECORD_TAGS,  # u32: the tags of the first record, of the second, ..., each sorted
    COUNTED,  # u32 x 3: first tag, second tag, session: counted by an earlier segment
    FORGOTTEN,  # u32 x 3: first tag, second tag, record: those before it no longer count
) = tuple(range(15))
SORTED_TABLES = (
    ROW_FIRST,  # u32, one more than tags: first row whose first tag it is
    ROW_SECOND,  # u32 a row: its second tag
    ROW_SESSIONS,  # u32 a row: sessions that no earlier segment counted for this pair
    ROW_CELL,  # u32, one more than rows: its first cell
    ROW_RECORDS,  # u32 a row: records that carry both tags
    TOP_ROWS,  # u32: the rows of most sessions, TOP at most; of equals the first
    CELLS,  # u32: of a row of at most LIGHT_RECORDS records their numbers, else its tallies
    STRONG_FIRST,  # u32, one more than tags: first of the tag's strong links
    STRONG,  # u32 x 4: other tag, row, evidence, last day of a link that is shown
    ID_FILTER,  # bits: which leading bits of keys occur; a power of two, 8 a record or more
    ID_KEY,  # u32, sorted: the first 30 bits of each id
    ID_RECORD,  # u32: its record
    SESSION_FIRST,  # u32, one more than sessions: its first place in SESSION_RECORD
    SESSION_RECORD,  # u32: records by session
    TAG_START,  # u32, one more than records: its first place in RECORD_TAGS
) = tuple(range(15, 30))
TABLES = len(RECORD_TABLES) + len(SORTED_TABLES)
ITEM_BYTES = {EXTENT: 8, SESSION_KEY: 8, TAG_TEXT: 1, RESOLUTION_TEXT: 1, IDS: 1, TAG_COUNT: 1, ID_FILTER: 1}
"""Size of a table's items where it is not 4."""
EXTENT_FIELDS = ("start", "end", "lines", "bad", "duplicates", "first_record", "records")

FOLD_FROM = 4096
"""Records from which the sorted tables are made: looking through fewer takes 2 ms at most."""
LIGHT_RECORDS = 64
"""Records of a row that are added up by whoever reads it; with more, reading would take longer than finding it."""
TOP = 1 << 16
SOURCES = 5
NO_SOURCE = 0xFFFFFFFF
TALLY_CELLS = 7 + SOURCES
"""resolution, successes, partials, failures, shown successes, shown failures, last day, and
the newest records, oldest first, behind ``NO_SOURCE`` where there are fewer. The best resolution
of a row comes first, so that most readers need not look at the others."""
TRIPLE = 3
STRONG_CELLS = 4
ID_CHARACTERS = 28
ID_KEY_CHARACTERS = 6
ID_KEY_BITS = 30
HEADER_BYTES = len(MAGIC) + 8 + 16 * TABLES
_ALIGNMENT = 8

SUCCESS, PARTIAL, FAILURE = range(3)
"""Results in ``FACTS``."""
RESOLUTION_SHIFT = 3
RESULT_SHIFT = 1
SHOWN = 1

_DIGITS = bytes.maketrans(b"abcdefghijklmnopqrstuvwxyz234567", b"0123456789abcdefghijklmnopqrstuv")
"""From the alphabet of RFC 4648 section 6, lower case, to the digits that int(x, 32) reads."""


def id_keys(ids: bytes) -> list[int]:
    """Give for each of some joined ids the number by which the index finds it: its first 30 bits."""
    digits = ids.translate(_DIGITS)
    return [int(digits[at : at + ID_KEY_CHARACTERS], 32) for at in range(2, len(ids), ID_CHARACTERS)]


def dump_header(lengths: "list[int]") -> "tuple[bytes, list[int]]":
    """Give the header of a segment and how many zero bytes follow each table.

    Args:
        lengths: Bytes of each table; those that are left out at the end are empty.
    """
    import sys

    numbers, gaps, at = [BYTE_ORDER], [], HEADER_BYTES
    for length in lengths + [0] * (TABLES - len(lengths)):
        numbers += (at, length)
        gaps.append(-length % _ALIGNMENT)
        at += length + gaps[-1]
    return MAGIC + b"".join(number.to_bytes(8, sys.byteorder) for number in numbers), gaps


def parse_header(raw: "bytes | memoryview", size: int) -> "list[int]":
    """Give offset and length of each table, one after the other.

    Args:
        raw: The first ``HEADER_BYTES`` of a segment, or more.
        size: Bytes of the whole segment.

    Raises:
        ValueError: When this is no segment of this version and machine, or a table lies outside it.
    """
    view = memoryview(raw)
    if len(view) < HEADER_BYTES or view[: len(MAGIC)] != MAGIC:
        raise ValueError("is no segment of this version")
    order, *spans = view[len(MAGIC) : HEADER_BYTES].cast("Q").tolist()
    if order != BYTE_ORDER:
        raise ValueError("was written on a machine with another byte order")
    for table in range(TABLES):
        offset, length = spans[2 * table : 2 * table + 2]
        if offset % _ALIGNMENT or offset < HEADER_BYTES or offset + length > size:
            raise ValueError(f"has table {table} outside of itself")
        if length % ITEM_BYTES.get(table, 4):
            raise ValueError(f"has half a number in table {table}")
    return spans

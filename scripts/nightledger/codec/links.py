"""How far the linker has read, in ``memory/system/cursors.json``, and the association view, ``memory/system/hebbian-links.json``.

Invariant: the cursor names everything that the index was made from, so that whoever finds it unchanged may go on from
there, and whoever does not makes the index anew. One fold of outcomes gives one sequence of bytes of the view: one JSON
object, whose keys name links and whose values are canonical JSON (RFC 8785), one link a line, sorted as RFC 8785 sorts,
so that people can search it and programs can compare it.
"""

import json
from collections.abc import Iterable
from datetime import date
from typing import Any

import msgspec

from nightledger.codec.canonical import canonical
from nightledger.domain.outcome import Link, Tally

NAME = "link"
"""Key of the entry; other readers have other keys, and nobody touches another's."""
VERSION = 2
MAX_CURSORS_BYTES = 32 << 20
"""200 bytes a file of transcripts, of which a host keeps some thousands."""


class LinkCursor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the linker stopped.

    Attributes:
        v: Version of the entry and of the index, 2.
        path: The outcome log, relative to the home.
        offset: Bytes read.
        lines: Lines read.
        inode: Which file it was.
        probe: Hex SHA-256 of what was read.
        zone: IANA name of the zone that the log days are of.
        forgotten_sha256: Hex SHA-256 of the deleted links, and of the hashes of expunged texts where there are any.
        index: Inode, size and time of the index that was made of it.
    """

    v: int = VERSION
    path: str
    offset: int
    lines: int
    inode: int
    probe: str
    zone: str
    forgotten_sha256: str
    index: str


def parse_cursors(raw: bytes) -> dict[str, Any]:
    """Return the entries of ``cursors.json`` by reader; none where it is no such file."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def parse_link_cursor(raw: bytes) -> LinkCursor | None:
    """Return the linker's entry; None where there is none that this version can go on from."""
    try:
        cursor = msgspec.convert(parse_cursors(raw).get(NAME), LinkCursor)
    except (msgspec.ValidationError, UnicodeEncodeError):  # a name may hold half a surrogate pair
        return None
    return cursor if cursor.v == VERSION else None


def dump_link_cursor(raw: bytes, cursor: LinkCursor) -> bytes:
    """Return ``cursors.json`` with the linker's entry in it, canonical, with a line end.

    Args:
        raw: The file as it is; entries of other readers are kept.
        cursor: The new entry.
    """
    return dump_cursors(raw, NAME, msgspec.to_builtins(cursor))


def dump_cursors(raw: bytes, name: str, entry: Any) -> bytes:
    """Return ``cursors.json`` with one reader's entry in it; those of others are kept."""
    return canonical({**parse_cursors(raw), name: entry}, floats=True) + b"\n"


VIEW_LINKS = 5_000
"""Links in the view at most: those of most sessions. More would help nobody who reads it, and
``recall`` reads the index, which has all."""


def dump_view(links: Iterable[Link]) -> bytes:
    """Give the bytes of the view of some links."""
    encode = msgspec.json.Encoder(order="sorted").encode
    members = {link.key: encode(link_record(link)) for link in links}
    lines = (
        json.dumps(key, ensure_ascii=False).encode() + b":" + members[key]
        for key in sorted(members, key=lambda key: key.encode("utf-16-be"))
    )
    return b"{\n" + b",\n".join(lines) + b"\n}\n" if members else b"{}\n"


def link_record(link: Link) -> dict[str, Any]:
    """Give a link as its schema has it (``schemas/hebbian-links.schema.json``)."""
    return {
        **_tally_record(link, link.best),
        "source_outcomes": list(link.best.sources),
        "co_occurrences": link.co_occurrences,
        "last_active": dump_day(link.last_day),
        "resolutions": link.resolutions,
        "rivals": [_tally_record(link, tally) for tally in link.rivals],
        "v": 1,
    }


def dump_day(ordinal: int) -> str:
    """Give a log day as it is written: ``2026-02-28``."""
    return date.fromordinal(ordinal).isoformat()


def _tally_record(link: Link, tally: Tally) -> dict[str, Any]:
    return {
        "confidence": link.confidence(tally),
        "failures": tally.failures,
        "last_active": dump_day(tally.last_day),
        "partials": tally.partials,
        "resolution_pattern": tally.resolution,
        "shown_failures": tally.shown_failures,
        "shown_successes": tally.shown_successes,
        "successes": tally.successes,
    }

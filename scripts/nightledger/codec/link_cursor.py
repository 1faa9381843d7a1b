"""How far the linker has read: its entry in ``memory/system/cursors.json``.

Invariant: the entry names everything that the index was made from, so that whoever finds
it unchanged may go on from there, and whoever does not makes the index anew.
"""

import json
from typing import Any

import msgspec

from nightledger.codec.canonical import canonical

NAME = "link"
"""Key of the entry; other readers have other keys, and nobody touches another's."""
VERSION = 2


class LinkCursor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the linker stopped.

    Attributes:
        v: Version of the entry and of the index, 2.
        path: The outcome log, relative to the home.
        offset: Bytes read.
        lines: Lines read.
        inode: Which file it was.
        probe: Hex SHA-256 of samples of what was read.
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
    entries = {**parse_cursors(raw), NAME: msgspec.to_builtins(cursor)}
    return canonical(entries, floats=True) + b"\n"

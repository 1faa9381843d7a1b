import json

import pytest

from nightledger.codec.links import LinkCursor, dump_link_cursor, parse_link_cursor
from nightledger.codec.schema import find_problems

CURSOR = LinkCursor(
    path="memory/system/outcome-records.jsonl",
    offset=40960,
    lines=212,
    inode=131,
    probe="a" * 64,
    zone="Europe/Berlin",
    forgotten_sha256="b" * 64,
    index="131 40960 7",
)


def test_the_cursor_comes_back_and_holds_to_its_schema() -> None:
    raw = dump_link_cursor(b"", CURSOR)
    assert parse_link_cursor(raw) == CURSOR
    assert find_problems("cursors", json.loads(raw)) == ()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"link":3}',
        b'{"link":{"v":2}}',
        b'{"other":{}}',
        b'{"link":{"\\ud800":1}}',
    ],
)
def test_what_is_no_cursor_is_none(raw: bytes) -> None:
    assert parse_link_cursor(raw) is None

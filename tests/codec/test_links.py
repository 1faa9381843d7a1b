"""The linker's cursor and the view of links."""

import json

from tests.rows import from_corpus

from nightledger.codec.canonical import canonical
from nightledger.codec.links import LinkCursor, dump_link_cursor, dump_view, link_record, parse_link_cursor
from nightledger.codec.records import find_problems
from nightledger.domain.outcome import Link, Tally

CURSOR = LinkCursor(
    path="memory/system/outcome-records.jsonl", offset=40960, lines=212, inode=131, probe="a" * 64, zone="Europe/Berlin",
    forgotten_sha256="b" * 64, index="131 40960 7",
)  # fmt: skip


def test_the_cursor_comes_back_and_holds_to_its_schema() -> None:
    raw = dump_link_cursor(b"", CURSOR)
    assert parse_link_cursor(raw) == CURSOR
    assert find_problems("cursors", json.loads(raw)) == ()


@from_corpus("codec-links")
def test_what_is_no_cursor_is_none(raw: bytes) -> None:
    assert parse_link_cursor(raw) is None


def make_link(first: str, second: str) -> Link:
    best, rival = Tally("set_zone", 3, 1, last_day=739675), Tally("réessayer", failures=2, last_day=739676)
    return Link((first, second), co_occurrences=4, tallies=[rival, best], resolutions=2, last_day=739676)


def test_each_line_of_the_view_is_canonical() -> None:
    """What a link says there is what ``tests/linking.py`` adds up, and holds to the schema (``jobs/test_link.py``)."""
    link = make_link("cron", "time_zone")
    rows = dump_view([link, make_link("cron", "übung")]).decode().splitlines()
    assert rows[1] == f'"cron + time_zone":{canonical(link_record(link), floats=True).decode()},'
    assert json.loads("".join(rows)).keys() == {"cron + time_zone", "cron + übung"}

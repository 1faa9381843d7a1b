import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import START, Desk, addition
from tests.gate.memory.test_naming import BACKUPS, ids
from tests.gate.memory.test_pinning import RELAY, pinned
from tests.gate.used import add_exposure, add_outcome

from nightledger.gate.memory.entry_view import read_marks_of
from nightledger.gate.memory.uses import Marks
from nightledger.gate.proposing.views import refresh_views, stale_views


def rows(desk: Desk) -> dict[str, dict[str, Any]]:
    refresh_views(desk.gate, desk.ledger())
    view = json.loads(Path(desk.home.entries).read_bytes())
    names = {name: words for words, name in ids(desk).items()}
    return {names[row["id"]]: row for row in view["entries"]}


def test_an_entry_says_its_tier_its_pin_and_what_came_of_showing_it(desk: Desk) -> None:
    name = ids(desk)[BACKUPS]
    pinned(desk, BACKUPS)
    pinned(desk, RELAY, tag="self/value")
    add_outcome(desk.home, START.at, name)
    add_outcome(desk.home, START.at, name, session="b", outcome="failure")
    add_exposure(desk.home, START.at, name)
    found = rows(desk)
    told = ("tier", "tags", "pin", "shown", "useful", "harmful")
    assert [found[BACKUPS][field] for field in told] == ["standard", [], True, 3, 1, 1]
    assert [found[RELAY][field] for field in told] == ["durable", ["self/value"], False, 0, 0, 0]


def test_outcomes_that_came_since_are_no_difference_and_other_bytes_are(desk: Desk) -> None:
    add_outcome(desk.home, START.at, ids(desk)[BACKUPS])
    refresh_views(desk.gate, desk.ledger())
    add_outcome(desk.home, START.at + timedelta(hours=1), ids(desk)[BACKUPS])
    assert stale_views(desk.gate, desk.ledger()) == []
    view = Path(desk.home.entries)
    view.write_bytes(view.read_bytes().replace(b'"useful":1', b'"useful":9'))
    assert stale_views(desk.gate, desk.ledger()) == ["memory/system/entries.json"]
    assert rows(desk)[BACKUPS]["useful"] == 2


def test_an_entry_is_known_by_the_id_that_it_keeps(desk: Desk) -> None:
    before = rows(desk)[BACKUPS]["id"]
    desk.edit(desk.memory.read_bytes().replace(b"30 days.", b"60 days."))
    assert rows(desk)["- Keep backups for 60 days."]["id"] == before


@pytest.mark.parametrize(
    "view",
    [
        None,
        b"",
        b"[]",
        b"{}",
        b'{"read":3}',
        b'{"read":{"outcomes":1}}',
        b'{"read":{"outcomes":"1","exposures":2}}',
        b'{"read":{"outcomes":-1,"exposures":2}}',
        b'{"read":{"outcomes":true,"exposures":2}}',
        b"[" * 100_000,
    ],
)
def test_a_view_that_does_not_say_how_far_it_was_read_says_nothing(view: bytes | None) -> None:
    assert read_marks_of(view) is None


def test_a_view_says_how_far_it_was_read() -> None:
    assert read_marks_of(b'{"read":{"exposures":7,"outcomes":3}}') == Marks(outcomes=3, exposures=7)


def test_an_entry_says_who_said_what_it_came_from(desk: Desk) -> None:
    desk.applied(addition("One."))
    (source,) = rows(desk)["- One."]["sources"]
    assert [(place["path"], place["origin"]) for place in source["evidence"]] == [
        ("memory/2026-02-28.md", "agent")
    ]

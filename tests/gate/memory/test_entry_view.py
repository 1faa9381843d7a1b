import json
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import START, Desk
from tests.gate.memory.test_naming import BACKUPS, ids
from tests.gate.memory.test_pinning import RELAY, pinned
from tests.gate.used import add_exposure, add_outcome

from nightledger.gate.proposing.views import read_marks_of, refresh_views


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

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.homes import make_home
from tests.linking import BERLIN, fold_plainly, lines, outcome
from tests.whole import examples

from nightledger.domain.errors import LinkIndexError
from nightledger.domain.links import SHOWN_FROM, decayed
from nightledger.files.home import Home
from nightledger.files.link_index import LinkIndex, Rules, open_index
from nightledger.jobs.link import link

TAGS = ("cron", "disk", "mail", "time_zone")
OPENED = ExitStack()


def index_of(home: Home, *stretches: list[dict[str, Any]]) -> LinkIndex:
    Path(home.outcomes).write_bytes(b"")
    for stretch in stretches:
        with Path(home.outcomes).open("ab") as stream:
            stream.write(lines(stretch))
        link(home, Rules(zone=BERLIN))
    index = open_index(home.link_index_dir)
    assert index is not None
    return OPENED.enter_context(index)


@pytest.fixture(autouse=True)
def close_all() -> Iterator[None]:
    yield
    OPENED.close()


def keys(found: Any) -> list[str]:
    return [item.link.key for item in found[0]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home")


def worked(name: str, tags: list[str], times: int, day: int = 1) -> list[dict[str, Any]]:
    return [
        outcome(
            (name, n), tags, resolution=name, session=f"{name}{n}", timestamp=f"2026-01-{day:02}T12:00:00Z"
        )
        for n in range(times)
    ]


records = st.builds(
    outcome,
    st.integers(0, 99),
    st.lists(st.sampled_from(TAGS), min_size=2, max_size=4),
    outcome=st.sampled_from(["success", "success", "success", "failure"]),
    resolution=st.sampled_from(["a", "b"]),
    session=st.sampled_from([None, "x", "y"]),
    timestamp=st.builds("2026-01-{:02}T12:00:00Z".format, st.integers(1, 28)),
)


@given(
    stretches=st.lists(st.lists(records, max_size=12), min_size=1, max_size=4),
    tags=st.lists(st.sampled_from(TAGS), min_size=1, max_size=3, unique=True),
)
@examples(80)
def test_recall_shows_what_the_plain_fold_says(
    tmp_path: Path, stretches: list[list[dict[str, Any]]], tags: list[str]
) -> None:
    home = make_home(tmp_path / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        index = index_of(home, *stretches)
    known = [record for stretch in stretches for record in stretch]
    first = {record["id"]: record for record in reversed(known)}
    days = sorted({record["timestamp"][:10] for record in first.values()})
    expected = {}
    for key, found in fold_plainly(known).items():
        pair = key.split(" + ")
        asked = set(pair) <= set(tags) if len(tags) > 1 else tags[0] in pair
        idle = sum(day > found["last_active"] for day in days)
        now = decayed(found["confidence"], idle)
        if asked and now >= SHOWN_FROM:
            expected[key] = (
                now,
                found["resolution_pattern"],
                found["source_outcomes"],
                found["co_occurrences"],
            )
    shown, more = index.recall(tags, 99)
    assert more == 0
    assert {
        item.link.key: (
            item.confidence,
            item.link.best.resolution,
            list(item.link.best.sources),
            item.link.co_occurrences,
        )
        for item in shown
    } == expected
    assert [item.confidence for item in shown] == sorted((now for now, *_ in expected.values()), reverse=True)


@pytest.mark.parametrize("stored", ["", "[]", "{}", '[["r", "many"]]', '[["r", 1, 0, 0, 0, 0, 1, [7]]]'])
def test_a_row_that_nobody_writes_is_damage(home: Home, stored: str) -> None:
    index = index_of(home, worked("a", ["cron", "disk"], 3))
    index.connection.execute("UPDATE links SET tallies = ?", (stored,))
    with pytest.raises(LinkIndexError, match="cannot be used"):
        index.link("cron", "disk")
    with pytest.raises(LinkIndexError, match="cannot be used"):
        [*index.every()]

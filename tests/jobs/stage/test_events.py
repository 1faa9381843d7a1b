"""How near events count, and what is found for them."""

from typing import Any

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk
from tests.jobs.stage.staging import event, only, run

from nightledger.domain.staging import Event, Source


def nearness(desk: Desk, one: Event, **changed: Any) -> float:
    (found,) = only(run(desk, one, **changed), Source.EVENT)
    return found.score


def test_an_event_counts_by_how_soon_it_begins(desk: Desk) -> None:
    def at(hours: float) -> float:
        return nearness(desk, event(desk, "Round", hours=hours), lookahead_hours=4)

    assert (at(-0.5), at(0), at(2), at(4)) == (1.0, 1.0, 0.75, 0.5)


def test_an_event_of_the_whole_day_and_one_where_nothing_is_looked_ahead_count_half(desk: Desk) -> None:
    now = event(desk, "Round", hours=0)
    assert nearness(desk, replace(now, all_day=True)) == 0.5
    assert nearness(desk, now, lookahead_hours=0) == 0.5


@pytest.mark.parametrize(
    "link", ["https://x.example/y?z", "HTTP://x.example", "www.x.example/y", "mailto:a@x.example"]
)
def test_a_title_brings_no_link_and_a_stranger_s_nothing(desk: Desk, link: str) -> None:
    def text(*, own: bool) -> str:
        one = replace(event(desk, f"Round at {link} tonight", hours=0), own=own)
        (found,) = only(run(desk, one), Source.EVENT)
        return found.text

    assert text(own=True) == '"Round at (link) tonight"'
    assert text(own=False) == "an event of somebody else"

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.domain.gate_values import START

from nightledger.domain.cooling import DAY_S, passed_s, since_review_s
from nightledger.domain.event import Entry
from nightledger.domain.moment import Moment

DAY = timedelta(days=1)


def entry(at: datetime, name: str = "heartbeat", **fields: Any) -> Entry:
    return (name, fields, at)


def review(at: datetime, decision: str = "d-1", **fields: Any) -> Entry:
    return entry(at, "decision.recorded", decision=decision, **fields)


def days(entries: Sequence[Entry], now: datetime, found: str | None = "d-1") -> float:
    return since_review_s(entries, found, Moment(at=now)) / DAY_S


def test_time_counts_from_the_review_on() -> None:
    entries = [entry(START), review(START + DAY), entry(START + 2 * DAY)]
    assert days(entries, START + 31 * DAY) == 30


def test_only_the_review_that_was_found_to_hold_counts() -> None:
    entries = [review(START), review(START + 20 * DAY, "d-2"), entry(START + 21 * DAY)]
    assert days(entries, START + 30 * DAY) == 30
    assert days(entries, START + 30 * DAY, "d-2") == 10


def test_a_clock_that_is_set_back_postpones_nothing() -> None:
    entries = [review(START), entry(START + 29 * DAY), entry(START + DAY), entry(START + 2 * DAY)]
    assert days(entries, START + 2 * DAY) == 30
    assert days([review(START), entry(START + 29 * DAY)], START - 400 * DAY) == 29


def test_a_review_under_a_clock_that_was_ahead_postpones_nothing() -> None:
    ahead = START + 9000 * DAY
    entries = [review(ahead), entry(START), entry(START + 15 * DAY)]
    assert days(entries, START + 30 * DAY) == 30


def test_within_one_boot_the_boot_clock_counts_where_it_says_more() -> None:
    since = Moment(at=START, boot="b", boot_s=0)
    assert passed_s(since, Moment(at=START - DAY, boot="b", boot_s=7 * DAY_S)) == 7 * DAY_S
    assert passed_s(since, Moment(at=START + DAY, boot="b", boot_s=5)) == DAY_S
    assert passed_s(since, Moment(at=START - DAY, boot="c", boot_s=7 * DAY_S)) == 0
    entries = [review(START, boot="b", boot_s=0), entry(START - DAY, boot="b", boot_s=31 * DAY_S)]
    assert days(entries, START - DAY) == 31


@given(
    gaps=st.lists(st.integers(0, 3 * DAY_S), min_size=1, max_size=20),
    steps=st.lists(st.integers(-400 * DAY_S, 400 * DAY_S), max_size=20),
)
def test_no_steps_of_a_clock_between_entries_make_it_less_than_a_day_for_each_step(
    gaps: list[int], steps: list[int]
) -> None:
    """What passed between two entries is lost at most where the clock was set back just then."""
    real, wall, lost = 0, 0, 0
    entries = [review(START)]
    for at, gap in enumerate(gaps):
        step = steps[at] if at < len(steps) else 0
        real, wall = real + gap, wall + gap + step
        lost += gap if step < 0 else 0
        entries.append(entry(START + timedelta(seconds=wall)))
    found = since_review_s(entries, "d-1", Moment(at=START + timedelta(seconds=wall)))
    assert found >= real - lost

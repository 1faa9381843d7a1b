"""The waits before an apply, and how long nobody reviewed, by clocks that may be wrong."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.domain.gate_values import START, at

from nightledger.domain import decision
from nightledger.domain.decision import Cooling, Entry, Moment, Vouched, Witnessed, cools_until, remaining_s

PUBLISHED = Cooling()
DAY = timedelta(days=1)


def booted(boot: str, boot_s: int, **by: float) -> Moment:
    return Moment(at=START + timedelta(**by), boot=boot, boot_s=boot_s)


def test_the_waits_are_two_hours_from_the_leaf_and_ten_minutes_from_the_signature() -> None:
    waits = ((0, at(), 7200), (1, at(hours=2, seconds=-1), 1), (1, at(hours=2), 0))
    for signed_h, now, left in (*waits, (5, at(hours=5, minutes=9), 60), (5, at(hours=5, minutes=10), 0)):
        assert remaining_s(at(), at(hours=signed_h), now, PUBLISHED) == left
    assert cools_until(at(), at(hours=1), PUBLISHED) == START + timedelta(hours=2)
    assert cools_until(at(), at(hours=3), PUBLISHED) == START + timedelta(hours=3, minutes=10)


def test_a_clock_that_was_wrong_makes_no_wait_shorter() -> None:
    ahead = at(days=26_000)
    assert cools_until(ahead, at(), PUBLISHED) == START + timedelta(hours=2)
    assert remaining_s(ahead, at(), at(hours=1, minutes=59), PUBLISHED) == 60
    assert remaining_s(at(), at(days=-20_000), at(hours=1), PUBLISHED) == 3600
    # across a reboot only the wall clock is left
    assert decision.elapsed_s(booted("one", 1000), booted("two", 30, hours=3)) == 3 * 3600


def test_a_wait_that_no_calendar_holds_ends_with_it() -> None:
    for wait_s in (300_000_000_000, 2**53 - 1):
        asked = Cooling(after_proposal_s=wait_s)
        assert cools_until(at(), at(), asked) == datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
        assert remaining_s(at(), at(), at(hours=3), asked) == wait_s - 10_800


def vouched(first_min: int | None, last_min: int | None) -> Vouched:
    first, last = (None if m is None else START + timedelta(minutes=m) for m in (first_min, last_min))
    return Vouched(first=first, last=last)


def test_with_witnesses_only_their_times_count() -> None:
    def left(proposed: Vouched, signed: Vouched) -> list[int]:
        seen = Witnessed(proposed=proposed, signed=signed)
        return [remaining_s(at(), at(), now, PUBLISHED, seen) for now in (at(), booted("one", 10**6, days=9))]

    assert left(vouched(0, 60), vouched(30, 60)) == [3600, 3600]
    assert left(vouched(0, 121), vouched(1, 121)) == [0, 0]
    assert left(vouched(0, 121), vouched(115, 121)) == [240, 240]
    for none in (Vouched(), vouched(None, 600), vouched(600, None), vouched(20, 10)):
        assert (none.elapsed_s, left(none, none)) == (0, [7200, 7200])


# ---------------------------------------------------------------- since nobody reviewed


def entry(day: float, **fields: Any) -> Entry:
    return ("heartbeat", fields, START + day * DAY)


def review(day: float, decision: str = "d-1", **fields: Any) -> Entry:
    return ("decision.recorded", {"decision": decision, **fields}, START + day * DAY)


def days(entries: Sequence[Entry], now: float, found: str | None = "d-1") -> float:
    return decision.since_review_s(entries, found, Moment(at=START + now * DAY)) / decision.DAY_S


def test_time_counts_from_the_review_that_was_found_to_hold_else_from_the_logs_beginning() -> None:
    entries = [entry(0), review(1), review(20, "d-2"), entry(21)]
    assert (days(entries, 31), days(entries, 30, "d-2"), days(entries, 30, None)) == (30, 10, 30)
    assert days([], 30, None) == 0


def test_no_clock_postpones_the_end_of_consent() -> None:
    assert days([review(0), entry(29), entry(1), entry(2)], 2) == 30  # it was set back
    assert days([review(0), entry(29)], -400) == 29
    assert days([review(9000), entry(0), entry(15)], 30) == 30  # it was ahead at the review
    assert days([entry(9000), review(0), entry(1)], 2) == 2  # and before it


def test_within_one_boot_the_boot_clock_counts_where_it_says_more() -> None:
    since = booted("b", 0)
    assert decision.passed_s(since, booted("b", 7 * decision.DAY_S, days=-1)) == 7 * decision.DAY_S
    assert decision.passed_s(since, booted("b", 5, days=1)) == decision.DAY_S
    assert decision.passed_s(since, booted("c", 7 * decision.DAY_S, days=-1)) == 0
    assert days([review(0, boot="b", boot_s=0), entry(-1, boot="b", boot_s=31 * decision.DAY_S)], -1) == 31

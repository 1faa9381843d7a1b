from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.domain.gate_values import START, at

from nightledger.domain.cooling import Cooling, Vouched, Witnessed, cools_until, elapsed_s, remaining_s
from nightledger.domain.moment import Moment

PUBLISHED = Cooling()


def booted(boot: str, boot_s: int, **by: float) -> Moment:
    return Moment(at=START + timedelta(**by), boot=boot, boot_s=boot_s)


def test_the_waits_are_two_hours_from_the_leaf_and_ten_minutes_from_the_signature() -> None:
    assert remaining_s(at(), at(), at(), PUBLISHED) == 7200
    assert remaining_s(at(), at(hours=1), at(hours=2, seconds=-1), PUBLISHED) == 1
    assert remaining_s(at(), at(hours=1), at(hours=2), PUBLISHED) == 0
    assert remaining_s(at(), at(hours=5), at(hours=5, minutes=9), PUBLISHED) == 60
    assert remaining_s(at(), at(hours=5), at(hours=5, minutes=10), PUBLISHED) == 0


def test_a_proposal_that_a_clock_ahead_dated_cools_from_its_signature_on() -> None:
    ahead = at(days=26_000)
    assert cools_until(ahead, at(), PUBLISHED) == START + timedelta(hours=2)
    assert remaining_s(ahead, at(), at(hours=1, minutes=59), PUBLISHED) == 60
    assert remaining_s(ahead, at(), at(hours=2), PUBLISHED) == 0


def test_a_signature_that_a_clock_behind_dated_makes_no_wait_from_the_proposal_shorter() -> None:
    assert remaining_s(at(), at(days=-20_000), at(hours=1), PUBLISHED) == 3600


def test_a_wait_that_no_calendar_holds_ends_with_it() -> None:
    for wait_s in (300_000_000_000, 2**53 - 1):
        asked = Cooling(after_proposal_s=wait_s)
        assert cools_until(at(), at(), asked) == datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
        assert remaining_s(at(), at(), at(hours=3), asked) == wait_s - 10_800


def test_across_a_reboot_there_is_only_the_wall_clock() -> None:
    assert elapsed_s(booted("one", 1000), booted("two", 30, hours=3)) == 3 * 3600


@given(
    wall_s=st.integers(-10_000, 100_000), ran_s=st.integers(0, 100_000), step_s=st.integers(-100_000, 100_000)
)
def test_no_step_of_the_wall_clock_ever_shortens_the_wait(wall_s: int, ran_s: int, step_s: int) -> None:
    since = booted("one", 500)
    honest = booted("one", 500 + ran_s, seconds=ran_s)
    stepped = booted("one", 500 + ran_s, seconds=ran_s + step_s)
    assert remaining_s(since, since, stepped, PUBLISHED) >= remaining_s(since, since, honest, PUBLISHED)
    assert elapsed_s(since, booted("one", 500 + ran_s, seconds=wall_s)) <= ran_s


def vouched(first_min: int | None, last_min: int | None) -> Vouched:
    first, last = (None if m is None else START + timedelta(minutes=m) for m in (first_min, last_min))
    return Vouched(first=first, last=last)


def test_with_witnesses_only_their_times_count() -> None:
    far = booted("one", 10**6, days=9)
    hour = Witnessed(proposed=vouched(0, 60), signed=vouched(30, 60))
    assert remaining_s(at(), at(), far, PUBLISHED, hour) == 3600
    assert (
        remaining_s(at(), at(), at(), PUBLISHED, Witnessed(proposed=vouched(0, 121), signed=vouched(1, 121)))
        == 0
    )
    assert (
        remaining_s(at(), at(), far, PUBLISHED, Witnessed(proposed=vouched(0, 121), signed=vouched(115, 121)))
        == 240
    )


def test_where_no_witness_has_spoken_the_wait_has_not_begun() -> None:
    far = booted("one", 10**6, days=9)
    assert remaining_s(at(), at(), far, PUBLISHED, Witnessed()) == 7200
    for half in (vouched(None, 600), vouched(600, None)):
        assert half.elapsed_s == 0


def test_the_latest_time_is_the_clocks_or_a_witness_s() -> None:
    seen = Witnessed(proposed=vouched(0, 50), signed=vouched(30, 40))
    assert seen.latest(START) == START + timedelta(minutes=50)
    assert seen.latest(START + timedelta(hours=2)) == START + timedelta(hours=2)
    assert Witnessed().latest(START) == START

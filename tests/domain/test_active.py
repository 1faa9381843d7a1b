from datetime import UTC, datetime, timedelta, timezone

from nightledger.domain.uses import active_hours, active_hours_until, hour_of

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_an_hour_is_a_utc_hour_whatever_the_zone_says() -> None:
    assert hour_of(NOON) == hour_of(NOON + timedelta(minutes=59, seconds=59))
    assert hour_of(NOON + timedelta(hours=1)) == hour_of(NOON) + 1
    kathmandu = timezone(timedelta(hours=5, minutes=45))
    assert hour_of(NOON.astimezone(kathmandu)) == hour_of(NOON)
    assert hour_of(datetime(1970, 1, 1, 1, 0, tzinfo=UTC)) == 1


def test_an_hour_counts_once_whatever_happened_in_it() -> None:
    assert active_hours([7, 5, 7, 7]) == (5, 7)


def test_a_holiday_ages_nothing() -> None:
    hours = active_hours([1, 2, 3, 500])
    assert [active_hours_until(hours, hour) for hour in (0, 1, 3, 499, 500)] == [0, 1, 3, 3, 4]

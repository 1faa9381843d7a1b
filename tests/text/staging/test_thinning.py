"""Which events of a calendar are parsed at all."""

from datetime import UTC, datetime

from tests.rows import each_row

from nightledger.text.staging.thinning import thin

SINCE, UNTIL = datetime(2026, 3, 10, 8, tzinfo=UTC), datetime(2026, 3, 11, 8, tzinfo=UTC)


def kept(*lines: str) -> tuple[tuple[str, ...], ...]:
    text = "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR", ""])
    return thin(text, SINCE, UNTIL).events


@each_row(
    ("lines", "stays"),
    [
        (["DTSTART:20260310T090000Z"], True),
        (["DTSTART:20260308"], True),  # zones differ by a day, and an all-day event ends on the day after
        (["DTSTART:20260307"], False),
        (["DTSTART:20260313T235959Z"], True),
        (["DTSTART:20260314"], False),
        (["DTSTART:20260101", "DTEND;VALUE=DATE:20260308"], True),
        (["DTSTART:20260101", "DTEND;VALUE=DATE:20260307"], False),
        (["DTSTART;TZID=Europe/Berlin:20260401T090000", "DTEND:20260402T090000Z"], False),
        (["DTSTART:20200101", "RRULE:FREQ=DAILY"], True),
        (["DTSTART:20200101", "RDATE:20260310"], True),
        (["DTSTART:20200101", "DURATION:P9000D"], True),
        (["DTSTART:20200101", "RECURRENCE-ID:20260310"], True),
        (["DTSTART:tomorrow"], True),
        (["SUMMARY:no time at all"], True),
    ],
)
def test_an_event_is_dropped_only_where_its_own_dates_say_that_it_is_over_or_far_ahead(
    lines: list[str],
    stays: bool,  # noqa: FBT001 - an expected value
) -> None:
    assert kept(*lines) == ((tuple(lines),) if stays else ())

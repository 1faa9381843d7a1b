"""Events of iCalendar texts, good, odd, broken and hostile."""

import warnings
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.staging.values import Event
from nightledger.text.staging.calendar import Read, Reading, owner_addresses, read_events

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 3, 8, 0, tzinfo=UTC)  # 09:00 in Berlin


def event(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT", ""])


def calendar(*events: str, before: str = "") -> bytes:
    return (
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{before}{''.join(events)}END:VCALENDAR\r\n".encode()
    )


def read(*events: str, own: bool = False, hours: int = 4, now: datetime = NOW) -> Read:
    return read_raw(calendar(*events), own=own, hours=hours, now=now)


def read_raw(raw: bytes, *, own: bool = False, hours: int = 4, now: datetime = NOW) -> Read:
    how = Reading(
        name="work", zone=BERLIN, since=now, until=now + timedelta(hours=hours),
        addresses=owner_addresses(["Ann@Example.org"]), own=own,
    )  # fmt: skip
    return read_events(raw, how)


def starts(found: Iterable[Event]) -> list[str]:
    return [f"{one.starts_at:%H:%M}" for one in found]


def test_an_event_with_a_zone_is_told_in_utc() -> None:
    (one,) = read(
        event(
            "UID:1",
            "DTSTART;TZID=America/New_York:20260303T043000",
            "DTEND;TZID=America/New_York:20260303T050000",
            "SUMMARY:Berths",
        )
    ).events
    assert (one.title, starts([one]), f"{one.ends_at:%H:%M}", one.all_day, one.calendar) == (
        "Berths",
        ["09:30"],
        "10:00",
        False,
        "work",
    )


def test_an_event_without_a_zone_is_in_that_of_the_home() -> None:
    (one,) = read(event("UID:1", "DTSTART:20260303T100000", "DURATION:PT30M", "SUMMARY:x")).events
    assert starts([one]) == ["09:00"]


def test_an_all_day_event_is_a_day_of_the_home() -> None:
    (one,) = read(
        event("UID:1", "DTSTART;VALUE=DATE:20260303", "DTEND;VALUE=DATE:20260304", "SUMMARY:Fair")
    ).events
    assert one.all_day
    assert (one.starts_at, one.ends_at) == (
        datetime(2026, 3, 2, 23, tzinfo=UTC),
        datetime(2026, 3, 3, 23, tzinfo=UTC),
    )
    assert read(event("UID:1", "DTSTART;VALUE=DATE:20260304", "SUMMARY:Fair")).events == ()


def test_a_weekly_event_keeps_its_wall_clock_over_a_change_of_clocks() -> None:
    weekly = event(
        "UID:1",
        "DTSTART;TZID=Europe/Berlin:20260303T100000",
        "DTEND;TZID=Europe/Berlin:20260303T103000",
        "RRULE:FREQ=WEEKLY",
        "SUMMARY:x",
    )
    assert starts(read(weekly).events) == ["09:00"]
    assert starts(read(weekly, now=datetime(2026, 3, 31, 7, 0, tzinfo=UTC)).events) == ["08:00"]


def test_exceptions_moved_and_cancelled_occurrences_are_as_the_calendar_says() -> None:
    series = (
        "UID:1",
        "DTSTART:20260302T090000Z",
        "DTEND:20260302T093000Z",
        "RRULE:FREQ=DAILY",
        "SUMMARY:Round",
    )
    assert read(event(*series, "EXDATE:20260303T090000Z")).events == ()
    moved = event(
        "UID:1",
        "RECURRENCE-ID:20260303T090000Z",
        "DTSTART:20260303T110000Z",
        "DTEND:20260303T113000Z",
        "SUMMARY:Round later",
    )
    (one,) = read(event(*series), moved).events
    assert (one.title, starts([one])) == ("Round later", ["11:00"])
    gone = event(
        "UID:1",
        "RECURRENCE-ID:20260303T090000Z",
        "DTSTART:20260303T090000Z",
        "DTEND:20260303T093000Z",
        "STATUS:CANCELLED",
        "SUMMARY:Round",
    )
    assert read(event(*series), gone).events == ()


def test_what_goes_on_now_is_given_and_what_is_over_or_later_is_not() -> None:
    def at(start: str, end: str) -> str:
        return event(f"UID:{start}", f"DTSTART:20260303T{start}00Z", f"DTEND:20260303T{end}00Z", "SUMMARY:x")

    found = read(at("0700", "0800"), at("0730", "0815"), at("1159", "1230"), at("1200", "1230"))
    assert starts(found.events) == ["07:30", "11:59"]


@pytest.mark.parametrize(
    ("lines", "own"),
    [
        (["ORGANIZER:mailto:ann@example.org"], True),
        (["ORGANIZER:MAILTO:ANN@example.org", "ATTENDEE:mailto:bob@example.org"], True),
        (["ORGANIZER:mailto:bob@example.org"], False),
        (["ORGANIZER:mailto:bob@example.org", "ATTENDEE;PARTSTAT=ACCEPTED:mailto:ann@example.org"], True),
        (
            ["ORGANIZER:mailto:bob@example.org", "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ann@example.org"],
            False,
        ),
        (["ATTENDEE;PARTSTAT=ACCEPTED:mailto:eve@example.org", "ATTENDEE:mailto:ann@example.org"], False),
        ([], False),
    ],
)
def test_an_event_is_the_owners_own_where_they_organised_or_accepted_it(lines: list[str], own: bool) -> None:  # noqa: FBT001 - a row
    (one,) = read(event("UID:1", "DTSTART:20260303T090000Z", "SUMMARY:x", *lines)).events
    assert one.own is own


def test_in_a_calendar_of_the_owner_alone_an_event_without_an_organiser_is_their_own() -> None:
    mine, invited = (
        event("UID:1", "DTSTART:20260303T090000Z"),
        event("UID:2", "DTSTART:20260303T093000Z", "ORGANIZER:mailto:bob@example.org"),
    )
    assert [one.own for one in read(mine, invited, own=True).events] == [True, False]


@pytest.mark.parametrize(
    ("lines", "stands"),
    [
        (["ATTENDEE;PARTSTAT=DECLINED:mailto:ann@example.org"], False),
        (["ATTENDEE;PARTSTAT=declined:MAILTO:Ann@example.org", "ATTENDEE;PARTSTAT=ACCEPTED:mailto:eve@example.org"], False),
        (["ATTENDEE;PARTSTAT=DECLINED:mailto:eve@example.org", "ATTENDEE:mailto:ann@example.org"], True),
        (["ATTENDEE;PARTSTAT=TENTATIVE:mailto:ann@example.org"], True),
        (["ATTENDEE;PARTSTAT=DECLINED:mailto:ann@example.org", "ATTENDEE;PARTSTAT=ACCEPTED:mailto:ann@example.org"], True),
    ],
)  # fmt: skip
def test_an_event_that_the_owner_declined_is_left_out(lines: list[str], stands: bool) -> None:  # noqa: FBT001 - a row
    declined = event(
        "UID:1", "DTSTART:20260303T090000Z", "ORGANIZER:mailto:bob@example.org", "SUMMARY:x", *lines
    )
    found = read(declined)
    assert (len(found.events), found.problems) == (int(stands), ())


def test_of_two_titles_the_first_is_given() -> None:
    (one,) = read(event("UID:1", "DTSTART:20260303T090000Z", "SUMMARY:First", "SUMMARY:Second")).events
    assert one.title == "First"


def test_titles_are_one_line_of_eighty_characters_and_nothing_else_comes_through() -> None:
    (one,) = read(
        event(
            "UID:1",
            "DTSTART:20260303T090000Z",
            "SUMMARY:" + "Long\\n title " * 20,
            "DESCRIPTION:secret plan",
            "LOCATION:pier 4",
            "URL:https://x.example",
            "ATTENDEE:mailto:eve@example.org",
        )
    ).events
    assert len(one.title) <= 80
    assert "\n" not in one.title
    assert "secret" not in repr(one)
    assert "eve@" not in repr(one)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"hello",
        b"\xff\xfe\x00",
        b"<html></html>",
        b"BEGIN:VEVENT\r\nDTSTART:20260303T090000Z\r\nEND:VEVENT\r\n",
    ],
)
def test_what_is_no_calendar_is_named(raw: bytes) -> None:
    assert read_raw(raw) == Read(events=(), problems=("is no iCalendar text",))


def test_a_broken_event_is_counted_and_the_others_are_read() -> None:
    good = event("UID:1", "DTSTART:20260303T090000Z", "SUMMARY:good")
    bad = [
        event("UID:2", "DTSTART:bogus", "SUMMARY:x"),
        event("UID:3", "SUMMARY:no start"),
        event("UID:4", "DTSTART:20260303T090000Z", "RRULE:FREQ=SOMETIMES", "SUMMARY:x"),
        event("UID:5", "DTSTART:00010101T000000Z", "RRULE:FREQ=YEARLY", "SUMMARY:x"),
        "BEGIN:VEVENT\r\nDTSTART:20260303T090000Z\r\n",
    ]
    found = read(good, *bad)
    assert [one.title for one in found.events] == ["good"]
    assert found.problems == ("5 event(s) left out: broken",)


def test_a_start_that_is_no_date_is_broken() -> None:
    found = read(event("UID:a", "DTSTART;VALUE=TIME:090000"), event("UID:b", "DTSTART:20260303T090000Z"))
    assert len(found.events) == 1
    assert found.problems == ("1 event(s) left out: broken",)


@pytest.mark.parametrize(
    "inside",
    [
        ["BEGIN:DAYLIGHT"],
        ["END:DAYLIGHT"],
        ["BEGIN:DAYLIGHT", "END:STANDARD"],
        ["END:VTODO", "BEGIN:VTODO", "UID:t", "DTSTART:20260303T090000Z", "SUMMARY:hidden", "END:VTODO"],
    ],
)
def test_a_time_zone_in_disorder_takes_no_event_along(inside: list[str]) -> None:
    zone = "\r\n".join(["BEGIN:VTIMEZONE", "TZID:Harbour", *inside, "END:VTIMEZONE", ""])
    found = read_raw(
        calendar(
            event("UID:a", "DTSTART:20260303T090000Z", "SUMMARY:told"),
            event("UID:b", "DTSTART;TZID=Harbour:20260303T110000", "SUMMARY:there"),
            before=zone,
        )
    )
    assert [one.title for one in found.events] == ["told", "there"]
    assert found.problems == ("1 event(s) in a time zone unknown here, taken for the home's",)


def test_a_calendar_that_ends_in_the_middle_gives_what_came_before() -> None:
    raw = calendar(
        event("UID:1", "DTSTART:20260303T090000Z", "SUMMARY:a"),
        event("UID:2", "DTSTART:20260303T093000Z", "SUMMARY:b"),
    )
    found = read_raw(raw[:-40])
    assert [one.title for one in found.events] == ["a"]
    assert found.problems == ("1 event(s) left out: broken",)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=DAILY;BYHOUR=0,1,2,3,4,5;BYMINUTE=0,1,2,3,4,5,6,7,8,9;BYSECOND=0,1,2,3,4,5,6,7,8,9",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    ],
)
def test_a_rule_that_would_never_end_is_named_and_not_expanded(rule: str) -> None:
    found = read(event("UID:1", "DTSTART:19900101T000000Z", f"RRULE:{rule}", "SUMMARY:x"))
    assert found.events == ()
    assert found.problems == ("1 event(s) left out: repeats too often",)


@pytest.mark.parametrize(
    ("rule", "stands"),
    [
        ("FREQ=SECONDLY", False),
        ("FREQ=MINUTELY;INTERVAL=4", False),
        ("FREQ=HOURLY;BYMINUTE=0,1,2,3,4,5,6,7,8,9;BYSECOND=0,20,40", False),
        ("FREQ=MINUTELY;INTERVAL=5", True),
        ("FREQ=HOURLY;BYHOUR=8,9,10,11,12,13,14,15,16,17;BYDAY=MO,TU,WE,TH,FR", True),
        ("FREQ=DAILY;BYHOUR=8,9,10;BYMINUTE=0,30", True),
    ],
)
def test_what_repeats_more_often_than_any_event_is_not_expanded(rule: str, stands: bool) -> None:  # noqa: FBT001 - a row
    found = read(event("UID:1", "DTSTART:20260303T070000Z", f"RRULE:{rule}", "SUMMARY:x"))
    assert bool(found.events) is stands
    assert found.problems == (() if stands else ("1 event(s) left out: repeats too often",))


def test_an_event_that_comes_again_and_again_leaves_room_for_the_others() -> None:
    many = [
        event(f"UID:{n}", f"DTSTART:20260303T09{n // 60:02d}{n % 60:02d}Z", "SUMMARY:again")
        for n in range(300)
    ]
    found = read(*many, event("UID:x", "DTSTART:20260303T110000Z", "SUMMARY:other"))
    assert (len(found.events), found.events[-1].title) == (200, "other")
    assert starts(found.events[:2]) == ["09:00", "09:00"]


@pytest.mark.parametrize("more", [(), ("RRULE:FREQ=DAILY",)])
def test_a_time_zone_that_is_not_known_is_told(more: tuple[str, ...]) -> None:
    odd = event("UID:1", "DTSTART;TZID=Nowhere/Atoll:20260303T100000", *more, "SUMMARY:x")
    far = event("UID:2", "DTSTART;TZID=Nowhere/Atoll:20260305T100000", "SUMMARY:x")
    found = read(odd, far, event("UID:3", "DTSTART:20260303T100000", "SUMMARY:y"))
    assert starts(found.events) == ["09:00", "09:00"]
    assert found.problems == ("1 event(s) in a time zone unknown here, taken for the home's",)


@pytest.mark.parametrize("whole", [True, False])
def test_what_the_library_warns_of_reaches_nobody(*, whole: bool) -> None:
    one = event("UID:1", "DTSTART;TZID=/example.org/20260101/Europe/Vienna:20260303T103000", "SUMMARY:Berths")
    torn = () if whole else (event("UID:2", "DTSTART;TZID=(UTC+01:00) Here, There:20260303T103000"),)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert starts(read(one, *torn).events) == ["09:30"]
    assert told == []


def test_one_event_in_two_answers_of_a_server_is_one() -> None:
    one = event("UID:1", "DTSTART:20260303T090000Z", "SUMMARY:x")
    assert len(read_raw(calendar(one) + calendar(one)).events) == 1


def test_too_large_a_text_and_too_many_events_are_named() -> None:
    assert "at most 16,000,000" in read_raw(b"x" * 16_000_001).problems[0]
    many = [event(f"UID:{n}", f"DTSTART:20260303T09{n // 60:02d}{n % 60:02d}Z") for n in range(300)]
    found = read(*many)
    assert (len(found.events), found.problems) == (200, ("more than 200 events in these hours",))


def test_an_event_with_thousands_of_attendees_is_broken() -> None:
    crowd = [f"ATTENDEE:mailto:n{n}@example.org" for n in range(2_500)]
    assert read(event("UID:1", "DTSTART:20260303T090000Z", *crowd)).problems == (
        "1 event(s) left out: broken",
    )


def test_alarms_and_folded_lines_and_zones_of_the_calendars_own_are_read_as_meant() -> None:
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:Harbour\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0300\r\n"
        "TZOFFSETTO:+0300\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    alarm = "BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nSUMMARY:not this\r\nEND:VALARM"
    raw = calendar(
        event("UID:1", "DTSTART;TZID=Harbour:20260303T120000", alarm, "SUMMARY:Long\r\n  name"), before=zone
    )
    (one,) = read_raw(raw).events
    assert (one.title, starts([one])) == ("Long name", ["09:00"])


def test_a_zone_that_one_calendar_defines_is_unknown_in_the_next() -> None:
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:Pier\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0300\r\n"
        "TZOFFSETTO:+0300\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    at_noon = event("UID:1", "DTSTART;TZID=Pier:20260303T120000", "SUMMARY:a")
    assert starts(read_raw(calendar(at_noon, before=zone)).events) == ["09:00"]
    found = read_raw(calendar(at_noon))
    assert (starts(found.events), len(found.problems)) == (["11:00"], 1)


pieces = st.sampled_from(
    ["BEGIN:VCALENDAR", "END:VCALENDAR", "BEGIN:VEVENT", "END:VEVENT", "DTSTART:20260303T090000Z", "DTSTART:x",
     "DTSTART;VALUE=DATE:20260303", "DTEND:20260303T080000Z", "RRULE:FREQ=DAILY", "RRULE:", "SUMMARY:a", "UID:1",
     "BEGIN:VALARM", "END:VALARM", "BEGIN:VTIMEZONE", "END:VTIMEZONE", "EXDATE:1", "RECURRENCE-ID:20260303T090000Z",
     "DURATION:-P1D", "ORGANIZER:", "ATTENDEE;PARTSTAT:x", " folded", ":", "\x00", "STATUS:CANCELLED"]
)  # fmt: skip


@given(st.lists(pieces, max_size=25))
def test_no_text_ends_in_an_exception(lines: list[str]) -> None:
    found = read_raw("\r\n".join(["BEGIN:VCALENDAR", *lines]).encode())
    assert all(one.ends_at >= one.starts_at for one in found.events)


def test_where_the_library_breaks_on_a_whole_it_is_asked_event_by_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from icalendar import Calendar

    whole: Any = Calendar.from_ical

    def fragile(text: str, *, multiple: bool = False) -> object:
        if text.count("BEGIN:VEVENT") > 1 or "breaks" in text:
            raise ValueError(text)
        return whole(text, multiple=multiple)

    monkeypatch.setattr(Calendar, "from_ical", fragile)
    found = read(
        *(event(f"UID:{n}", "DTSTART:20260303T090000Z", f"SUMMARY:{n}") for n in ("a", "b", "breaks"))
    )
    assert [one.title for one in found.events] == ["a", "b"]
    assert found.problems == ("1 event(s) left out: broken",)


def test_where_a_series_breaks_the_expansion_the_others_are_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    import recurring_ical_events

    whole: Any = recurring_ical_events.of

    def fragile(calendar: Any, **options: Any) -> Any:
        if "breaks" in calendar.to_ical().decode():
            raise ArithmeticError
        return whole(calendar, **options)

    monkeypatch.setattr(recurring_ical_events, "of", fragile)
    found = read(*(event(f"UID:{n}", "DTSTART:20260303T090000Z", f"SUMMARY:{n}") for n in ("a", "breaks")))
    assert [one.title for one in found.events] == ["a"]
    assert found.problems == ("1 event(s) left out: broken",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "before", [pytest.param("", marks=pytest.mark.slow), "BEGIN:VEVENT\nDTSTART:x\nRRULE:y\nEND:VEVENT\n"]
)
def test_many_rules_that_repeat_often_are_expanded_up_to_a_bound(before: str) -> None:
    hourly = ("DTSTART:20200101T120000Z", "RRULE:FREQ=HOURLY")
    series = [event(f"UID:{n}", *hourly) for n in range(60)]
    (problem,) = (one for one in read(before, *series).problems if "too often" in one)
    assert int(problem.split(" ")[0]) > 50

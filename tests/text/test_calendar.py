"""Events of iCalendar texts, good, odd, broken and hostile."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.rows import each_row, from_corpus

from nightledger.domain.staging import Event
from nightledger.text.calendar import Read, Reading, owner_addresses, read_events

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


ANN, BOB, EVE = ("mailto:ann@example.org", "mailto:bob@example.org", "mailto:eve@example.org")
AT_NINE = ("UID:1", "DTSTART:20260303T090000Z", "SUMMARY:x")
ZONE = (
    "BEGIN:VTIMEZONE\r\nTZID:Harbour\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0300\r\n"
    "TZOFFSETTO:+0300\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
)
UNKNOWN = "1 event in a time zone unknown here, taken for the home's"


@from_corpus("text-calendar")
def test_events_are_told_in_utc_as_the_calendar_says(events: list[tuple[str, ...]], told: list[str]) -> None:
    found = read(*(event(*one) for one in events))
    assert (starts(found.events), found.problems) == (told, ())


@each_row(
    ("lines", "calendar_is_own", "own"),
    [
        ([f"ORGANIZER:{ANN}"], False, True),
        ([f"ORGANIZER:{BOB}"], False, False),
        ([f"ORGANIZER:{BOB}", f"ATTENDEE;PARTSTAT=ACCEPTED:{ANN}"], False, True),
        ([f"ATTENDEE;PARTSTAT=ACCEPTED:{EVE}", f"ATTENDEE:{ANN}"], False, False),
        ([], False, False),
        ([], True, True),
        ([f"ORGANIZER:{BOB}"], True, False),
        ([f"ATTENDEE;PARTSTAT=DECLINED:{ANN}", f"ATTENDEE;PARTSTAT=ACCEPTED:{ANN}"], False, True),
        ([f"ATTENDEE;PARTSTAT=declined:{ANN.upper()}", f"ATTENDEE;PARTSTAT=ACCEPTED:{EVE}"], False, None),
    ],
)
def test_an_event_is_the_owners_own_where_they_organised_or_accepted_it_and_gone_where_they_declined(
    lines: list[str],
    calendar_is_own: bool,  # noqa: FBT001 - a row
    own: bool | None,  # noqa: FBT001 - a row
) -> None:
    found = read(event(*AT_NINE, *lines), own=calendar_is_own)
    assert ([one.own for one in found.events], found.problems) == ([] if own is None else [own], ())


def test_titles_are_one_line_of_eighty_characters_and_nothing_else_comes_through() -> None:
    lines = (
        "DESCRIPTION:secret plan",
        "LOCATION:secret pier",
        "URL:https://secret.example",
        f"ATTENDEE:{EVE}",
    )
    alarm = "BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nSUMMARY:secret alarm\r\nEND:VALARM"
    long = event(
        "DTSTART:20260303T090000Z", alarm, "SUMMARY:" + "Long\\n ti\r\n tle " * 20, *lines, "SUMMARY:secret"
    )
    (one,) = read(long).events
    assert one.title.startswith("Long title Long")
    assert len(one.title) <= 80
    assert "secret" not in repr(one)
    assert "eve@" not in repr(one)


BROKEN = [
    event("UID:2", "DTSTART:bogus"),
    event("UID:3", "SUMMARY:no start"),
    event("UID:4", "DTSTART:20260303T090000Z", "RRULE:FREQ=SOMETIMES"),
    event("UID:5", "DTSTART:00010101T000000Z", "RRULE:FREQ=YEARLY"),
    event("UID:6", "DTSTART;VALUE=TIME:090000"),
    event("UID:7", "DTSTART:20260303T090000Z", *(f"ATTENDEE:mailto:n{n}@example.org" for n in range(2_500))),
    "BEGIN:VEVENT\r\nDTSTART:20260303T090000Z\r\n",
]


@pytest.mark.parametrize("order", [1, -1])
def test_broken_events_are_counted_and_the_others_are_read(order: int) -> None:
    found = read(*[event(*AT_NINE), *BROKEN][::order])
    assert starts(found.events) == ["09:00"]
    assert found.problems == (f"{len(BROKEN)} events left out: broken",)


@each_row(
    ("lines", "problems"),
    [
        (ZONE, ()),
        ("", (UNKNOWN,)),
        (ZONE.replace("END:STANDARD\r\n", ""), (UNKNOWN,)),
        (ZONE.replace("BEGIN:STANDARD\r\n", ""), (UNKNOWN,)),
        (
            ZONE.replace("BEGIN:STANDARD", "END:VTODO\r\nBEGIN:VTODO\r\nSUMMARY:hidden\r\nEND:VTODO"),
            (UNKNOWN,),
        ),
    ],
)
def test_a_zone_is_the_calendars_own_and_one_in_disorder_takes_no_event_along(
    lines: str, problems: tuple[str, ...]
) -> None:
    there = event("UID:a", "DTSTART;TZID=Harbour:20260303T120000", "RRULE:FREQ=DAILY", "SUMMARY:there")
    found = read_raw(calendar(event(*AT_NINE), there, before=lines))
    assert sorted(one.title for one in found.events) == ["there", "x"]
    assert (starts(found.events), found.problems) == (["09:00", "11:00" if problems else "09:00"], problems)


@from_corpus("text-calendar")
def test_what_repeats_too_often_or_never_is_named_and_not_expanded(
    start: str,
    rule: str,
    stands: bool,  # noqa: FBT001 - a row
) -> None:
    found = read(event("UID:1", f"DTSTART:{start}T090000Z", f"RRULE:{rule}", "SUMMARY:x"))
    assert bool(found.events) is stands
    assert found.problems == (() if stands else ("1 event left out: repeats too often",))

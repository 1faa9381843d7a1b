"""Events of iCalendar texts, good, odd, broken and hostile."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.rows import each_row, from_corpus

from nightledger.text.calendar import Read, Reading, owner_addresses, read_events

NOW = datetime(2026, 3, 3, 8, 0, tzinfo=UTC)  # 09:00 in Berlin
AT_NINE = ("UID:1", "DTSTART:20260303T090000Z", "SUMMARY:x")


def event(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT", ""])


def read(*events: str, own: bool = False, before: str = "") -> Read:
    text = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{before}{''.join(events)}END:VCALENDAR\r\n"
    how = Reading(
        name="work", zone=ZoneInfo("Europe/Berlin"), since=NOW, until=NOW + timedelta(hours=4),
        addresses=owner_addresses(["Ann@Example.org"]), own=own,
    )  # fmt: skip
    return read_events(text.encode(), how)


def starts(found: Read) -> list[str]:
    return [f"{one.starts_at:%H:%M}" for one in found.events]


@from_corpus("text-calendar")
def test_events_are_told_in_utc_as_the_calendar_says(events: list[tuple[str, ...]], told: list[str]) -> None:
    found = read(*(event(*one) for one in events))
    assert (starts(found), found.problems) == (told, ())


@from_corpus("text-calendar")
def test_an_event_is_the_owners_own_where_they_organised_or_accepted_it_and_gone_where_they_declined(
    lines: list[str],
    calendar_is_own: bool,  # noqa: FBT001 - a row
    own: bool | None,  # noqa: FBT001 - a row
) -> None:
    found = read(event(*AT_NINE, *lines), own=calendar_is_own)
    assert ([one.own for one in found.events], found.problems) == ([] if own is None else [own], ())


def test_titles_are_one_line_of_eighty_characters_and_nothing_else_comes_through() -> None:
    lines = (
        "DTSTART:20260303T090000Z", "BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nSUMMARY:secret alarm\r\nEND:VALARM",
        "SUMMARY:" + "Long\\n ti\r\n tle " * 20, "DESCRIPTION:secret plan", "LOCATION:secret pier",
        "URL:https://secret.example", "ATTENDEE:mailto:eve@example.org", "SUMMARY:secret",
    )  # fmt: skip
    (one,) = read(event(*lines)).events
    assert one.title.startswith("Long title Long")
    assert len(one.title) <= 80
    assert not any(word in repr(one) for word in ("secret", "eve@"))


BROKEN = [
    event("UID:2", "DTSTART:bogus"),
    event("UID:3", "SUMMARY:no start"),
    event("UID:4", "DTSTART:20260303T090000Z", "RRULE:FREQ=SOMETIMES"),
    event("UID:5", "DTSTART:00010101T000000Z", "RRULE:FREQ=YEARLY"),
    event("UID:6", "DTSTART;VALUE=TIME:090000"),
    event("UID:7", "DTSTART:20260303T090000Z", *(f"ATTENDEE:mailto:n{n}@example.org" for n in range(2_500))),
    "BEGIN:VEVENT\r\nDTSTART:20260303T090000Z\r\n",
]


@each_row("order", [1, -1])
def test_broken_events_are_counted_and_the_others_are_read(order: int) -> None:
    found = read(*[event(*AT_NINE), *BROKEN][::order])
    assert (starts(found), found.problems) == (["09:00"], (f"{len(BROKEN)} events left out: broken",))


@from_corpus("text-calendar")
def test_a_zone_is_the_calendars_own_and_one_in_disorder_takes_no_event_along(
    lines: str, problems: list[str]
) -> None:
    there = event("UID:a", "DTSTART;TZID=Harbour:20260303T120000", "RRULE:FREQ=DAILY", "SUMMARY:there")
    found = read(event(*AT_NINE), there, before=lines)
    assert sorted(one.title for one in found.events) == ["there", "x"]
    assert starts(found) == ["09:00", "11:00" if problems else "09:00"]
    assert [*found.problems] == problems


@from_corpus("text-calendar")
def test_what_repeats_too_often_or_never_is_named_and_not_expanded(
    start: str,
    rule: str,
    stands: bool,  # noqa: FBT001 - a row
) -> None:
    found = read(event("UID:1", f"DTSTART:{start}T090000Z", f"RRULE:{rule}", "SUMMARY:x"))
    problems = () if stands else ("1 event left out: repeats too often",)
    assert (bool(found.events), found.problems) == (stands, problems)

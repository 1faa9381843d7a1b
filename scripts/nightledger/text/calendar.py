"""Events of an iCalendar text (RFC 5545) in the next hours, by ``icalendar`` and ``recurring-ical-events``.

Titles and times alone are read: no description, place, attendee or link goes any further. A time
without a zone is one of the home's wall clock, and so is a day. Events whose own dates say that they are
over or far ahead are dropped before anything parses them: of a long calendar that is nearly all.

Invariant: whatever the text is, the answer is events and named problems, never an exception of a
library. What repeats too often, or too much in one text, is named and left out before it is expanded.
"""

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from math import prod
from typing import Any

from msgspec import Struct

from nightledger.domain.staging import Event
from nightledger.domain.words import count_of
from nightledger.text.visible import cut, one_line

MAX_CALENDAR_BYTES = 16_000_000
"""Twenty years of a busy calendar; a larger text is named and left out."""
TITLE_CHARACTERS = 80
"""DESIGN, issue 4: of a title written by strangers no more is read; of an own one neither."""
MAX_EVENTS = 200
"""In a few hours; more is no calendar of a person."""
MAX_LINES = 2_000
"""Of one event, attendees among them; more is no event."""
MAX_STEPS, MAX_ALL_STEPS = 100_000, 1_500_000
"""Repetitions of one rule, and of all of a text, from their start to now: hourly for eleven years, two hundred daily series
for twenty. All of them take some five seconds."""
_DAYS = {"HOURLY": 1 / 24, "DAILY": 1, "WEEKLY": 7, "MONTHLY": 30.4, "YEARLY": 365.25}
"""Days of a step. What repeats by the minute or second is nobody's event."""
_ALWAYS_DAYS = 28
"""Days that every month has."""
_WIDE = timedelta(days=1)
"""What has no zone may lie in the home's; what lies outside then is left out at the end."""
_MARGIN = timedelta(days=3)
"""Of dates alone: zones differ by a day, and an all-day event ends on the day after its last."""
_FLAGS = re.MULTILINE | re.IGNORECASE
_FOLD = re.compile(r"\r?\n[ \t]")
_BEGIN, _END = re.compile(r"^BEGIN:VEVENT\s*\n", _FLAGS), re.compile(r"^END:VEVENT\s*$", _FLAGS)
_REPEATS = re.compile(r"^(?:RRULE|RDATE|RECURRENCE-ID|DURATION)[:;]", _FLAGS)
_DATE = re.compile(r"^DT(?:START|END)[:;](?:.*:)?(\d{8})(?:T.*|\s*)$", _FLAGS)
_STARTS = re.compile(r"^DT(?:START|END)[:;]", _FLAGS)
_MAILTO = re.compile(r"^mailto:", re.IGNORECASE)


class Reading(Struct, frozen=True, kw_only=True):
    """How a calendar is read.

    Attributes:
        name: What the operator calls it.
        zone: The home's.
        since: From when; aware, UTC.
        until: Until when; aware, UTC.
        addresses: Mail addresses of the owner, lower case.
        own: Whether nobody but the owner writes in it: then an event without an organiser is theirs.
    """

    name: str
    zone: tzinfo
    since: datetime
    until: datetime
    addresses: frozenset[str] = frozenset()
    own: bool = False


class Read(Struct, frozen=True, kw_only=True):
    """What a calendar says.

    Attributes:
        events: Those that touch the time, by their start.
        problems: What could not be read, each a sentence that holds nothing of the calendar's text.
    """

    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()


def read_events(raw: bytes, how: Reading) -> Read:
    """Return the events of a text of iCalendar.

    Args:
        raw: Its bytes.
        how: Which calendar, and from when to when.
    """
    if len(raw) > MAX_CALENDAR_BYTES:
        return Read(events=(), problems=(f"has {len(raw):,} bytes; at most {MAX_CALENDAR_BYTES:,} are read",))
    text = _FOLD.sub("", raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    text = "\n".join([*text.splitlines(), ""])
    head, *bodies = _BEGIN.split(text)
    if "BEGIN:VCALENDAR" not in head.upper():
        return Read(events=(), problems=("is no iCalendar text",))
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the libraries' quote the calendar, and would end in an operator's mail
        events, problems = _read(text, bodies, how)
    if len(events) > MAX_EVENTS:
        problems.append(f"more than {MAX_EVENTS} events in these hours")
    return Read(events=tuple(events[:MAX_EVENTS]), problems=tuple(problems))


def _read(text: str, bodies: Sequence[str], how: Reading) -> tuple[list[Event], list[str]]:
    """Return the events in their order, each once, and what could not be read."""
    left_out: Counter[str] = Counter()
    zones = _parse_zones(text)
    events: set[Event] = set()
    unknown: set[Event] = set()
    for series in _by_series(bodies, how, left_out).values():
        try:
            found = set(_expand([*zones, *series], how))
        except Exception:  # noqa: BLE001 - a library's expansion of strangers' rules
            left_out["broken"] += 1
            continue
        events |= found
        unknown |= found if any(map(_zone_is_unknown, series)) else set()
    problems = [f"{count_of(count, 'event')} left out: {why}" for why, count in sorted(left_out.items())]
    if unknown:
        problems.append(
            f"{count_of(len(unknown), 'event')} in a time zone unknown here, taken for the home's"
        )
    return sorted(events, key=lambda one: (one.starts_at, one.ends_at, one.title)), problems


def _by_series(bodies: Sequence[str], how: Reading, left_out: Counter[str]) -> dict[str, list[Any]]:
    """Return the events that are to be expanded, by what makes them one series; count the others by why."""
    series: defaultdict[str, list[Any]] = defaultdict(list)
    total = 0
    for n, body in enumerate(bodies):
        end = _END.search(body)
        lines = body[: end.start()] if end else ""
        is_whole = end is not None and lines.count("\n") <= MAX_LINES
        if is_whole and not _may_touch(lines, how):
            continue
        event, steps, why = _parse_event(lines, how.until) if is_whole else (None, 0, "broken")
        if not why and total + steps > MAX_ALL_STEPS:
            why = "repeats too often"
        if event is None or why:
            left_out[why] += 1
        else:
            total += steps
            series[str(event.get("UID", n))].append(event)
    return series


def _may_touch(event: str, how: Reading) -> bool:
    """Tell whether an event may touch the time: whatever repeats, or tells its dates in another way, may."""
    days: list[str] = _DATE.findall(event)
    if not days or len(days) != len(_STARTS.findall(event)) or _REPEATS.search(event):
        return True
    return min(days) <= f"{how.until + _MARGIN:%Y%m%d}" and max(days) >= f"{how.since - _MARGIN:%Y%m%d}"


def _parse_zones(text: str) -> list[Any]:
    from icalendar import Calendar
    from icalendar.timezone import tzp

    tzp.use_default()  # forgets the zones that calendars read before it have defined: their words are not this one's
    zones: list[Any] = []
    for zone in text.split("BEGIN:VTIMEZONE\n")[1:]:
        whole = f"BEGIN:VTIMEZONE\n{zone.partition('END:VTIMEZONE')[0]}END:VTIMEZONE"
        try:
            zones += Calendar.from_ical(f"BEGIN:VCALENDAR\n{whole}\nEND:VCALENDAR\n").subcomponents
        except Exception:  # noqa: BLE001, S112 - a library's parser of strangers' bytes: the zone is unknown then
            continue
    return zones


def _parse_event(lines: str, until: datetime) -> tuple[Any, int, str]:
    """Return an event, the steps of its rules, and why it is not to be expanded; "" where it is."""
    from icalendar import Event as Component

    try:
        event: Any = Component.from_ical(f"BEGIN:VEVENT\n{lines}END:VEVENT\n")
        start = event["DTSTART"].dt
        ends = event["DTEND"].dt if "DTEND" in event else start
        if not all(
            isinstance(at, date) and date.min.year + 1 < at.year < date.max.year for at in (start, ends)
        ):
            return event, 0, "broken"
        steps = [_steps(rule, start, until) for rule in _all_of(event, "RRULE")]
    except Exception:  # noqa: BLE001 - the library raises its own errors for what it could not read
        return None, 0, "broken"
    return event, sum(steps), "repeats too often" if max(steps, default=0) > MAX_STEPS else ""


def _steps(rule: Any, start: date, until: datetime) -> int:
    """Return about how many steps a rule takes from its start until a time, what it expands to included."""
    days = _DAYS.get(str(rule["FREQ"][0]).upper())
    if days is None:
        return MAX_STEPS + 1
    if _may_never_come(rule):  # stepped through until the year 9999
        return MAX_STEPS if days >= _DAYS["MONTHLY"] else MAX_STEPS + 1
    step = days * max(1, int(rule.get("INTERVAL", [1])[0]))
    within = prod(
        len(values) for name, values in rule.items() if name.startswith("BY") and isinstance(values, list)
    )
    return int(max(0, until.toordinal() - start.toordinal()) / step + 1) * within


def _may_never_come(rule: Any) -> bool:
    """Tell whether the days that a rule names may have none in common, as the 30th of February and the sixth Monday."""
    parts = {name for name in rule if name.startswith("BY")} - {"BYHOUR", "BYMINUTE", "BYSECOND"}
    if parts <= {"BYDAY", "BYMONTH"} and (rule["FREQ"] == ["YEARLY"] or len(parts) < 2):  # noqa: PLR2004 - both
        strides = rule["FREQ"] == ["DAILY"] and "BYDAY" in parts and "INTERVAL" in rule
        return strides or any(re.search(r"[6-9]|\d\d", str(day)) for day in rule.get("BYDAY", []))
    if parts <= {"BYMONTHDAY", "BYMONTH"} and rule["FREQ"] == ["YEARLY"]:
        return any(abs(int(day)) > _ALWAYS_DAYS for day in rule["BYMONTHDAY"])
    return parts != {"BYMONTHDAY"}


def _expand(components: Sequence[Any], how: Reading) -> Iterator[Event]:
    """Give the occurrences that count."""
    import recurring_ical_events
    from icalendar import Calendar

    calendar = Calendar()
    calendar.subcomponents[:] = components
    found = recurring_ical_events.of(calendar, components=["VEVENT"]).between(
        how.since - _WIDE, how.until + _WIDE
    )
    one: Any
    for one in found:
        if str(one.get("STATUS", "")).upper() == "CANCELLED" or _is_declined(one, how):
            continue
        start, end = one["DTSTART"].dt, one["DTEND"].dt
        starts_at = _utc(start, how.zone)
        ends_at = max(_utc(end, how.zone), starts_at)
        if starts_at < how.until and (ends_at > how.since or starts_at >= how.since):
            yield Event(
                title=cut(one_line(str(next(iter(_all_of(one, "SUMMARY")), ""))), TITLE_CHARACTERS),
                starts_at=starts_at,
                ends_at=ends_at,
                all_day=not isinstance(start, datetime),
                calendar=how.name,
                own=_is_own(one, how),
            )


def _zone_is_unknown(event: Any) -> bool:
    """Tell whether the library gave up a zone that a start names: then the time has none."""
    start = event["DTSTART"]
    return "TZID" in start.params and isinstance(start.dt, datetime) and start.dt.tzinfo is None


def _utc(moment: date | datetime, zone: tzinfo) -> datetime:
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time.min)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC).replace(microsecond=0)


def _is_own(event: Any, how: Reading) -> bool:
    organiser = event.get("ORGANIZER")
    answers = _answers(event, how)
    if organiser is None and "ATTENDEE" not in event:
        return how.own
    return "ACCEPTED" in answers or (organiser is not None and _address(organiser) in how.addresses)


def _is_declined(event: Any, how: Reading) -> bool:
    """Tell whether the owner answered no, and with none of their addresses anything else."""
    return _answers(event, how) == {"DECLINED"}


def _answers(event: Any, how: Reading) -> set[str]:
    mine = (one for one in _all_of(event, "ATTENDEE") if _address(one) in how.addresses)
    return {str(getattr(one, "params", {}).get("PARTSTAT", "")).upper() for one in mine}


def _all_of(event: Any, name: str) -> list[Any]:
    """Return all properties of a name; the library gives one as itself, more as a list."""
    found = event.get(name, [])
    return found if isinstance(found, list) else [found]


def _address(value: object) -> str:
    return _MAILTO.sub("", str(value).strip()).lower()


def owner_addresses(addresses: Collection[str]) -> frozenset[str]:
    """Return mail addresses as they are compared."""
    return frozenset(_address(one) for one in addresses)

"""Events of an iCalendar text (RFC 5545) in the next hours, by ``icalendar`` and ``recurring-ical-events``.

Titles and times alone are read: no description, place, attendee or link goes any further. A time
without a zone is one of the home's wall clock, and so is a day.

Invariant: whatever the text is, the answer is events and named problems, never an exception of a
library; a rule of repetition that would take a machine minutes to expand is named and left out
before anything expands it.
"""

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from nightledger.domain.staging.values import Event
from nightledger.text.quoting import cut, one_line
from nightledger.text.staging.thinning import Thinned, thin

if TYPE_CHECKING:
    from icalendar import Calendar, Component

MAX_CALENDAR_BYTES = 16_000_000
"""Twenty years of a busy calendar; a larger text is named and left out."""
TITLE_CHARACTERS = 80
"""DESIGN, issue 4: of a title written by strangers no more is read; of an own one neither."""
MAX_EVENTS = 200
"""In a few hours; more is no calendar of a person."""
MAX_REPETITIONS = 200_000
"""Occurrences of one rule from its start to now: hourly for twenty years. Above it is left out."""
MAX_ALL_REPETITIONS = 400_000
"""Of all rules of a text: fifty series of every day for twenty years. What comes above it is left out."""
LEAST_STEP_S = 300
"""A rule that repeats more often is nobody's event, and takes seconds to expand for a few hours."""
_FINER = {"BYSECOND": 1, "BYMINUTE": 60, "BYHOUR": 3600}
"""What repeats within a step that is longer than this, in seconds (RFC 5545, 3.3.10, the table of BYxxx)."""
_NO_ZONE = "X-NIGHTLEDGER-ZONE"
"""Put by us on an event whose time zone is not known; thinning keeps no such property of a calendar."""
_SECONDS = {
    "SECONDLY": 1, "MINUTELY": 60, "HOURLY": 3600, "DAILY": 86_400, "WEEKLY": 604_800, "MONTHLY": 2_629_800,
    "YEARLY": 31_557_600,
}  # fmt: skip
_EXPANDING = (
    "BYSECOND",
    "BYMINUTE",
    "BYHOUR",
    "BYDAY",
    "BYMONTHDAY",
    "BYYEARDAY",
    "BYWEEKNO",
    "BYMONTH",
    "BYSETPOS",
)
_NEVER = 4000
"""The calendar ends in the year 9999; dates are kept this far from it, and from the year 1, in days."""
_WIDE = timedelta(days=1)
"""What has no zone may lie in the home's; what lies outside then is left out at the end."""
_MAILTO = re.compile(r"^mailto:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a calendar says.

    Attributes:
        events: Those that touch the time, by their start.
        problems: What could not be read, each a sentence that holds nothing of the calendar's text.
    """

    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()


def read_events(raw: bytes, how: Reading) -> Read:
    """Give the events of a text of iCalendar.

    Args:
        raw: Its bytes.
        how: Which calendar, and from when to when.
    """
    if len(raw) > MAX_CALENDAR_BYTES:
        return Read(events=(), problems=(f"has {len(raw):,} bytes; at most {MAX_CALENDAR_BYTES:,} are read",))
    text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    thinned = thin(text, how.since - _WIDE, how.until + _WIDE)
    if not thinned.whole:
        return Read(events=(), problems=("is no iCalendar text",))
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the library's quote the calendar, and would end in an operator's mail
        events, unknown, left_out = _read(thinned, how)
    unique = {(one.starts_at, one.ends_at, one.title, one.calendar): one for one in events}
    ordered = [unique[key] for key in sorted(unique)]
    problems = [f"{count} event(s) left out: {why}" for why, count in sorted(left_out.items()) if count]
    problems += (
        [f"{len(unknown)} event(s) in a time zone unknown here, taken for the home's"] if unknown else []
    )
    problems += [f"more than {MAX_EVENTS} events in these hours"] if len(ordered) > MAX_EVENTS else []
    return Read(events=_fairly(ordered), problems=tuple(problems))


def _read(thinned: Thinned, how: Reading) -> tuple[list[Event], set[Event], Counter[str]]:
    """Give the events, those of them in a time zone that is unknown, and what was left out, by why."""
    calendars, broken = _parse(thinned)
    left_out: Counter[str] = Counter({"broken": thinned.torn + broken})
    events: list[Event] = []
    unknown: set[Event] = set()
    steps = 0
    for calendar in calendars:
        taken_out, steps = _leave_out(calendar, how.until, steps)
        left_out += taken_out
        found, bad = _occurrences(calendar, how)
        left_out["broken"] += bad
        events += [event for event, _ in found]
        unknown |= {event for event, zone_is_unknown in found if zone_is_unknown}
    return events, unknown, left_out


def _fairly(ordered: Sequence[Event]) -> tuple[Event, ...]:
    """Give as many events as are read, in their order: each title once before any comes again."""
    times: Counter[str] = Counter()
    turns: list[tuple[int, int]] = []
    for n, event in enumerate(ordered):
        turns.append((times[event.title], n))
        times[event.title] += 1
    return tuple(ordered[n] for n in sorted(n for _, n in sorted(turns)[:MAX_EVENTS]))


def _parse(thinned: Thinned) -> "tuple[list[Calendar], int]":
    """Parse what is left of a text: as a whole, else event by event, and count what is broken."""
    from icalendar import Calendar
    from icalendar.timezone import tzp

    tzp.use_default()  # forgets the zones that calendars read before it have defined: their words are not this one's
    with suppress(
        Exception
    ):  # a library's parser of strangers' bytes: the event that breaks it is found below
        found: list[Any] = Calendar.from_ical(thinned.text(thinned.events), multiple=True)
        return [one for one in found if one.name == "VCALENDAR"], 0
    calendars: list[Calendar] = []
    broken = 0
    for event in thinned.events:
        try:
            calendars += Calendar.from_ical(thinned.text((event,)), multiple=True)
        except Exception:  # noqa: BLE001 - as above
            broken += 1
    return calendars, broken


def _leave_out(calendar: "Calendar", until: datetime, steps: int) -> tuple[Counter[str], int]:
    """Take out of a calendar what is not to be expanded, and count why; add its steps to those of others."""
    counts: Counter[str] = Counter()
    kept = []
    for component in calendar.subcomponents:
        more, why = _why_not(component, until) if component.name == "VEVENT" else (0, "")
        why = why or ("repeats too often" if steps + more > MAX_ALL_REPETITIONS else "")
        steps += 0 if why else more
        if why:
            counts[why] += 1
        else:  # an event or a time zone: nothing else comes through ``thinning.py``
            kept.append(component)
            if component.name == "VEVENT" and _zone_is_unknown(component):
                component[_NO_ZONE] = "unknown"  # it is carried to each occurrence, as a title is
    calendar.subcomponents[:] = kept
    return counts, steps


def _zone_is_unknown(event: Any) -> bool:
    """Tell whether the library gave up a zone that a start names: then the time has none."""
    start = event["DTSTART"]
    return "TZID" in start.params and isinstance(start.dt, datetime) and start.dt.tzinfo is None


def _why_not(event: "Component", until: datetime) -> tuple[int, str]:
    """Give how many steps the rules of an event take, and why it is not to be expanded; "" where it is."""
    try:
        return _judge(event, until)
    except Exception:  # noqa: BLE001 - the library raises its own errors for properties that it could not read
        return 0, "broken"


def _judge(event: Any, until: datetime) -> tuple[int, str]:
    start = event["DTSTART"].dt
    end = event["DTEND"].dt if "DTEND" in event else start
    if not all(_is_of_our_time(moment) for moment in (start, end)):
        return 0, "broken"
    rules = _all_of(event, "RRULE")
    steps = sum(_repetitions(rule, start, until) for rule in rules)
    often = steps > MAX_REPETITIONS or any(_step_s(rule) < LEAST_STEP_S for rule in rules)
    return steps, "repeats too often" if often else ""


def _is_of_our_time(moment: object) -> bool:
    if not isinstance(moment, date):
        return False
    edge = moment.date() if isinstance(moment, datetime) else moment
    return _NEVER < edge.toordinal() < date.max.toordinal() - _NEVER


def _repetitions(rule: Any, start: Any, until: datetime) -> int:
    """Give about how many steps a rule takes from its start until a time, what it expands to included.

    A rule that never comes true is stepped through until the year 9999, so a day and a month that
    never meet count as that many steps.
    """
    seconds, interval = _pace(rule)
    begins = datetime.combine(start, time.min) if not isinstance(start, datetime) else start
    span = (until.replace(tzinfo=None) - begins.replace(tzinfo=None)).total_seconds()
    steps = max(0, int(span / (seconds * interval)))
    if "BYMONTHDAY" in rule and "BYMONTH" in rule and seconds < _SECONDS["MONTHLY"]:
        steps = max(steps, int((9999 - until.year) * 31_557_600 / (seconds * interval)))
    expanded = 1
    for name in _EXPANDING:
        expanded *= _count(rule, name)
    return (steps + 1) * min(expanded, MAX_REPETITIONS)


def _step_s(rule: Any) -> float:
    """Give the seconds between two repetitions, on average over one that expands within the day."""
    seconds, interval = _pace(rule)
    within = 1
    for name, unit in _FINER.items():
        within *= _count(rule, name) if seconds > unit else 1
    return seconds * interval / within


def _pace(rule: Any) -> tuple[int, int]:
    """Give the seconds of a rule's unit, and how many units a step is."""
    seconds = _SECONDS.get(str(next(iter(rule.get("FREQ", [""])), "")).upper(), 1)
    return seconds, max(1, int(next(iter(rule.get("INTERVAL", [1])), 1)))


def _count(rule: Any, name: str) -> int:
    found = rule.get(name, [])
    return max(1, len(found)) if isinstance(found, list) else 1


def _occurrences(calendar: "Calendar", how: Reading) -> tuple[list[tuple[Event, bool]], int]:
    """Expand a calendar; when it cannot be expanded as a whole, series by series."""
    since, until = how.since - _WIDE, how.until + _WIDE
    with suppress(
        Exception
    ):  # a library's expansion of strangers' rules: the series that breaks is found below
        return list(_events(_expand(calendar, since, until), how)), 0
    found: list[tuple[Event, bool]] = []
    broken = 0
    for series in _by_series(calendar):
        try:
            found += _events(_expand(series, since, until), how)
        except Exception:  # noqa: BLE001 - as above
            broken += 1
    return found, broken


def _expand(calendar: "Calendar", since: datetime, until: datetime) -> Iterable[Any]:
    import recurring_ical_events

    found: list[Any] = recurring_ical_events.of(calendar, components=["VEVENT"]).between(since, until)
    return found


def _by_series(calendar: "Calendar") -> "Iterator[Calendar]":
    from icalendar import Calendar

    zones = [one for one in calendar.subcomponents if one.name == "VTIMEZONE"]
    by_uid: dict[str, list[Any]] = {}
    for n, event in enumerate(one for one in calendar.subcomponents if one.name == "VEVENT"):
        by_uid.setdefault(str(event.get("UID", n)), []).append(event)
    for events in by_uid.values():
        series = Calendar()
        series.subcomponents[:] = [*zones, *events]
        yield series


def _events(found: Iterable[Any], how: Reading) -> Iterator[tuple[Event, bool]]:
    """Give the events that count, each with whether its time zone is unknown."""
    for one in found:
        if str(one.get("STATUS", "")).upper() == "CANCELLED" or _is_declined(one, how):
            continue
        start, end = one["DTSTART"].dt, one["DTEND"].dt
        starts_at = _utc(start, how.zone)
        ends_at = max(_utc(end, how.zone), starts_at)
        if starts_at < how.until and (ends_at > how.since or starts_at >= how.since):
            event = Event(
                title=cut(one_line(str(next(iter(_all_of(one, "SUMMARY")), ""))), TITLE_CHARACTERS),
                starts_at=starts_at,
                ends_at=ends_at,
                all_day=not isinstance(start, datetime),
                calendar=how.name,
                own=_is_own(one, how),
            )
            yield event, _NO_ZONE in one


def _utc(moment: date | datetime, zone: tzinfo) -> datetime:
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time.min)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC).replace(microsecond=0)


def _is_own(event: Any, how: Reading) -> bool:
    organiser = event.get("ORGANIZER")
    invited = _all_of(event, "ATTENDEE")
    if organiser is None and not invited:
        return how.own
    if organiser is not None and _address(organiser) in how.addresses:
        return True
    return any(_address(one) in how.addresses and _answer(one) == "ACCEPTED" for one in invited)


def _is_declined(event: Any, how: Reading) -> bool:
    """Tell whether the owner answered no, and with none of their addresses anything else."""
    answers = {_answer(one) for one in _all_of(event, "ATTENDEE") if _address(one) in how.addresses}
    return answers == {"DECLINED"}


def _all_of(event: Any, name: str) -> list[Any]:
    """Give all properties of a name; the library gives one as itself, more as a list."""
    found = event.get(name, [])
    return found if isinstance(found, list) else [found]


def _address(value: object) -> str:
    return _MAILTO.sub("", str(value).strip()).lower()


def _answer(attendee: Any) -> str:
    return str(getattr(attendee, "params", {}).get("PARTSTAT", "")).upper()


def owner_addresses(addresses: Collection[str]) -> frozenset[str]:
    """Give mail addresses as they are compared."""
    return frozenset(_address(one) for one in addresses)

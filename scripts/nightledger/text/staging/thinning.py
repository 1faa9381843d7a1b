"""What of an iCalendar text is worth parsing (RFC 5545): few properties of the events that may touch the time.

Twenty years of a calendar are thousands of events, and each costs a parser a millisecond; all but a
few are over, which two dates tell. Descriptions, places, links and alarms are dropped here, unread.

Invariant: an event is dropped only where its own dates say that it is over or far ahead; whatever
repeats, or tells its dates in another way, stays.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_FOLD = re.compile(r"\r?\n[ \t]")
_NAME = re.compile(r"([A-Za-z0-9-]+)[:;]")
_DAY = re.compile(r":(\d{8})(?:T|\s*$)")
_KEPT = frozenset(
    {
        "UID", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "SUMMARY",
        "STATUS", "ORGANIZER", "ATTENDEE", "SEQUENCE",
    }
)  # fmt: skip
_REPEATING = frozenset({"RRULE", "RDATE", "RECURRENCE-ID", "DURATION"})
_MARGIN = timedelta(days=2)
"""Zones differ by a day; an all-day event ends on the day after its last."""
MAX_PROPERTIES = 2_000
"""Of one event, attendees among them; more is no event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinned:
    """What is left of a text.

    Attributes:
        whole: Whether it is a calendar at all.
        zones: Lines of its time zones.
        events: Lines of each event that is left.
        torn: Events that never end, or have too many properties.
    """

    whole: bool
    zones: tuple[str, ...]
    events: tuple[tuple[str, ...], ...]
    torn: int

    def text(self, events: Iterable[Sequence[str]]) -> str:
        """Give a calendar of these events, with the time zones."""
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:nightledger", *self.zones]
        for event in events:
            lines += ["BEGIN:VEVENT", *event, "END:VEVENT"]
        return "\r\n".join([*lines, "END:VCALENDAR", ""])


def thin(text: str, since: datetime, until: datetime) -> Thinned:
    """Give what of a text may touch a time.

    Args:
        text: Of a calendar, or anything else.
        since: From when; aware.
        until: Until when; aware.
    """
    reader = _Reader(first=f"{since - _MARGIN:%Y%m%d}", last=f"{until + _MARGIN:%Y%m%d}")
    for line in _FOLD.sub("", text).splitlines():
        reader.read(line)
    return Thinned(
        whole=reader.seen,
        zones=tuple(reader.zones),
        events=tuple(reader.events),
        torn=reader.torn + (reader.event is not None),
    )


class _Reader:
    """Goes through the lines of a text once."""

    def __init__(self, first: str, last: str) -> None:
        self.first, self.last = first, last
        self.seen = False
        self.zones: list[str] = []
        self.events: list[tuple[str, ...]] = []
        self.event: list[str] | None = None
        self.torn = 0
        self._zone: list[str] | None = None
        self._depth = 0

    def read(self, line: str) -> None:
        upper = line.strip().upper()
        if upper == "BEGIN:VEVENT":
            self.torn += self.event is not None
            self.event, self._depth, self._zone = [], 0, None
        elif self._zone is not None:
            self._in_zone(self._zone, line, upper)
        elif self.event is not None:
            self._in_event(self.event, line, upper)
        elif upper == "BEGIN:VTIMEZONE":
            self._zone = [line]
        elif upper == "BEGIN:VCALENDAR":
            self.seen = True

    def _in_zone(self, zone: list[str], line: str, upper: str) -> None:
        zone.append(line)
        if upper == "END:VTIMEZONE":
            self.zones += zone if _is_whole(zone) else []
            self._zone = None

    def _in_event(self, event: list[str], line: str, upper: str) -> None:
        if upper == "END:VEVENT":
            if len(event) > MAX_PROPERTIES:
                self.torn += 1
            elif self._may_touch(event):
                self.events.append(tuple(event))
            self.event = None
        elif upper.startswith("BEGIN:"):
            self._depth += 1
        elif upper.startswith("END:"):
            self._depth = max(0, self._depth - 1)
        elif not self._depth and len(event) <= MAX_PROPERTIES:
            name = _NAME.match(line)
            if name is not None and name[1].upper() in _KEPT:
                event.append(line)

    def _may_touch(self, event: Sequence[str]) -> bool:
        days: dict[str, str] = {}
        for line in event:
            name = line.split(":", 1)[0].split(";", 1)[0].upper()
            if name in _REPEATING:
                return True
            if name in ("DTSTART", "DTEND"):
                day = _DAY.search(line)
                if day is None:
                    return True
                days[name] = day[1]
        start = days.get("DTSTART")
        return start is None or (start <= self.last and days.get("DTEND", start) >= self.first)


def _is_whole(zone: Iterable[str]) -> bool:
    """Tell whether every part of a time zone ends where it must; else it would take in what stands behind it."""
    opened: list[str] = []
    for line in zone:
        word, _, name = line.strip().upper().partition(":")
        if word == "BEGIN":
            opened.append(name)
        elif word == "END" and (not opened or opened.pop() != name):
            return False
    return not opened

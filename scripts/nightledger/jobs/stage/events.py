"""Events of the next hours, and the documents that search finds for them and for routines."""

import re
from collections.abc import Iterator

from nightledger.domain.finding import Severity
from nightledger.domain.proposal import Origin
from nightledger.domain.staging.values import Candidate, Event, Source
from nightledger.jobs.stage.inquiry import Inquiry, document
from nightledger.text.scanners.scan import scan

_MARKS = re.compile('["\u201c-\u201f\u00ab\u00bb\u2033\uff02]')
_LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:)\S*", re.IGNORECASE)
HELD_TITLE = "an event whose title is held back"
NO_TITLE = "an event without a title"
STRANGE_TITLE = "an event of somebody else"
"""Whoever can send an invitation writes its title, so it is not quoted."""
AGAIN = 0.5
"""What an event counts that comes again in these hours: others go first."""


def events(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give the events of the next hours, and which calendars could not be read: silence is no empty day."""
    for name, problem in inquiry.problems:
        yield Candidate(
            source=Source.EVENT,
            text="some events may be missing here",
            place=f"calendar {name}",
            why=f"it {problem}" if not problem[0].isdigit() else problem,
            score=1.0,
        )
    for event, title, nearness in _titled(inquiry):
        own = title if title in (HELD_TITLE, NO_TITLE) else _in_marks(title) if event.own else STRANGE_TITLE
        yield Candidate(
            source=Source.EVENT,
            text=own,
            place=f"calendar {event.calendar}",
            why=f"event {_when(event, inquiry)}",
            score=nearness,
            until=event.ends_at,
        )


def documents(inquiry: Inquiry) -> Iterator[Candidate]:
    """Give what search finds for the titles of events, and for the routines that are on."""
    for event, title, nearness in _titled(inquiry):
        if title not in (HELD_TITLE, NO_TITLE):
            why = f"for the event {_when(event, inquiry)}"
            for hit in inquiry.find(title):
                yield document(hit, Source.DOCUMENT, why, nearness, event.ends_at)
    for routine in inquiry.rules.routines:
        if routine.is_on(inquiry.now.astimezone(inquiry.zone)):
            why = f"for the routine of {routine.begins:%H:%M}-{routine.ends:%H:%M}"  # its name is anybody's
            for hit in inquiry.find(routine.query):
                yield document(hit, Source.DOCUMENT, why, 1.0)


def _titled(inquiry: Inquiry) -> Iterator[tuple[Event, str, float]]:
    """Give each event with its title as it may be said, and how near it is."""
    told: set[str] = set()
    for event in sorted(inquiry.events, key=lambda one: one.starts_at):
        nearness = _nearness(event, inquiry) * (AGAIN if event.title in told else 1)
        told.add(event.title)
        yield event, title_of(event, inquiry), nearness


def title_of(event: Event, inquiry: Inquiry) -> str:
    """Return a title; one that addresses an agent, or says what an agent may not be told, is held back.

    A calendar is no way around the operator.
    """
    findings = scan(event.title, origin=Origin.WEB)
    stopped = any(finding.severity in (Severity.QUARANTINE, Severity.BLOCK) for finding in findings)
    if stopped or (event.title and not inquiry.library.may_say(event.title)):
        return HELD_TITLE
    return event.title or NO_TITLE


def _nearness(event: Event, inquiry: Inquiry) -> float:
    """Return 1 for what goes on or begins now, down to .5 for the end of the look-ahead; all-day events are .5."""
    hours = inquiry.rules.lookahead_hours
    if event.all_day or not hours:
        return 0.5
    ahead = max(0.0, (event.starts_at - inquiry.now).total_seconds()) / (hours * 3600)
    return round(1 - 0.5 * min(1.0, ahead), 4)


def _in_marks(title: str) -> str:
    """Return a title in quotation marks that it cannot close, without links."""
    return '"' + _MARKS.sub("'", _LINK.sub("(link)", title)) + '"'


def _when(event: Event, inquiry: Inquiry) -> str:
    moments = (inquiry.now, event.starts_at, event.ends_at)
    today, starts, ends = (at.astimezone(inquiry.zone) for at in moments)
    if event.all_day:
        return "today, all day" if starts.date() <= today.date() else f"on {starts:%Y-%m-%d}, all day"
    day = "" if starts.date() == today.date() else f"{starts:%Y-%m-%d} "
    return f"{day}{starts:%H:%M}-{ends:%H:%M}"

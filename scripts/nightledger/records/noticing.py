"""What a session should hear when it begins: how long it was away, what is overdue, what speaks to what is open.

Invariant: deterministic for the same records and the same time. An observation is told once in its time: it is itself a
record, whose id holds the week.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.record import (
    Record,
    RecordKind,
    due_day,
    is_open,
    is_overdue,
    is_stale,
    told_in_a_line,
)
from nightledger.files.home import Home
from nightledger.records.handoff import open_handoff
from nightledger.records.keeping import kind_named, read_records, record_kinds
from nightledger.text.search.likeness import Likeness

MOST_OBSERVATIONS = 3
SOON = timedelta(days=3)
"""A deadline within it is told (FACTS, Elara)."""
LIKE = 0.35
"""From which a correction speaks to a text (FACTS, Elara: corrections .35)."""
MOST_MATCHES = 3
_MOST_TOLD = 400
"""Characters of a record inside an observation, which is a record itself and holds 500."""
_HOUR = 3_600


class Gap(StrEnum):
    """How long it is since the last session: what the first screen holds."""

    FIRST = "first session"
    RESUME = "resume"
    CONTINUE = "continue"
    FRESH = "fresh start"
    CATCH_UP = "catch up"
    CHECK_IN = "check in"


_GAPS = ((0.5, Gap.RESUME), (4, Gap.CONTINUE), (24, Gap.FRESH), (48, Gap.CATCH_UP))
"""Hours, and what a gap of less is (FACTS, Elara)."""


class Match(Struct, frozen=True, kw_only=True):
    """A correction that speaks to a text.

    Attributes:
        record: The correction.
        likeness: 0..1.
    """

    record: Record
    likeness: float


def gap_of(last: datetime | None, now: datetime) -> Gap:
    """Say what a gap is."""
    if last is None:
        return Gap.FIRST
    hours = (now - last).total_seconds() / _HOUR
    return next((gap for limit, gap in _GAPS if hours < limit), Gap.CHECK_IN)


def read_all(home: Home, now: datetime) -> dict[str, list[Record]]:
    """Return what is open of each kind, in the order in which it was opened."""
    found = {}
    for name, kind in record_kinds().items():
        records, _ = read_records(home, name)
        found[name] = [one for one in records.values() if is_open(one, kind, now.date())]
    return found


def match_corrections(corrections: Sequence[Record], text: str) -> list[Match]:
    """Return the corrections that speak to a text, the most alike first; silent where they are fine.

    Compared are mistake, context and each of ``fails_when`` with the text; a correction whose ``fine_when`` is at least as
    alike says nothing.

    Args:
        corrections: Open ones.
        text: What is about to be done, in plain words.
    """
    told = {one.id: (_breaking(one), [*one.fields.get("fine_when", ())]) for one in corrections}
    likeness = Likeness(text, [part for parts in told.values() for side in parts for part in side])
    matches = []
    for one in corrections:
        fails, fine = (max((likeness.of(part) for part in side), default=0.0) for side in told[one.id])
        if fails >= LIKE and fails > fine:
            matches.append(Match(record=one, likeness=round(fails, 4)))
    return sorted(matches, key=lambda one: (-one.likeness, one.record.id))[:MOST_MATCHES]


def _breaking(one: Record) -> list[str]:
    fields = one.fields
    about = " ".join([fields["mistake"], fields.get("context", ""), *fields.get("tags", ())])
    return [about, *fields.get("fails_when", ())]


def speak_to_open(open_records: Mapping[str, Sequence[Record]]) -> list[Match]:
    """Return the corrections that speak to what is open: handed over, aimed at, begun."""
    best: dict[str, Match] = {}
    for name in ("handoff", "goal", "episode", "intention"):
        for one in open_records.get(name, ()):
            for match in match_corrections(open_records["correction"], told_in_a_line(one, kind_named(name))):
                if match.likeness > getattr(best.get(match.record.id), "likeness", 0):
                    best[match.record.id] = match
    return sorted(best.values(), key=lambda one: (-one.likeness, one.record.id))[:MOST_MATCHES]


class Noticed(Struct, frozen=True, kw_only=True):
    """Something worth telling once.

    Attributes:
        about: Id or name of what it is about, with its week: once told, it is told no more that week.
        text: One line, our words around the record's own.
    """

    about: str
    text: str


def notice(open_records: Mapping[str, Sequence[Record]], now: datetime) -> Iterator[Noticed]:
    """Give what is worth telling, the most pressing first: deadlines, repeated corrections, stale goals and work."""
    goal, correction = kind_named("goal"), kind_named("correction")
    for one in open_records["goal"]:
        day = due_day(one, goal)
        if day is not None and day - now.date() <= SOON:
            yield _noticed(one, goal, now, f"is due on {day}")
    for one in open_records["correction"]:
        if one.times >= correction.repeats_at:
            yield _noticed(one, correction, now, f"was corrected in {one.times} sessions")
    for name in ("goal", "episode"):
        kind = kind_named(name)
        for one in open_records[name]:
            if is_stale(one, kind, now):
                days = (now - one.changed_at).days
                yield _noticed(one, kind, now, f"was not touched for {days} days")


def _noticed(one: Record, kind: RecordKind, now: datetime, what: str) -> Noticed:
    year, week, _ = now.isocalendar()
    said = told_in_a_line(one, kind)
    said = said if len(said) <= _MOST_TOLD else f"{said[:_MOST_TOLD]} …"
    return Noticed(about=f"{one.id}/{year}-W{week:02}", text=f'{one.kind} "{said}" {what}')


def untold(noticed: Iterable[Noticed], told: Iterable[Record]) -> list[Noticed]:
    """Return at most three observations that were not told yet.

    Args:
        noticed: The most pressing first.
        told: Observations that are kept.
    """
    before = {one.fields.get("about") for one in told}
    return [one for one in noticed if one.about not in before][:MOST_OBSERVATIONS]


def overdue_items(home: Home, now: datetime) -> tuple[list[Record], list[Record]]:
    """Return what is handed over and overdue, and the rest of it."""
    waiting = open_handoff(home, now)
    late = [one for one in waiting if is_overdue(one, kind_named("handoff"), now.date())]
    return late, [one for one in waiting if one not in late]

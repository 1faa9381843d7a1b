"""What is made of what sessions left: an episode from a transcript, an idea from three similar thoughts, and what a session should hear when it begins.

A session hears how long it was away, what is overdue, what speaks to what is open.

Invariant: nothing is told of a session but what stands there; how it ended is left to whoever says so. An agent reads the
title, so words that are not surely the owner's are none. An episode that an agent recorded for its session wins. An idea's
words are those of one of its thoughts, and its id is theirs. Drawing again adds nothing.

Invariant: deterministic for the same records and the same time. An observation is told once in its time: it is itself a
record, whose id holds the week.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from nightledger.codec.extracts import read_messages
from nightledger.codec.records import decode_lines
from nightledger.domain.errors import RecordError, RefusedError, UnreadableError
from nightledger.domain.proposal import Origin
from nightledger.domain.record import (
    Author,
    Happened,
    Record,
    RecordEvent,
    due_day,
    is_open,
    is_overdue,
    is_stale,
    told_in_a_line,
)
from nightledger.domain.transcript import Speaker
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import Appender
from nightledger.records import keeping
from nightledger.records.handoff import most_urgent
from nightledger.text.similar import dice, shingles
from nightledger.text.tokens import Likeness
from nightledger.text.visible import CUT, quoted

EPISODE = "episode"
MAX_EXTRACT_BYTES = 64 << 20
_TITLE_CHARACTERS = 120
"""Of what was asked that an episode is called by. Our choice."""


class Session(Struct, kw_only=True):
    """What the extracts hold of one session.

    Attributes:
        asked: The first words of its owner, one line, or that it was a session; empty where nothing of a user is kept.
        source: The transcript.
        begins: When the first message was; aware, UTC.
        ends: When the last one was.
    """

    asked: str
    source: str
    begins: datetime
    ends: datetime


class _Drawn(NamedTuple):
    """The last episode event of a session that transcripts told, and whether the agent recorded one itself."""

    id: str
    at: datetime | None
    is_over: bool
    is_agents: bool


def draw_episodes(home: Home, host: str, extracts: Iterable[str], projects: Mapping[str, str]) -> int:
    """Record the sessions of some extracts; return how many events that took.

    Args:
        home: The home.
        host: Whose sessions they are.
        extracts: Paths of extracts, relative to it.
        projects: By transcript, what its working directory is called.

    Raises:
        UnreadableError: An extract cannot be read, or something that is no file has the name of the records.
        NotDurableError: The disk reports a failure.
    """
    sessions = _sessions(home, host, extracts)
    with Appender(home.records(EPISODE)) as file:
        file.hold(timeout_s=keeping.PATIENCE_S)
        drawn = _drawn(file.read_from(0))
        events = [event for name, one in sessions.items() for event in _events(name, one, drawn, projects)]
        keeping.append_events(file, events)
    return len(events)


def _sessions(home: Home, host: str, extracts: Iterable[str]) -> dict[str, Session]:
    found: dict[str, Session] = {}
    for path in sorted(extracts):
        for one in read_messages(read_optional(home.path(path), MAX_EXTRACT_BYTES, within=home.root) or b""):
            known = found.setdefault(
                one.session, Session(asked="", source=one.source, begins=one.at, ends=one.at)
            )
            known.begins, known.ends = min(known.begins, one.at), max(known.ends, one.at)
            if one.speaker is Speaker.USER and not known.asked:
                is_owners = one.origin == Origin.OWNER
                known.asked = one.words if is_owners else f"A session of {host}, {one.at:%Y-%m-%d %H:%M} UTC"
    return {name: one for name, one in found.items() if name and one.asked}


def _drawn(content: bytes) -> dict[str, _Drawn]:
    """Return by session what is recorded of it; lines that are none say nothing."""
    found = dict[str, _Drawn]()
    for event in decode_lines(RecordEvent, content):
        before = found.get(event.session, _Drawn("", None, is_over=False, is_agents=False))
        if event.by is not Author.BRAIN:
            found[event.session] = before._replace(is_agents=True)
        elif event.at.tzinfo is not None:
            found[event.session] = before._replace(
                id=event.id, at=event.at, is_over=event.event is Happened.EXPIRED
            )
    return found


def _events(
    name: str, one: Session, drawn: Mapping[str, _Drawn], projects: Mapping[str, str]
) -> Iterator[RecordEvent]:
    known = drawn.get(name)
    ended = keeping.Sitting(at=one.ends, by=Author.BRAIN, session=name)
    if known is None:
        asked = one.asked if len(one.asked) <= _TITLE_CHARACTERS else f"{one.asked[:_TITLE_CHARACTERS]} {CUT}"
        project = projects.get(one.source, "")
        told = keeping.Told(
            kind=EPISODE, action="open", fields={"title": asked, **({"project": project} if project else {})}
        )
        try:
            (event,) = keeping.checked(
                [told], {}, keeping.Sitting(at=one.begins, by=Author.BRAIN, session=name)
            )
        except (RefusedError, RecordError):
            return  # an agent reads what is recorded: scanners hold this back
        yield event
        yield keeping.new_event(EPISODE, event.id, Happened.RESOLVED, {}, ended)
    elif known.id and known.is_agents and not known.is_over:
        yield keeping.new_event(EPISODE, known.id, Happened.EXPIRED, {}, ended)
    elif known.at and not known.is_agents and one.ends.replace(microsecond=0) > known.at:
        yield keeping.new_event(EPISODE, known.id, Happened.RESOLVED, {}, ended)


SIMILAR = 0.35
"""Dice coefficient of two thoughts' letter trigrams, from which they are about one thing; our choice, on invented pairs."""
LEAST = 3


def draw_ideas(home: Home, sitting: keeping.Sitting) -> tuple[str, ...]:
    """Open an idea for each group of three or more similar seeds; return the ids of those that are new.

    Args:
        home: The home.
        sitting: Who asks, and when.
    """
    seeds, _ = keeping.read_records(home, "seed")
    waiting = [one for one in seeds.values() if is_open(one, keeping.kind_named("seed"), sitting.at.date())]
    with Appender(home.records("idea")) as file:
        file.hold(timeout_s=keeping.PATIENCE_S)
        known, _ = keeping.fold_lines("idea", [file.read_from(0)])
        used = {name for one in known.values() for name in one.fields["seeds"]}
        groups = _groups([one for one in waiting if one.id not in used])
        return keeping.append_events(file, [_idea(group, sitting) for group in groups])


def _groups(seeds: Sequence[Record]) -> list[list[Record]]:
    """Return groups of seeds that are each like the first of theirs, which is the one with the most like it."""
    prints = {one.id: shingles(one.fields["text"]) for one in seeds}
    like = {
        one.id: [other for other in seeds if dice(prints[one.id], prints[other.id]) >= SIMILAR]
        for one in seeds
    }
    groups, taken = [], set[str]()
    for one in sorted(seeds, key=lambda one: (-len(like[one.id]), one.opened_at, one.id)):
        group = [other for other in like[one.id] if other.id not in taken]
        if one.id not in taken and len(group) >= LEAST:
            groups.append([one, *(other for other in group if other is not one)])
            taken |= {other.id for other in group}
    return groups


def _idea(group: Sequence[Record], sitting: keeping.Sitting) -> RecordEvent:
    fields: Mapping[str, object] = {"text": group[0].fields["text"], "seeds": sorted(one.id for one in group)}
    return keeping.new_event("idea", keeping.record_id("idea", fields), Happened.OPENED, fields, sitting)


MOST_OBSERVATIONS = 3
SOON = timedelta(days=3)
"""A deadline within it is told (FACTS, Elara)."""
LIKE = 0.35
"""From which a correction speaks to a text (FACTS, Elara: corrections .35)."""
MOST_MATCHES = 3
MOST_LOOKED, MOST_HELD = 30, 100
"""Open records of a kind, and corrections, that are held against each other, the newest: a flood of them holds up no session's begin. Our choice."""
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


def read_every(home: Home) -> tuple[dict[str, list[Record]], list[str]]:
    """Return all records of each kind in the order in which they were opened, and which kinds cannot be read, with why."""
    found, problems = dict[str, list[Record]](), []
    for name in keeping.record_kinds():
        found[name] = []
        try:
            found[name] += keeping.read_records(home, name)[0].values()
        except UnreadableError as error:
            problems.append(str(error))
    return found, problems


def still_open(records: Mapping[str, Sequence[Record]], now: datetime) -> dict[str, list[Record]]:
    """Return of each kind what is open."""
    return {
        name: [one for one in rows if is_open(one, keeping.kind_named(name), now.date())]
        for name, rows in records.items()
    }


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
    corrections = _newest(open_records["correction"], MOST_HELD)
    for name in ("handoff", "goal", "episode", "intention"):
        for one in _newest(open_records.get(name, ()), MOST_LOOKED):
            for match in match_corrections(corrections, told_in_a_line(one, keeping.kind_named(name))):
                if match.likeness > getattr(best.get(match.record.id), "likeness", 0):
                    best[match.record.id] = match
    return sorted(best.values(), key=lambda one: (-one.likeness, one.record.id))[:MOST_MATCHES]


def _newest(records: Sequence[Record], most: int) -> list[Record]:
    return sorted(records, key=lambda one: one.changed_at)[-most:]


def said_of(one: Record) -> str:
    """Return a record in one line, of a correction the mistake alone: what it demands is for whoever looks it up, as unsigned text gives no orders."""
    return (
        one.fields["mistake"]
        if one.kind == "correction"
        else told_in_a_line(one, keeping.kind_named(one.kind))
    )


class Noticed(Struct, frozen=True, kw_only=True):
    """Something worth telling once.

    Attributes:
        about: Id of what it is about, with its week: once told, it is told no more that week.
        record: What it is about.
        what: What is noticed of it, in our words.
    """

    about: str
    record: Record
    what: str

    @property
    def text(self) -> str:
        """One line, our words around the record's own."""
        said = said_of(self.record)
        said = said if len(said) <= _MOST_TOLD else f"{said[:_MOST_TOLD]} …"
        return f"{self.record.kind} {quoted(said)} {self.what}"


def notice(open_records: Mapping[str, Sequence[Record]], now: datetime) -> Iterator[Noticed]:
    """Give what is worth telling, the most pressing first: deadlines, repeated corrections, stale goals and work."""
    goal, correction = keeping.kind_named("goal"), keeping.kind_named("correction")
    for one in open_records["goal"]:
        day = due_day(one, goal)
        if day is not None and day - now.date() <= SOON:
            yield _noticed(one, now, f"is due on {day}")
    for one in open_records["correction"]:
        if one.times >= correction.repeats_at:
            yield _noticed(one, now, f"was corrected in {one.times} sessions")
    for name in ("goal", "episode"):
        for one in open_records[name]:
            if is_stale(one, keeping.kind_named(name), now):
                yield _noticed(
                    one, now, f"was not touched for {(now.date() - one.changed_at.date()).days} days"
                )


def _noticed(one: Record, now: datetime, what: str) -> Noticed:
    year, week, _ = now.isocalendar()
    return Noticed(about=f"{one.id}/{year}-W{week:02}", record=one, what=what)


def named_places(open_records: Mapping[str, Sequence[Record]], now: datetime) -> Iterator[tuple[Record, str]]:
    """Give what the first screen of a session would tell, each record once and with why, for a page that quotes none of it."""
    kind, seen = keeping.kind_named("handoff"), set[str]()
    late = (one for one in open_records["handoff"] if is_overdue(one, kind, now.date()))
    for one, why in (
        *((one, f"was carried through {one.carried} sessions and is overdue") for one in late),
        *((match.record, "speaks to what is open") for match in speak_to_open(open_records)),
        *((one.record, one.what) for one in notice(open_records, now)),
    ):
        if one.id not in seen:
            seen.add(one.id)
            yield one, why


def untold(noticed: Iterable[Noticed], told: Iterable[Record]) -> list[Noticed]:
    """Return at most three observations that were not told yet.

    Args:
        noticed: The most pressing first.
        told: Observations that are kept.
    """
    before = {one.fields.get("about") for one in told}
    return [one for one in noticed if one.about not in before][:MOST_OBSERVATIONS]


def overdue_items(handed: Iterable[Record], now: datetime) -> tuple[list[Record], list[Record]]:
    """Return what was handed over and is overdue, and the rest of it, the most urgent first."""
    waiting = most_urgent(handed, now)
    late = [one for one in waiting if is_overdue(one, keeping.kind_named("handoff"), now.date())]
    return late, [one for one in waiting if one not in late]

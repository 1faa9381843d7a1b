"""What is drawn from what sessions left: an episode from a transcript, an idea from three similar thoughts.

Invariant: nothing is told of a session but what stands there; how it ended is left to whoever says so. An agent reads the
title, so words that are not surely the owner's are none. An episode that an agent recorded for its session wins. An idea's
words are those of one of its thoughts, and its id is theirs. Drawing again adds nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import Struct

from nightledger.codec.extracts import read_messages
from nightledger.domain.errors import RecordError, RefusedError
from nightledger.domain.proposal import Origin
from nightledger.domain.record import Author, Happened, Record, RecordEvent, is_open
from nightledger.domain.transcript import Speaker
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import Appender
from nightledger.records.keeping import (
    PATIENCE_S,
    Sitting,
    Told,
    append_events,
    checked,
    fold_lines,
    kind_named,
    new_event,
    read_records,
    record_id,
)
from nightledger.text.similar import dice, shingles
from nightledger.text.visible import CUT

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
        file.hold(timeout_s=PATIENCE_S)
        drawn = _drawn(file.read_from(0))
        events = [event for name, one in sessions.items() for event in _events(name, one, drawn, projects)]
        append_events(file, events)
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
    decode, found = msgspec.json.Decoder(RecordEvent).decode, dict[str, _Drawn]()
    for line in content.split(b"\n"):
        try:
            event = decode(line)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            continue
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
    ended = Sitting(at=one.ends, by=Author.BRAIN, session=name)
    if known is None:
        asked = one.asked if len(one.asked) <= _TITLE_CHARACTERS else f"{one.asked[:_TITLE_CHARACTERS]} {CUT}"
        project = projects.get(one.source, "")
        told = Told(
            kind=EPISODE, action="open", fields={"title": asked, **({"project": project} if project else {})}
        )
        try:
            (event,) = checked([told], {}, Sitting(at=one.begins, by=Author.BRAIN, session=name))
        except (RefusedError, RecordError):
            return  # an agent reads what is recorded: scanners hold this back
        yield event
        yield new_event(EPISODE, event.id, Happened.RESOLVED, {}, ended)
    elif known.id and known.is_agents and not known.is_over:
        yield new_event(EPISODE, known.id, Happened.EXPIRED, {}, ended)
    elif known.at and not known.is_agents and one.ends.replace(microsecond=0) > known.at:
        yield new_event(EPISODE, known.id, Happened.RESOLVED, {}, ended)


SIMILAR = 0.35
"""Dice coefficient of two thoughts' letter trigrams, from which they are about one thing; our choice, on invented pairs."""
LEAST = 3


def draw_ideas(home: Home, sitting: Sitting) -> tuple[str, ...]:
    """Open an idea for each group of three or more similar seeds; return the ids of those that are new.

    Args:
        home: The home.
        sitting: Who asks, and when.
    """
    seeds, _ = read_records(home, "seed")
    waiting = [one for one in seeds.values() if is_open(one, kind_named("seed"), sitting.at.date())]
    with Appender(home.records("idea")) as file:
        file.hold(timeout_s=PATIENCE_S)
        known, _ = fold_lines("idea", [file.read_from(0)])
        used = {name for one in known.values() for name in one.fields["seeds"]}
        groups = _groups([one for one in waiting if one.id not in used])
        return append_events(file, [_idea(group, sitting) for group in groups])


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


def _idea(group: Sequence[Record], sitting: Sitting) -> RecordEvent:
    fields: Mapping[str, object] = {"text": group[0].fields["text"], "seeds": sorted(one.id for one in group)}
    return new_event("idea", record_id("idea", fields), Happened.OPENED, fields, sitting)

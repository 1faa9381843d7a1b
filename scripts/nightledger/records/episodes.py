"""Episodes out of transcripts: a session with its begin, its end, its project, and what was asked for first.

Invariant: nothing is told of a session but what stands there; how it ended is left to whoever says so. An agent reads the
title, so words that are not surely the owner's are none. An episode that an agent recorded for its session wins. Drawing
again adds nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import Struct

from nightledger.codec.extracts import read_messages
from nightledger.domain.errors import RecordError, RefusedError
from nightledger.domain.proposal import Origin
from nightledger.domain.record import Author, Happened, RecordEvent
from nightledger.domain.transcript import Speaker
from nightledger.files.append import Appender
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.records.keeping import PATIENCE_S, Sitting, Told, append_events, checked, new_event
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

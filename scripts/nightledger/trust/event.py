"""Audit entries and their bytes: one canonical JSON line an event.

Invariant: what is dumped holds ids, hashes, counts and enumerated words only, parses
back to the same event, and is the only line that does. The members of ``fields`` stand
beside ``v, seq, event, actor, at`` in one flat object.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.domain.event import OWN_NAMES, Actor, Event, EventName

__all__ = ["Actor", "Event", "EventError", "LineError", "NewEvent", "dump_event", "parse_event", "path_word"]

VERSION = 1
MAX_LEAF_BYTES = 65_535
"""C2SP tlog-tiles carries an entry's length in 16 bits."""
MAX_WORD_CHARACTERS = 1_024
MAX_DEPTH = 3
"""Lists and objects below ``fields``: a list of objects that hold a list."""
ACTORS = frozenset(Actor)
_KNOWN = frozenset(name.value for name in EventName)
EVENT_NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*")
FIELD_NAME = re.compile(r"[a-z][a-z0-9_]*")
_NOT_IN_WORDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NO_OFFSET = timedelta(0)
_TIME = "%04d-%02d-%02dT%02d:%02d:%02dZ"
_TIME_FORM = re.compile(r"\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\dZ")


class EventError(NightledgerError):
    """An event holds what the audit log does not take: a mistake in the code that made it."""


class LineError(IntegrityError):
    """A line of the audit log is not an event in its only form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """Something that happened and has no place in the log yet.

    Attributes:
        event: What happened, ``proposal.created``.
        actor: Who caused it.
        at: Wall clock; aware. The log keeps whole seconds.
        fields: What it is about.
    """

    event: str
    actor: Actor
    at: datetime
    fields: Mapping[str, Any] = field(default_factory=dict)

    def placed(self, seq: int) -> Event:
        """Give the audit entry at a place in the log.

        Args:
            seq: From 0.
        """
        return Event(
            v=VERSION, seq=seq, event=self.event, actor=self.actor, at=self._second(), fields=self.fields
        )

    def line(self, seq: int) -> bytes:
        """Give what :func:`dump_event` gives of ``placed(seq)``, before there is need of that.

        Raises:
            EventError: As :func:`dump_event`.
        """
        return _dump(seq, self.event, self.actor, self._second(), self.fields)

    def _second(self) -> datetime:
        at = self.at if self.at.tzinfo is UTC else self.at.astimezone(UTC)
        return at.replace(microsecond=0) if at.microsecond else at


def dump_event(event: Event) -> bytes:
    r"""Give an event's line, without ``\n``: its leaf.

    Raises:
        EventError: When a field is not an id, hash, count, word, or a list or object of such;
            when the line is too long for a leaf.
    """
    return _dump(event.seq, event.event, event.actor, event.at, event.fields)


def parse_event(line: bytes) -> Event:
    r"""Read a line (without ``\n``); the inverse of :func:`dump_event`.

    Raises:
        LineError: When it is anything but the line that ``dump_event`` writes for its event.
    """
    try:
        # Duplicate keys, floats, white space and the rest show when the event is dumped again.
        record = json.loads(line)
        event = event_of(record)
        same = dump_event(event) == line
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, NightledgerError) as error:
        raise LineError("the line is not an audit entry") from error
    if not same:
        raise LineError("the line is not in canonical form")
    return event


def event_of(record: dict[str, Any]) -> Event:
    """Give the event of a decoded line; empties ``record`` of what every event has.

    Raises:
        KeyError: When one of the five is missing.
        ValueError: When the actor or the time is not of its form, or the version is another.
    """
    at = record.pop("at")
    if record.pop("v") != VERSION or not _TIME_FORM.fullmatch(at):
        raise ValueError("not a version or time of this log")
    return Event(
        v=VERSION,
        seq=record.pop("seq"),
        event=record.pop("event"),
        actor=Actor(record.pop("actor")),
        at=datetime.fromisoformat(at),
        fields=record,
    )


def path_word(path: str) -> str:
    """Give a path as a string that the log takes, percent-encoding what it does not.

    Control characters, lone surrogates (bytes that are no UTF-8), ``%`` and forms that are
    not NFC are encoded; ``urllib.parse.unquote(word, errors="surrogateescape")`` gives the
    path back.

    Raises:
        EventError: When it is longer than the log takes.
    """
    word = path
    if "%" in path or _NOT_IN_WORDS.search(path) or unicodedata.normalize("NFC", path) != path:
        from urllib.parse import quote

        word = quote(path.encode("utf-8", "surrogateescape"), safe="/ !#$&'()*+,:;=?@[]")
    if len(word) > MAX_WORD_CHARACTERS:
        raise EventError(f"a path has {len(word)} characters")
    return word


def _dump(seq: int, name: str, actor: Actor, at: datetime, fields: Mapping[str, Any]) -> bytes:
    if name not in _KNOWN and not EVENT_NAME.fullmatch(name):
        raise EventError(f"{name!r} is not an event name")
    if type(seq) is not int or seq < 0:
        raise EventError(f"{seq!r} is not a place in the log")
    if not OWN_NAMES.isdisjoint(fields):
        raise EventError("a field has a name that every event has")
    if (at.tzinfo is not UTC and at.utcoffset() != _NO_OFFSET) or at.microsecond:
        raise EventError("a time is whole seconds, UTC")
    _check_object(fields, MAX_DEPTH + 1)
    own = {
        "v": VERSION,
        "seq": seq,
        "event": name,
        "actor": str(actor),
        "at": _TIME % (at.year, at.month, at.day, at.hour, at.minute, at.second),
    }
    line = canonical({**fields, **own})
    if len(line) > MAX_LEAF_BYTES:
        raise EventError(f"{name} has {len(line)} bytes; texts and diffs go to blobs")
    return line


def _check_object(fields: Mapping[str, Any], depth: int) -> None:
    if depth <= 0:
        raise EventError("fields are nested too deeply")
    for name, value in fields.items():
        if not FIELD_NAME.fullmatch(name):
            raise EventError(f"{name!r} is not a field name; use a list of objects")
        _check_value(value, depth - 1)


def _check_value(value: Any, depth: int) -> None:
    if isinstance(value, str):
        # nearly all are ASCII; a fifth of the time
        plain = value.isascii() and value.isprintable()
        if len(value) > MAX_WORD_CHARACTERS or not (plain or _is_word(value)):
            raise EventError("a field holds text, not an id, hash or word")
    elif isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise EventError("a number is beyond 2**53 - 1")
    elif isinstance(value, (list, tuple)):
        _check_list(value, depth)
    elif isinstance(value, Mapping):
        _check_object(value, depth)
    else:
        raise EventError(f"{type(value).__name__} is not a type that the audit log takes")


def _check_list(values: Sequence[Any], depth: int) -> None:
    if depth <= 0:
        raise EventError("fields are nested too deeply")
    for value in values:
        _check_value(value, depth - 1)


def _is_word(value: str) -> bool:
    return not _NOT_IN_WORDS.search(value) and unicodedata.is_normalized("NFC", value)
